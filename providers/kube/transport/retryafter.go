package transport

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// OnlyWhatFits wraps a transport so that client-go waits in silence for an API that throttles
// (429, or 5xx with Retry-After) only where the request's own time allows for it. With a longer
// wait the request would end as one that was not answered, and that would be told in place of
// the reason. What an eviction is answered, client-go does not wait for, and the engine does.
func OnlyWhatFits(next http.RoundTripper) http.RoundTripper {
	return RoundTrip(func(req *http.Request) (*http.Response, error) {
		answer, err := next.RoundTrip(req)
		if err != nil || strings.HasSuffix(req.URL.Path, "/eviction") {
			return answer, err
		}
		seconds, wrong := strconv.Atoi(answer.Header.Get("Retry-After"))
		end, limited := req.Context().Deadline()
		if wrong == nil && limited && time.Duration(seconds)*time.Second >= time.Until(end) {
			answer.Header.Del("Retry-After")
		}
		return answer, nil
	})
}
