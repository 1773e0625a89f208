package kopsorder

import (
	"fmt"
	"time"
)

// Rule is one constraint of the partial order.
type Rule struct {
	Name string
	// Says is the constraint in a sentence.
	Says string
	// Source is where kops does so: files and lines at commit 0598fb7d of
	// kubernetes/kops. ig is pkg/instancegroups/instancegroups.go, ru
	// pkg/instancegroups/rollingupdate.go, aws upup/pkg/fi/cloudup/awsup/aws_cloud.go.
	Source string

	each func(groupRoll) string // what breaks it in a group, "" for nothing
	all  func(roll) string      // the same for all groups together
}

// Rules is the order.
var Rules = []Rule{
	{
		Name:   "roles in turn",
		Says:   "All of the bastions' steps come before the control plane's, those before the API servers', and those before the nodes'.",
		Source: "ru:138-226 RollingUpdate",
		all:    rolesInTurn,
	},
	{
		Name:   "groups in turn",
		Says:   "Groups of one role other than bastions go one after the other, by name.",
		Source: "ru:175,190,215 RollingUpdate, ru:240-247 sortGroups",
		all:    groupsInTurn,
	},
	{
		Name:   "validated first",
		Says:   "Nothing is done to a group, other than of bastions, before the cluster has validated once.",
		Source: "ig:141-145 rollingUpdateInstanceGroup",
		each:   validatedFirst,
	},
	{
		Name:   "all tainted first",
		Says:   "Every node that will go is tainted before the first machine is detached or the first node cordoned.",
		Source: "ig:147-152 rollingUpdateInstanceGroup, ig:344-375 taintAllNeedUpdate",
		each:   allTaintedFirst,
	},
	{
		Name:   "surge first",
		Says:   "No machine is detached after the first node has been cordoned.",
		Source: "ig:205-235,244 rollingUpdateInstanceGroup",
		each:   surgeFirst,
	},
	{
		Name:   "surge no more",
		Says:   "No more than maxSurge machines are detached.",
		Source: "ig:174-176,207 rollingUpdateInstanceGroup",
		each:   surgeNoMore,
	},
	{
		Name:   "control plane stays whole",
		Says:   "No machine of the control plane is detached.",
		Source: "ig:185-194 rollingUpdateInstanceGroup",
		each:   controlPlaneStays,
	},
	{
		Name:   "first surge alone",
		Says:   "With no machine of the new specification, the second is detached only after the cluster has validated with the first's replacement.",
		Source: "ig:221-232 rollingUpdateInstanceGroup",
		each:   firstSurgeAlone,
	},
	{
		Name:   "surge validated",
		Says:   "Between the last detached machine and the first cordon the cluster validates.",
		Source: "ig:223-230 rollingUpdateInstanceGroup",
		each:   surgeValidated,
	},
	{
		Name:   "detached last",
		Says:   "No detached machine's node is cordoned before all attached ones' have been, but for those that begin with it, between the same validations.",
		Source: "ig:203,244-297 rollingUpdateInstanceGroup, ig:317-334 prioritizeUpdate",
		each:   detachedLast,
	},
	{
		Name:   "first alone",
		Says:   "With no machine of the new specification and no surge, the second node is cordoned only after the first has ended and the cluster has validated.",
		Source: "ig:250-265 rollingUpdateInstanceGroup",
		each:   firstAlone,
	},
	{
		Name:   "no more at once",
		Says:   "At most maxSurge + maxUnavailable nodes are between their cordon and the validation after their end.",
		Source: "ig:178,244-297 rollingUpdateInstanceGroup",
		each:   noMoreAtOnce,
	},
	{
		Name:   "cordoned, then out of load balancers",
		Says:   "A node leaves its load balancers after its cordon.",
		Source: "ig:696,723 drainNode",
		each:   eachNode(cordoned, deregistered),
	},
	{
		Name:   "cordoned, then evicted",
		Says:   "No pod is evicted from a node before its cordon.",
		Source: "ig:696,730 drainNode",
		each:   eachNode(cordoned, evicted),
	},
	{
		Name:   "out of load balancers, then evicted",
		Says:   "No pod is evicted from a node that has yet to leave its load balancers; where a group has some, every node leaves them.",
		Source: "ig:722-730 drainNode",
		each:   outThenEvicted,
	},
	{
		Name:   "evicted, then drained",
		Says:   "No pod is evicted from a node after its drain is over.",
		Source: "ig:730,742 drainNode",
		each:   eachNode(evicted, drained),
	},
	{
		Name:   "drained, then ended",
		Says:   "Only a machine whose node was cordoned and drained is ended, and nothing is done to it after that; bastions have no nodes.",
		Source: "ig:447-464,480 drainTerminateAndWait",
		each:   drainedThenEnded,
	},
	{
		Name:   "post-drain delay",
		Says:   "Between the end of a node's drain and its machine's end lies the post-drain delay.",
		Source: "ig:737-740 drainNode",
		each:   postDrainDelay,
	},
	{
		Name:   "ended once",
		Says:   "No machine is ended or detached twice.",
		Source: "ig:244-247 rollingUpdateInstanceGroup, aws:662-664 DetachInstance",
		each:   endedOnce,
	},
	{
		Name:   "interval",
		Says:   "Between a machine's end and the next validation lies the interval; between a detached machine and the validation that waits for it, too.",
		Source: "ig:490-492 drainTerminateAndWait, ig:224-228 rollingUpdateInstanceGroup",
		each:   interval,
	},
	{
		Name:   "validated in a row",
		Says:   "That validation takes as many looks as validate-count says, with the success interval between them.",
		Source: "ig:562-570 validateClusterWithTimeout",
		each:   inARow,
	},
	{
		Name:   "validated last",
		Says:   "A group is over only after the cluster has validated after its last machine's end.",
		Source: "ig:299-312 rollingUpdateInstanceGroup",
		each:   validatedLast,
	},
	{
		Name:   "none left",
		Says:   "Every machine that was tainted for it or detached is ended.",
		Source: "ig:244-247 rollingUpdateInstanceGroup",
		each:   noneLeft,
	},
}

// Broken is a constraint that a roll does not fit.
type Broken struct {
	Rule  Rule
	Group string // "" where several are meant
	Why   string
}

func (b Broken) String() string {
	return fmt.Sprintf("%s: %s: %s\n\t%s\n\tkops: %s", b.Rule.Name, b.Group, b.Why, b.Rule.Says, b.Rule.Source)
}

// Check holds events of a roll that came to its end against the rules. Events of several
// processes that drove it one after the other are given in their order.
func Check(events []Event, groups []Group) []Broken { return check(steps(events), groups) }

func check(s []step, groups []Group) (out []Broken) {
	r := newRoll(number(s), groups)
	for _, rule := range Rules {
		if rule.all != nil {
			if why := rule.all(r); why != "" {
				out = append(out, Broken{rule, "", why})
			}
			continue
		}
		for _, g := range r.groups {
			if why := rule.each(g); why != "" {
				out = append(out, Broken{rule, g.Name, why})
			}
		}
	}
	return out
}

// follows says what is wrong if not all steps of one group come before those of another.
func follows(a, b groupRoll) string {
	if len(a.steps) == 0 || len(b.steps) == 0 {
		return ""
	}
	if last, first := a.steps[len(a.steps)-1], b.steps[0]; last.place > first.place {
		return fmt.Sprintf("%s of %s came before %s of %s", first, b.Name, last, a.Name)
	}
	return ""
}

func (s step) String() string { return string(s.kind) + " " + s.node }

func rolesInTurn(r roll) string {
	for i, a := range r.groups {
		for _, b := range r.groups[i+1:] {
			if why := follows(a, b); why != "" && a.Role != b.Role {
				return why
			}
		}
	}
	return ""
}

func groupsInTurn(r roll) string {
	for i, a := range r.groups {
		for _, b := range r.groups[i+1:] {
			if why := follows(a, b); why != "" && a.Role == b.Role && a.Role != Bastion {
				return why
			}
		}
	}
	return ""
}

func validatedFirst(g groupRoll) string {
	if g.Role != Bastion && len(g.steps) > 0 && g.steps[0].kind != validated {
		return "the first step is " + g.steps[0].String()
	}
	return ""
}

func allTaintedFirst(g groupRoll) string {
	if g.Role == Bastion {
		return ""
	}
	for _, s := range append(g.of(detached), g.begun()...) {
		for _, other := range append(g.of(detached), g.begun()...) {
			taints := g.node(tainted, other.node)
			if len(taints) == 0 || taints[0].place > s.place {
				return fmt.Sprintf("%s came before %s was tainted", s, other.node)
			}
		}
	}
	return ""
}

func surgeFirst(g groupRoll) string {
	begun := g.begun()
	for _, d := range g.of(detached) {
		if len(begun) > 0 && d.place > begun[0].place {
			return fmt.Sprintf("%s came after %s", d, begun[0])
		}
	}
	return ""
}

func surgeNoMore(g groupRoll) string {
	if n := len(g.of(detached)); n > g.Surge {
		return fmt.Sprintf("%d were detached, maxSurge is %d", n, g.Surge)
	}
	return ""
}

func controlPlaneStays(g groupRoll) string {
	if d := g.of(detached); g.Role == ControlPlane && len(d) > 0 {
		return d[0].String()
	}
	return ""
}

func firstSurgeAlone(g groupRoll) string {
	d := g.of(detached)
	if !g.Proven && len(d) > 1 && !g.validatedBetween(d[0], d[1]) {
		return fmt.Sprintf("no validation between %s and %s", d[0], d[1])
	}
	return ""
}

func surgeValidated(g groupRoll) string {
	d, begun := g.of(detached), g.begun()
	if len(d) > 0 && len(begun) > 0 && !g.validatedBetween(d[len(d)-1], begun[0]) {
		return fmt.Sprintf("no validation between %s and %s", d[len(d)-1], begun[0])
	}
	return ""
}

func detachedLast(g groupRoll) string {
	var first step
	for _, s := range g.begun() {
		switch out := g.isDetached(s.node, s); {
		case out && first.kind == "":
			first = s
		case !out && first.kind != "" && g.validatedBetween(first, s):
			return fmt.Sprintf("%s, which is detached, came before %s", first, s)
		}
	}
	return ""
}

func firstAlone(g groupRoll) string {
	begun := g.begun()
	if g.Proven || len(g.of(detached)) > 0 || len(begun) < 2 {
		return ""
	}
	ends := g.node(terminated, begun[0].node)
	if len(ends) == 0 || !g.validatedBetween(ends[0], begun[1]) {
		return fmt.Sprintf("%s came before %s was replaced", begun[1], begun[0].node)
	}
	return ""
}

func noMoreAtOnce(g groupRoll) string {
	begun := g.begun()
	for i, s := range begun {
		out := 1
		for _, before := range begun[:i] {
			ends := g.node(terminated, before.node)
			if len(ends) == 0 || !g.validatedBetween(ends[0], s) {
				out++
			}
		}
		if out > g.limit() {
			return fmt.Sprintf("%s is number %d at once, and %d may be", s, out, g.limit())
		}
	}
	return ""
}

// eachNode wants no step of kind a with a node after one of kind b, and none of b without
// one of a where a node has to have it.
func eachNode(a, b kind) func(groupRoll) string {
	return func(g groupRoll) string {
		for _, s := range g.of(b) {
			had := g.node(a, s.node)
			if len(had) > 0 && had[len(had)-1].place > s.place || len(had) == 0 && a == cordoned {
				return fmt.Sprintf("%s, and not before it %s", s, a)
			}
		}
		return ""
	}
}

func outThenEvicted(g groupRoll) string {
	for _, s := range append(g.of(evicted), g.of(drained)...) {
		had := g.node(deregistered, s.node)
		if len(had) > 0 && had[0].place > s.place || len(had) == 0 && g.Balanced {
			return s.String() + " before it has left the load balancers"
		}
	}
	return ""
}

func drainedThenEnded(g groupRoll) string {
	for _, end := range g.of(terminated) {
		for _, k := range []kind{cordoned, drained} {
			had := g.node(k, end.node)
			if len(had) == 0 && g.Role != Bastion || len(had) > 0 && had[len(had)-1].place > end.place {
				return fmt.Sprintf("%s, and not before it %s", end, k)
			}
		}
		for _, s := range g.steps {
			if s.node == end.node && s.place > end.place && s.kind != terminated {
				return fmt.Sprintf("%s after its end", s)
			}
		}
	}
	return ""
}

func postDrainDelay(g groupRoll) string {
	for _, end := range g.of(terminated) {
		if had := g.node(drained, end.node); len(had) > 0 && end.at.Sub(had[len(had)-1].at) < g.PostDrain {
			return fmt.Sprintf("%s %s after its drain", end, end.at.Sub(had[len(had)-1].at))
		}
	}
	return ""
}

func endedOnce(g groupRoll) string {
	for _, k := range []kind{terminated, detached} {
		for _, s := range g.of(k) {
			if len(g.node(k, s.node)) > 1 {
				return s.String() + " more than once"
			}
		}
	}
	return ""
}

// proofs calls for each validation with the last machine that was ended or detached
// before it, and is to prove well.
func proofs(g groupRoll, wrong func(change, proof step) string) string {
	var last *step
	for i, s := range g.steps {
		switch s.kind {
		case terminated, detached:
			last = &g.steps[i]
		case validated:
			if last != nil {
				if why := wrong(*last, s); why != "" {
					return why
				}
			}
			last = nil
		}
	}
	return ""
}

func interval(g groupRoll) string {
	return proofs(g, func(change, proof step) string { return sooner(change, proof, g.Interval) })
}

func inARow(g groupRoll) string {
	return proofs(g, func(change, proof step) string {
		return sooner(change, proof, g.Interval+time.Duration(g.Looks-1)*g.Pause)
	})
}

func sooner(a, b step, least time.Duration) string {
	if took := b.at.Sub(a.at); took < least {
		return fmt.Sprintf("validated %s after %s, which takes %s at least", took, a, least)
	}
	return ""
}

func validatedLast(g groupRoll) string {
	if ends := g.of(terminated); len(ends) > 0 && g.steps[len(g.steps)-1].kind != validated {
		return "the last step is " + g.steps[len(g.steps)-1].String()
	}
	return ""
}

func noneLeft(g groupRoll) string {
	for _, s := range append(g.of(tainted), g.of(detached)...) {
		if len(g.node(terminated, s.node)) == 0 {
			return s.String() + ", and never ended"
		}
	}
	return ""
}
