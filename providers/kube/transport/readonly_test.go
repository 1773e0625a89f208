package transport

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
)

// What can change something does not pass, wherever the API stands.
func TestOnlyReads(t *testing.T) {
	var passed []string
	gate := OnlyReads("/k8s/clusters/c-1/proxy", RoundTrip(func(r *http.Request) (*http.Response, error) {
		passed = append(passed, r.Method+" "+r.URL.Path)
		return &http.Response{}, nil
	}))
	pass := []string{"GET /api/v1/nodes", "HEAD /readyz", "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews", "POST /k8s/clusters/c-1/proxy/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
		"GET /k8s/clusters/c-1/proxy/api/v1/nodes", "GET /k8s/clusters/c-1/proxy/version", "GET /api/v1/namespaces/proxy", "GET /api/v1/namespaces/proxy/pods/exec", "GET /api/v1/namespaces/a/pods/b/log", "GET /api/v1/nodes/proxy",
		"GET /apis/apps/v1/namespaces/exec/deployments/attach", "GET /apis/policy/v1/namespaces/proxy/poddisruptionbudgets/portforward/status"}
	stop := []string{
		"POST /api/v1/namespaces/a/pods/b/eviction", "DELETE /api/v1/namespaces/a/pods/b", "PATCH /api/v1/nodes/n", "PUT /api/v1/namespaces/a/configmaps/c",
		"POST /api/v1/namespaces", "POST /apis/authorization.k8s.io/v1/subjectaccessreviews", "CONNECT /api/v1/nodes/n/proxy",
		"GET /api/v1/namespaces/a/pods/b/exec", "POST /api/v1/namespaces/a/pods/b/log", "GET /api/v1/namespaces/a/pods/b/portforward", "GET /api/v1/nodes/n/proxy/run",
		"GET /k8s/clusters/c-1/proxy/api/v1/nodes/n/proxy/run", "GET /api/v1/namespaces/proxy/services/s/proxy", "GET /api/v1/proxy/nodes/n", "GET /api/v1/namespaces/a/pods/b/attach/",
		"POST /elsewhere/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
	}
	for _, request := range slices.Concat(pass, stop) {
		var method, path string
		for i := range request {
			if request[i] == ' ' {
				method, path = request[:i], request[i+1:]
			}
		}
		r := httptest.NewRequest(method, "http://api"+path, nil)
		_, err := gate.RoundTrip(r)
		if stopped := errors.Is(err, ErrReadOnly); stopped != slices.Contains(stop, request) {
			t.Errorf("%s: stopped %v", request, stopped)
		}
	}
	if !slices.Equal(passed, pass) {
		t.Errorf("passed: %q", passed)
	}
}
