package transport

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/drainboard/drainboard/engine/live"
)

// ErrReadOnly means that a client that only reads was asked to change something.
// Nothing was sent.
var ErrReadOnly = errors.New("this process is read-only")

// OnlyReads wraps a transport so that it lets nothing pass that may change something.
// prefix is the path of the server's URL, which every request begins with.
func OnlyReads(prefix string, next http.RoundTripper) http.RoundTripper {
	return RoundTrip(func(req *http.Request) (*http.Response, error) {
		if !reads(req.Method, within(prefix, req.URL.Path)) {
			if req.Body != nil {
				_ = req.Body.Close()
			}
			return nil, fmt.Errorf("%w: %s %s was not sent", ErrReadOnly, req.Method, req.URL.Path)
		}
		return next.RoundTrip(req)
	})
}

// OnlyWhileSure wraps a transport so that no change of an action leaves that may not be
// ours to make any more.
func OnlyWhileSure(next http.RoundTripper) http.RoundTripper {
	return RoundTrip(func(req *http.Request) (*http.Response, error) {
		if req.Method != http.MethodGet {
			if err := live.MayAct(req.Context()); err != nil {
				if req.Body != nil {
					_ = req.Body.Close()
				}
				return nil, err
			}
		}
		return next.RoundTrip(req)
	})
}

// within is what of a request's path the API server sees.
func within(prefix, path string) string {
	if rest, ok := strings.CutPrefix(path, prefix); ok && (rest == "" || rest[0] == '/') {
		return rest
	}
	return path
}

// reads reports whether a request to the API can change nothing: get, list and
// watch, and a review of one's own rights, which has to be a POST. The subresources
// that lead into a pod or past the API are none, whatever their method.
func reads(method, path string) bool {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return !slices.Contains([]string{"exec", "attach", "portforward", "proxy"}, subresource(path))
	case http.MethodPost:
		return path == "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews" || path == "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews"
	}
	return false
}

// subresource is the one that a path leads to, "" if it leads to none. A proxy that the
// API once had, by a prefix of the path, counts as one.
func subresource(path string) string {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	switch { // the API's group and version
	case len(parts) > 2 && parts[0] == "api":
		parts = parts[2:]
	case len(parts) > 3 && parts[0] == "apis":
		parts = parts[3:]
	default:
		return ""
	}
	if parts[0] == "proxy" {
		return parts[0]
	}
	// namespaces/name/pods/name/exec, nodes/name/proxy, namespaces/name/status
	if len(parts) > 3 && parts[0] == "namespaces" {
		parts = parts[2:]
	}
	if len(parts) < 3 {
		return ""
	}
	return parts[2]
}

// RoundTrip is a function as an http.RoundTripper.
type RoundTrip func(*http.Request) (*http.Response, error)

func (f RoundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
