package plans

import (
	"fmt"
	"github.com/drainboard/drainboard/engine/text"
	"strings"
	"time"
)

// CloudOnlyWarning is what --cloudonly means.
const CloudOnlyWarning = "no node is drained, the cluster is not validated (--cloudonly): pods end with their instances"

func NotJoinedWarning(machine, zone string) string {
	return machine + " in " + zone + " has not joined the cluster: it will be terminated without a drain"
}

// Late warns of a run that is to be over in left and takes longer.
func Late(left, estimate time.Duration) string {
	return fmt.Sprintf("the run must end in %s and needs about %s: nodes will remain outdated", left.Round(time.Minute), estimate.Round(time.Minute))
}

func FewAddresses(zone string, free, machines int) string {
	return fmt.Sprintf("subnets in %s have %d free addresses for about %s", zone, free, text.Plural(machines, "more instance"))
}

// Rehearsal is how a rehearsed run would end: with which result, why (or ""), after what time,
// with how many nodes replaced, failed and left.
type Rehearsal struct {
	Result, Why            string
	Took                   time.Duration
	Replaced, Failed, Left int
	// Endless: nothing would move any more after Took.
	Endless bool
}

func (r Rehearsal) String() string {
	nodes := text.Plural(r.Replaced, "node") + " replaced"
	if r.Failed > 0 {
		nodes += fmt.Sprintf(", %d failed", r.Failed)
	}
	if r.Left > 0 {
		nodes += fmt.Sprintf(", %d left", r.Left)
	}
	end := fmt.Sprintf("the run would end after %s (%s), with %s", text.Seconds(r.Took), r.Result, nodes)
	if r.Endless {
		end = fmt.Sprintf("the run would not end: nothing moves after %s, with %s", text.Seconds(r.Took), nodes)
	}
	return text.Because(end, strings.TrimPrefix(r.Why, r.Result+": "))
}
