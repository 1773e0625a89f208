package kube

import (
	"net/http"
	"testing"
	"time"

	"github.com/drainboard/drainboard/providers/kube/kubetest"
)

func TestClockListens(t *testing.T) {
	c := fakeAPI(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat))
		kubetest.Say(w, 200, `{}`)
	})
	if err := c.Heartbeat(t.Context(), time.Second); err != nil {
		t.Fatal(err)
	}
	if got := c.Clock().Skew() + time.Hour; got.Abs() > 2*time.Second {
		t.Errorf("skew %v", c.Clock().Skew())
	}
}
