package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/ui/uitest"
)

// Of pods that one budget keeps on one node it says the budget and the way out once; each
// pod can be chosen, by key and by mouse, and the budget is said again where the panel
// begins below it.
func TestPodsOfOneBudgetOnANode(t *testing.T) {
	s := uitest.Busy()
	s.Blockers[0].Pod = "shop/checkout-1"
	for i := 2; i <= 9; i++ {
		b := *s.Blockers[0]
		b.Pod, b.UID, b.Tries = fmt.Sprintf("shop/checkout-%d", i), fmt.Sprint("b-", i), i
		s.Blockers = append(s.Blockers, &b)
	}
	ui := sit(t, 120, 36, s, withMouse)
	ui.Expect("1 PDB, 9 pods", "checkout-1 on ip-10-0-1-23  tried 14×", "checkout-3 on ip-10-0-1-23  tried 3×", "+")
	if n := strings.Count(ui.Screen(), "scale checkout to 4"); n != 1 {
		t.Errorf("the way out is said %d times", n)
	}
	ui.Later(time.Second).Click("checkout-3 on").Expect("›   checkout-3 on")
	for range 6 {
		ui.Press("down")
	}
	ui.Expect("›", "checkout-9 on ip-10-0-1-23  tried 9×", "shop/checkout  allows 0").Gone("checkout-1 on")
	ui.Press("enter").Expect("shop/checkout-9", "tries")
}

// What may keep the pods of nodes that EKS may be at is no more than that, in the title and on the line of each pod.
func TestMayBeBlocked(t *testing.T) {
	s := uitest.Busy()
	blocked := *s.Blockers[0]
	blocked.Guess = true
	s.Blockers[0] = &blocked
	sit(t, 120, 36, s).Expect("may be blocked: 1 PDB, 1 pod", "ip-10-0-1-23, which EKS may drain")
}
