package transport

import (
	"fmt"
	"mime"
	"net/http"
)

// ProxyError is an answer that the API cannot have given: a web page, as a proxy or a login
// in front of it has them.
type ProxyError struct{ Status string }

func (e *ProxyError) Error() string { return "a proxy answered: a web page (" + e.Status + ")" }

// OnlyTheAPI wraps a transport so that a web page is no answer, whatever its status: what is
// only looked at for its status would take it for the API's.
func OnlyTheAPI(next http.RoundTripper) http.RoundTripper {
	return RoundTrip(func(req *http.Request) (*http.Response, error) {
		answer, err := next.RoundTrip(req)
		if err != nil {
			return answer, err
		}
		if kind, _, err := mime.ParseMediaType(answer.Header.Get("Content-Type")); err != nil || kind != "text/html" {
			return answer, nil
		}
		_ = answer.Body.Close()
		return nil, &ProxyError{fmt.Sprintf("%d %s", answer.StatusCode, http.StatusText(answer.StatusCode))}
	})
}
