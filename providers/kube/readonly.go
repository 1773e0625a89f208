package kube

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"k8s.io/cli-runtime/pkg/genericclioptions"
)

// ErrReadOnly means that a client that only reads was asked to change something.
// Nothing was sent.
var ErrReadOnly = errors.New("this process only reads")

// ConnectReadOnly is Connect for commands that only look: whatever is asked of the
// client, nothing leaves this process but reads and questions for one's own rights.
func ConnectReadOnly(ctx context.Context, flags *genericclioptions.ConfigFlags, version string) (*Client, error) {
	return connect(ctx, flags, version, onlyReads)
}

// onlyReads wraps a transport so that it lets nothing pass that may change something.
func onlyReads(next http.RoundTripper) http.RoundTripper {
	return roundTrip(func(req *http.Request) (*http.Response, error) {
		if !reads(req) {
			if req.Body != nil {
				_ = req.Body.Close()
			}
			return nil, fmt.Errorf("%w: %s %s was not sent", ErrReadOnly, req.Method, req.URL.Path)
		}
		return next.RoundTrip(req)
	})
}

// reads reports whether a request to the API can change nothing: get, list and
// watch, and a review of one's own rights, which has to be a POST. The subresources
// that lead into a pod or past the API are none, whatever their method.
func reads(req *http.Request) bool {
	parts := strings.Split(strings.Trim(req.URL.Path, "/"), "/")
	switch req.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return !slices.ContainsFunc(parts, func(part string) bool {
			return slices.Contains([]string{"exec", "attach", "portforward", "proxy"}, part)
		})
	case http.MethodPost:
		return len(parts) >= 4 && slices.Equal(parts[len(parts)-4:], []string{"apis", "authorization.k8s.io", "v1", "selfsubjectaccessreviews"})
	}
	return false
}
