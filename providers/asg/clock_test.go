package asg

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// The cloud's time is that of its answers, also of those that say no.
func TestClock(t *testing.T) {
	for _, code := range []int{http.StatusOK, http.StatusBadRequest} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Date", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat))
			w.WriteHeader(code)
		}))
		t.Cleanup(server.Close)
		environment(t, map[string]string{
			"AWS_ENDPOINT_URL": server.URL, "AWS_REGION": "eu-west-1",
			"AWS_ACCESS_KEY_ID": "AKID", "AWS_SECRET_ACCESS_KEY": "secret",
		})
		c, err := Connect(t.Context(), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if c.Clock().Skew() != 0 {
			t.Errorf("skew %s before anybody answered", c.Clock().Skew())
		}
		_, _ = c.describe(t.Context(), "web")
		if got := c.Clock().Skew() + time.Hour; got.Abs() > 2*time.Second {
			t.Errorf("answered with %d: skew %s", code, c.Clock().Skew())
		}
	}
}
