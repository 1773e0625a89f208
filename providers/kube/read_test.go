package kube

import (
	"errors"
	"net/http"
	"strings"
	"testing"
)

// An object is read as it is; what is not there, what is not known and what is not allowed
// are told apart.
func TestRead(t *testing.T) {
	const there = "/apis/core.gardener.cloud/v1beta1/namespaces/garden-shop/shoots/prod"
	status := func(reason, message string, code int) (int, string) {
		return code, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"` + reason + `","message":"` + message + `"}`
	}
	c := fakeAPI(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept") != "application/json" {
			t.Errorf("asked for %s", r.Header.Get("Accept"))
		}
		w.Header().Set("Content-Type", "application/json")
		code, body := status("NotFound", `shoots \"test\" not found`, http.StatusNotFound)
		switch {
		case r.URL.Path == there:
			code, body = http.StatusOK, `{"kind":"Shoot","extra":[1]}`
		case strings.HasSuffix(r.URL.Path, "/secret"):
			code, body = status("Forbidden", "not for you", http.StatusForbidden)
		case strings.HasPrefix(r.URL.Path, "/apis/other"):
			http.NotFound(w, r)
			return
		}
		w.WriteHeader(code)
		_, _ = w.Write([]byte(body))
	})
	if data, err := c.Read(t.Context(), there); err != nil || string(data) != `{"kind":"Shoot","extra":[1]}` {
		t.Errorf("%s, %v", data, err)
	}
	if _, err := c.Read(t.Context(), strings.Replace(there, "prod", "test", 1)); !errors.Is(err, ErrNoObject) {
		t.Errorf("of an object that is not there: %v", err)
	}
	if _, err := c.Read(t.Context(), "/apis/other/v1/things/a"); !errors.Is(err, ErrNoKind) {
		t.Errorf("of a kind that is not known: %v", err)
	}
	if _, err := c.Read(t.Context(), there+"/secret"); err == nil || !strings.Contains(err.Error(), "does not allow it: not for you") {
		t.Errorf("of what is not allowed: %v", err)
	}
}
