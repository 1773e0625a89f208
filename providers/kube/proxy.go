package kube

import (
	"fmt"
	"mime"
	"net/http"
)

// proxyError is an answer that the API cannot have given: a web page, as a proxy or a login
// in front of it has them.
type proxyError struct{ status string }

func (e *proxyError) Error() string { return "a proxy answered: a web page (" + e.status + ")" }

// onlyTheAPI wraps a transport so that a web page is no answer, whatever its status: what is
// only looked at for its status would take it for the API's.
func onlyTheAPI(next http.RoundTripper) http.RoundTripper {
	return roundTrip(func(req *http.Request) (*http.Response, error) {
		answer, err := next.RoundTrip(req)
		if err != nil {
			return answer, err
		}
		if kind, _, err := mime.ParseMediaType(answer.Header.Get("Content-Type")); err != nil || kind != "text/html" {
			return answer, nil
		}
		_ = answer.Body.Close()
		return nil, &proxyError{fmt.Sprintf("%d %s", answer.StatusCode, http.StatusText(answer.StatusCode))}
	})
}
