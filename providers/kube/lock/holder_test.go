package lock

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/providers/kube"
	"github.com/drainboard/drainboard/providers/kube/kubetest"
)

// A holder that was late with its renewal is waited for; one that gave the lock up, or is silent for
// longer than a minute, is not.
func TestDriverMayBeLate(t *testing.T) {
	for _, c := range []struct {
		holder       string
		ago          time.Duration
		back         bool // the second reading finds the lease renewed
		says, awaits string
	}{
		{"ann@laptop pid 7 #abc", 5 * time.Second, false, "ann@laptop pid 7", ""},
		{"ann@laptop pid 7 #abc", 20 * time.Second, true, "ann@laptop pid 7", "ann@laptop pid 7"},
		{"ann@laptop pid 7 #abc", 2 * time.Minute, true, "", ""},
		{"", 20 * time.Second, true, "", ""},
	} {
		read := 0
		client := kubetest.Client(t, kube.Open, func(w http.ResponseWriter, _ *http.Request) {
			at := time.Now().Add(-c.ago)
			if read++; read > 1 && c.back {
				at = time.Now()
			}
			kubetest.Say(w, http.StatusOK, fmt.Sprintf(`{"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":"x","namespace":"drainboard"},"spec":{"holderIdentity":%q,"leaseDurationSeconds":15,"renewTime":%q}}`,
				c.holder, at.UTC().Format("2006-01-02T15:04:05.000000Z")))
		})
		var awaited []string
		d, err := AwaitDriver(t.Context(), client, "drainboard", "ng-web", func(d Driver) { awaited = append(awaited, d.Late) })
		if err != nil || d.Holder != c.says || d.Heard.IsZero() || strings.Join(awaited, "; ") != c.awaits {
			t.Errorf("%q renewed %s ago: driven by %q, last heard %s, awaited %q, %v", c.holder, c.ago, d.Holder, d.Heard, awaited, err)
		}
	}
}
