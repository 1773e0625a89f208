package text

import (
	"strings"
	"testing"
)

// Ways out that end with a key of the dashboard are read elsewhere as well, where they name no
// key; while nothing can be forced the others of a list stay.
func TestWaysOutWithoutAKey(t *testing.T) {
	loosen := Budget{Expression: "minAvailable 3"}.Loosen("checkout", 4)
	for _, wayOut := range []string{
		GiveConsent, SeeWebhook, NarrowBudgets, SeeMachine, SeeMachineOrPolicy, SeeKubelet, SeeBudgetControl, MakeRoom,
		NarrowTolerations("agent"), loosen,
	} {
		if !strings.Contains(wayOut, " with f") {
			t.Errorf("%q has no key", wayOut)
		}
		for _, got := range []string{ForceWhereDriven(wayOut), ForceInDashboard(wayOut)} {
			if strings.Contains(got, "with f") || !strings.Contains(got, "force") {
				t.Errorf("%q: %q", wayOut, got)
			}
		}
	}
	for wayOut, want := range map[string]string{
		loosen:                     "scale checkout to 4, loosen minAvailable 3",
		NarrowTolerations("agent"): "narrow its tolerations, scale agent to 0",
		SeeMachineOrPolicy:         SeeMachineOrPolicy,
		OpensByItself:              OpensByItself,
	} {
		if got := ForceNotNow(wayOut); got != want {
			t.Errorf("%q: %q, want %q", wayOut, got, want)
		}
	}
	if got := WithoutForce(SeeKubelet); got != "check the node's kubelet, or delete the pod" {
		t.Errorf("%q", got)
	}
}
