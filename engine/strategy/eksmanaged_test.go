package strategy

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/world"
)

// watched is a managed node group that EKS updates, and the run that follows the update.
type watched struct {
	t   *testing.T
	w   *world.World
	now time.Time
	run record.Run
	// late: the cloud is not read, and no problem is told yet.
	late bool
}

var began = time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)

func watchedUpdate(t *testing.T) *watched {
	x := &watched{t: t, w: world.New(), now: began.Add(time.Minute)}
	x.group(2, world.UpdateRuns)
	for _, name := range []string{"a", "b"} {
		x.node(name, 1, began.Add(-time.Hour), true)
		x.w.SetPod(&world.Pod{UID: "kept-" + name, Namespace: "shop", Name: "checkout-" + name, Node: name, Phase: world.PodRunning, Ready: true, Labels: map[string]string{"app": "checkout"},
			Owner: world.Owner{Kind: "ReplicaSet", Name: "checkout", UID: "o"}})
	}
	x.node("new", 2, began.Add(30*time.Second), false)
	x.w.SetBudget(&world.Budget{Namespace: "shop", Name: "checkout", Expression: "minAvailable 2", Healthy: 2, Desired: 2, Expected: 2, Current: true, Selector: labels.SelectorFromSet(labels.Set{"app": "checkout"})})
	x.run = EKSManaged{}.Followed(x.w, "run", x.now)
	return x
}

func (x *watched) group(version int64, status string, errors ...world.ManagedIssue) {
	x.w.SetGroup(world.Group{Name: "web", Provider: "eks", Template: world.Template{ID: "lt", Version: version}, Sizes: world.Sizes{Max: 4, Desired: 2}, Managed: &world.ManagedGroup{Name: "web", MaxUnavailable: "1",
		Update: &world.ManagedUpdate{ID: "u-1", Kind: world.VersionUpdate, Status: status, Since: began, Errors: errors}}})
}

func (x *watched) node(name string, version int64, joined time.Time, marked bool) {
	var machines []world.Machine
	for _, m := range x.w.Machines() {
		if m.ID != "i-"+name {
			machines = append(machines, *m)
		}
	}
	x.w.SetMachines(append(machines, world.Machine{ID: "i-" + name, Zone: "z", State: world.MachineInService, Template: world.Template{ID: "lt", Version: version}}))
	n := &world.Node{Name: name, Machine: "i-" + name, Zone: "z", Ready: true, Created: joined, Unschedulable: marked, Labels: map[string]string{world.EKSGroupKey: "web"}}
	if marked {
		n.Labels["node.kubernetes.io/exclude-from-external-load-balancers"] = "true"
	}
	x.w.SetNode(n)
}

// after decides once a second for a time, and returns the reasons of what was told.
func (x *watched) after(d time.Duration) (reasons []string) {
	for end := x.now.Add(d); x.now.Before(end); {
		x.now = x.now.Add(time.Second)
		x.w.SetHealth(world.Cluster, world.Health{Fresh: x.now})
		if !x.late {
			x.w.SetHealth(world.Cloud, world.Health{Fresh: x.now})
		}
		out := engine.Decide(EKSManaged{}, x.now, x.w, x.run, engine.Inputs{})
		if len(out.Actions) > 0 {
			x.t.Fatalf("it asks for %+v", out.Actions)
		}
		x.run = out.Run
		for _, e := range out.Events {
			reasons = append(reasons, e.Reason)
		}
	}
	return reasons
}

func (x *watched) stages(a, b record.Stage) {
	x.t.Helper()
	if is := []record.Stage{x.run.Nodes.Get("i-a").Stage, x.run.Nodes.Get("i-b").Stage}; is[0] != a || is[1] != b {
		x.t.Errorf("%v, want %v %v", is, a, b)
	}
}

// A mark alone says nothing of a node: which one EKS is at is known once a pod is evicted from it,
// and what is held there is told.
func TestFollowedByEvictions(t *testing.T) {
	x := watchedUpdate(t)
	x.after(2 * time.Second)
	x.stages(record.Outdated, record.Outdated)
	x.w.SetPod(&world.Pod{UID: "free", Namespace: "shop", Name: "free", Node: "b", Phase: world.PodRunning, Ready: true, Owner: world.Owner{Kind: "ReplicaSet", Name: "free", UID: "f"},
		Ends: x.now.Add(30 * time.Second), Grace: 30 * time.Second})
	x.after(time.Second)
	x.stages(record.Outdated, record.Outdated) // a user deleted it: that is no eviction
	p := *x.w.Pod("free")
	p.Evicted = true
	x.w.SetPod(&p)
	told := x.after(6 * time.Second)
	x.stages(record.Outdated, record.Draining)
	if n := x.run.Nodes.Get("i-b"); n.Wait == nil || !n.Wait.Guess || n.Wait.For != systems.EKSWindowEnds || strings.Contains(n.Wait.Basis, "no eviction") || n.Wait.End.Sub(n.Wait.Start) != 15*time.Minute {
		t.Errorf("%+v", n.Wait)
	}
	if !slices.Contains(told, "budget") || slices.Contains(told, record.ReasonCandidates) {
		t.Errorf("told %q", told)
	}
	x.w.DeletePod("free")
	x.w.DeletePod("kept-b")
	x.after(time.Second)
	x.stages(record.Outdated, record.Settling)
}

// While nothing leaves, all nodes are named that EKS may be at, once, and none counts as draining;
// what EKS says in the end is joined with what was held.
func TestFollowedCandidates(t *testing.T) {
	x := watchedUpdate(t)
	told := x.after(time.Minute)
	x.stages(record.Outdated, record.Outdated)
	count := 0
	for _, reason := range told {
		if reason == record.ReasonCandidates {
			count++
		}
	}
	if !slices.Equal(x.run.Candidates, []string{"a", "b"}) || count != 1 {
		t.Errorf("candidates %q, told %d times", x.run.Candidates, count)
	}
	x.group(2, "Hibernating")
	x.after(time.Minute)
	if x.run.State != record.Running {
		t.Errorf("a status that nobody knows ends it: %s", x.run.Why)
	}
	x.group(2, world.UpdateFailed, world.ManagedIssue{Code: "PodEvictionFailure", Message: "Reached max retries", Resources: []string{"b"}})
	x.after(5 * time.Second)
	if x.run.State != record.Finished || x.run.ExitCode() != 4 || len(x.run.BlockingPods) != 1 {
		t.Errorf("%s %s, %q: %s", x.run.State, x.run.Result, x.run.BlockingPods, x.run.Why)
	}
}

// A node without pods is named for as long as EKS would wait before it terminates it, and then no more.
func TestFollowedEmptyNodeIsNamedOnce(t *testing.T) {
	x := watchedUpdate(t)
	x.node("empty", 1, began.Add(-time.Hour), true)
	for _, name := range []string{"a", "b", "empty"} { // all are marked before the watch begins
		n := *x.w.Node(name)
		n.Tainted = map[string]time.Time{"node.kubernetes.io/unschedulable": began.Add(20 * time.Second)}
		x.w.SetNode(&n)
	}
	g := x.w.Group
	m := *g.Managed
	m.MaxUnavailable, g.Managed = "2", &m
	x.w.SetGroup(g)
	x.w.SetPod(&world.Pod{UID: "free", Namespace: "shop", Name: "free", Node: "b", Phase: world.PodRunning, Ready: true, Owner: world.Owner{Kind: "ReplicaSet", Name: "free", UID: "f"},
		Ends: began.Add(30*time.Second + time.Minute), Grace: time.Minute, Evicted: true})
	x.after(2 * time.Second)
	x.w.DeletePod("free")
	told := x.after(30 * time.Second)
	if !slices.Equal(x.run.Candidates, []string{"a", "empty"}) {
		t.Errorf("candidates %q", x.run.Candidates)
	}
	told = append(told, x.after(2*time.Minute)...)
	told = slices.DeleteFunc(told, func(reason string) bool { return reason != record.ReasonCandidates })
	if !slices.Equal(x.run.Candidates, []string{"a"}) || len(told) != 2 {
		t.Errorf("candidates %q, told %d times", x.run.Candidates, len(told))
	}
}

// EKS picks no node before all are marked: how long nothing was evicted is counted from then, and not from a phase before.
func TestFollowedQuietSinceItsPhase(t *testing.T) {
	x := watchedUpdate(t)
	for _, name := range []string{"a", "b"} {
		x.node(name, 1, began.Add(-time.Hour), false)
	}
	x.after(time.Minute)
	for _, name := range []string{"a", "b"} {
		x.node(name, 1, began.Add(-time.Hour), true)
	}
	if told := x.after(3 * time.Second); len(x.run.Candidates) > 0 || slices.Contains(told, record.ReasonCandidates) {
		t.Errorf("named at once: %q", x.run.Candidates)
	}
	if x.after(3 * time.Second); !slices.Equal(x.run.Candidates, []string{"a", "b"}) {
		t.Errorf("candidates %q", x.run.Candidates)
	}
}

// With the nodes that EKS may be at it is told by when it deletes their pods or fails, as estimates with their basis.
func TestFollowedCandidatesHaveADeadline(t *testing.T) {
	x := watchedUpdate(t)
	message := ""
	for range 10 {
		x.now = x.now.Add(time.Second)
		for _, source := range []world.Source{world.Cluster, world.Cloud} {
			x.w.SetHealth(source, world.Health{Fresh: x.now})
		}
		out := engine.Decide(EKSManaged{}, x.now, x.w, x.run, engine.Inputs{})
		x.run = out.Run
		for _, e := range out.Events {
			if e.Reason == record.ReasonCandidates {
				message = e.Message
			}
		}
	}
	if want := regexp.MustCompile(`estimated: with --force their pods are deleted in 14m5\ds \(15 minutes, user guide\), else the update fails in 44m5\ds \(45 minutes, reports\)$`); !want.MatchString(message) {
		t.Error(message)
	}
}

// With maxUnavailable 2 EKS may be at another node beside the one that is seen to drain: it is named, as one
// that may be drained and no more. Where EKS's error names no node, what is held on both is told.
func TestFollowedMayDrainMore(t *testing.T) {
	x := watchedUpdate(t)
	atOnce := func(most string) {
		g := x.w.Group
		m := *g.Managed
		m.MaxUnavailable, g.Managed = most, &m
		x.w.SetGroup(g)
	}
	atOnce("2")
	x.w.SetPod(&world.Pod{UID: "free", Namespace: "shop", Name: "free", Node: "b", Phase: world.PodRunning, Ready: true, Owner: world.Owner{Kind: "ReplicaSet", Name: "free", UID: "f"},
		Ends: x.now.Add(30 * time.Second), Grace: 30 * time.Second, Evicted: true})
	if told := x.after(20 * time.Second); slices.Contains(told, record.ReasonCandidates) || len(x.run.Candidates) > 0 {
		t.Errorf("named while a pod goes: %q", x.run.Candidates)
	}
	x.w.DeletePod("free")
	told := x.after(5 * time.Second)
	x.stages(record.Outdated, record.Draining)
	if !slices.Equal(x.run.Candidates, []string{"a"}) || x.run.MoreDrains != 1 || !slices.Contains(told, record.ReasonCandidates) {
		t.Fatalf("%q, %d more, told %q", x.run.Candidates, x.run.MoreDrains, told)
	}
	if reason := x.run.Nodes.Get("i-a").Reason; reason != systems.EKSCandidateMore(1, 1) {
		t.Error(reason)
	}
	atOnce("1")
	x.after(2 * time.Second)
	if len(x.run.Candidates) > 0 || x.run.MoreDrains != 0 {
		t.Errorf("more than EKS takes at once: %q", x.run.Candidates)
	}
	atOnce("2")
	x.after(2 * time.Second)
	x.group(2, world.UpdateFailed, world.ManagedIssue{Code: "PodEvictionFailure", Message: "so"})
	x.after(2 * time.Second)
	if len(x.run.BlockingPods) != 2 || len(x.run.Candidates) > 0 || x.run.MoreDrains != 0 {
		t.Errorf("%q, %q, %d more", x.run.BlockingPods, x.run.Candidates, x.run.MoreDrains)
	}
}

// EKS picks as many nodes at once as it may: while pods go from one of them, the other one is named soon, as its PDB is
// closed since before. Where it has closed since, or another node was through since, it is not.
func TestFollowedMayDrainMoreMeanwhile(t *testing.T) {
	for name, c := range map[string]struct {
		closed time.Duration // since the drain began
		gone   bool
		named  bool
	}{"closed before": {-time.Minute, false, true}, "closed since": {time.Second, false, false}, "another one was through": {-time.Minute, true, false}} {
		t.Run(name, func(t *testing.T) {
			x := watchedUpdate(t)
			g := x.w.Group
			m := *g.Managed
			m.MaxUnavailable, g.Managed = "2", &m
			x.w.SetGroup(g)
			x.after(2 * time.Second)
			x.w.SetPod(&world.Pod{UID: "free", Namespace: "shop", Name: "free", Node: "b", Phase: world.PodRunning, Ready: true, Owner: world.Owner{Kind: "ReplicaSet", Name: "free", UID: "f"},
				Ends: x.now.Add(5 * time.Minute), Grace: 5 * time.Minute, Evicted: true})
			budget := *x.w.Budget("shop/checkout")
			budget.Since = x.now.Add(c.closed)
			x.w.SetBudget(&budget)
			if c.gone {
				x.after(2 * time.Second)
				x.ends("i-gone", world.EndRequested)
			}
			told := x.after(5 * time.Second)
			if named := slices.Equal(x.run.Candidates, []string{"a"}) && x.run.MoreDrains == 1 && slices.Contains(told, record.ReasonCandidates); named != c.named {
				t.Errorf("%q, %d more, told %q", x.run.Candidates, x.run.MoreDrains, told)
			}
		})
	}
}

// While nothing goes from a node that EKS drains, no time is estimated by what it replaced before.
func TestFollowedTimeLeft(t *testing.T) {
	x := watchedUpdate(t)
	x.w.SetPod(&world.Pod{UID: "free", Namespace: "shop", Name: "free", Node: "b", Phase: world.PodRunning, Ready: true, Owner: world.Owner{Kind: "ReplicaSet", Name: "free", UID: "f"},
		Ends: x.now.Add(30 * time.Second), Grace: 30 * time.Second, Evicted: true})
	g := x.w.Group
	g.Activities = []world.Activity{{ID: "1", At: began.Add(time.Second), Ends: "i-before", Zone: "z", Why: world.EndRequested}}
	x.w.SetGroup(g)
	x.after(4 * time.Second)
	left := func() time.Duration {
		return snapshot.View(EKSManaged{}, x.now, x.w, x.run, snapshot.Look{}, nil).TimeLeft
	}
	if left() == 0 {
		t.Error("no time is estimated while a pod goes")
	}
	x.w.DeletePod("free")
	x.after(time.Second)
	if got := left(); got != 0 {
		t.Errorf("%s left, and a PDB keeps all pods", got)
	}
}

// A percentage is one of the size before EKS raised it: of 2 nodes, and not of 4.
func TestFollowedPercentage(t *testing.T) {
	x := watchedUpdate(t)
	g := x.w.Group
	m := *g.Managed
	m.MaxUnavailable, g.Managed, g.Sizes.Desired = "50%", &m, 4
	g.Activities = []world.Activity{{ID: "1", At: began.Add(time.Second), Launches: "i-new"}, {ID: "2", At: began.Add(time.Second), Launches: "i-other"}}
	x.w.SetGroup(g)
	x.node("other", 2, began.Add(40*time.Second), false)
	if limit := (EKSManaged{}).Limit(x.w, &x.run); limit != 1 {
		t.Errorf("%d at once", limit)
	}
	m.Minimal = true // nothing is raised
	x.w.SetGroup(g)
	if limit := (EKSManaged{}).Limit(x.w, &x.run); limit != 2 {
		t.Errorf("MINIMAL: %d at once", limit)
	}
}

// The table of what an operator can do says no to every command but force, which takes a consent that a watch does not
// have. Each is refused in the table's words: the run and EKS continue as they were.
func TestFollowedTakesNoCommand(t *testing.T) {
	page, err := os.ReadFile("../../docs/providers/eks-managed.md")
	if err != nil {
		t.Fatal(err)
	}
	_, offers, _ := strings.Cut(string(page), "## What EKS does not offer")
	table := map[record.CommandKind]string{}
	for _, a := range (EKSManaged{}).Abilities() {
		if (a.Answer != record.No) != (a.Kind == record.CmdForce) || a.How == "" {
			t.Errorf("%s: %s %q", a.Kind, a.Answer, a.How)
		}
		table[a.Kind] = a.How
		if !regexp.MustCompile(`(?m)^\|[^|]*\b` + string(a.Kind) + `\b[^|]*\| (no|random|only) ?`).MatchString(offers) {
			t.Errorf("docs/providers/eks-managed.md does not say no to %s", a.Kind)
		}
	}
	for _, kind := range []record.CommandKind{record.CmdApprove, record.CmdPause, record.CmdResume, record.CmdForce, record.CmdSkip, record.CmdReturn, record.CmdExtend, record.CmdMaxUnavailable, record.CmdAbort} {
		x := watchedUpdate(t)
		x.after(10 * time.Second)
		out := engine.Decide(EKSManaged{}, x.now, x.w, x.run, engine.Inputs{Commands: []record.Command{{Kind: kind, By: "ana", At: x.now, Node: "a"}}})
		refused := slices.ContainsFunc(out.Events, func(e record.Event) bool {
			return e.Reason == "refused" && table[kind] != "" && strings.Contains(e.Message, table[kind])
		})
		if !refused || len(out.Actions) > 0 || out.Run.State != record.Running || out.Run.Nodes.Get("i-a").Stage != record.Outdated {
			t.Errorf("%s: %+v, %+v, %s", kind, out.Events, out.Actions, out.Run.State)
		}
	}
}

// EKS's error names a node, its instance, or nothing: what was held there is told all the same.
func TestFollowedErrorIsJoined(t *testing.T) {
	for name, c := range map[string]struct {
		resources []string
		held      int
	}{"the node": {[]string{"b"}, 1}, "its instance": {[]string{"i-b"}, 1}, "nothing": {nil, 2}, "one that is gone": {[]string{"i-gone"}, 0}} {
		x := watchedUpdate(t)
		x.after(time.Minute)
		x.group(2, world.UpdateFailed, world.ManagedIssue{Code: "PodEvictionFailure", Message: "so", Resources: c.resources})
		x.after(2 * time.Second)
		if len(x.run.BlockingPods) != c.held || strings.Contains(x.run.Why, "held there: ") != (c.held > 0) || len(x.run.Candidates) > 0 {
			t.Errorf("%s: %q %q: %s", name, x.run.BlockingPods, x.run.Candidates, x.run.Why)
		}
	}
}

// Where one node is left it is that one.
func TestFollowedSoleCandidate(t *testing.T) {
	x := watchedUpdate(t)
	x.w.SetMachines([]world.Machine{*x.w.Machine("i-a"), *x.w.Machine("i-new")})
	x.w.DeleteNode("b")
	x.after(time.Minute + 10*time.Second)
	x.group(2, world.UpdateFailed)
	defer func() {
		x.after(5 * time.Second)
		if x.run.State != record.Finished || len(x.run.Notes) > 0 {
			t.Errorf("%s: %q", x.run.State, x.run.Notes)
		}
	}()
	if n := x.run.Nodes.Get("i-a"); n.Stage != record.Draining || !strings.HasPrefix(n.Reason, "probably drained by EKS") || !strings.HasSuffix(n.Wait.Basis, "no eviction was seen") {
		t.Errorf("%+v %+v", n, n.Wait)
	}
}

// What was inferred of a node lasts no longer than what it rests on: here the PDB opens.
func TestFollowedGuessIsTakenBack(t *testing.T) {
	x := watchedUpdate(t)
	x.w.SetMachines([]world.Machine{*x.w.Machine("i-a"), *x.w.Machine("i-new")})
	x.w.DeleteNode("b")
	x.after(time.Minute + 10*time.Second)
	if stage := x.run.Nodes.Get("i-a").Stage; stage != record.Draining {
		t.Fatalf("it is told as %s", stage)
	}
	b := *x.w.Budget("shop/checkout")
	b.Allowed, b.Desired, b.Since = 1, 1, x.now.Add(-time.Hour)
	x.w.SetBudget(&b)
	x.after(3 * time.Second)
	if stage := x.run.Nodes.Get("i-a").Stage; stage != record.Outdated {
		t.Errorf("it is still told as %s", stage)
	}
}

// The PDB of one node opens, and no pod leaves it: EKS is at the other one. While the update is not read that
// does not follow: it may be over.
func TestFollowedUnread(t *testing.T) {
	for name, c := range map[string]struct {
		unread string // EKS's updates are not
		late   bool   // nothing is read of the cloud
		at     []string
	}{
		"read":               {at: []string{"a"}},
		"updates not read":   {unread: "ThrottlingException", at: []string{"a", "b"}},
		"the cloud not read": {late: true, at: []string{"a", "b"}},
	} {
		x := watchedUpdate(t)
		other := *x.w.Pod("kept-b")
		other.Labels = map[string]string{"app": "other"}
		x.w.SetPod(&other)
		b := *x.w.Budget("shop/checkout")
		b.Name, b.Selector = "other", labels.SelectorFromSet(other.Labels)
		x.w.SetBudget(&b)
		x.after(10 * time.Second)
		if !slices.Equal(x.run.Candidates, []string{"a", "b"}) {
			t.Fatalf("EKS may be at %q", x.run.Candidates)
		}
		g := x.w.Group
		m := *g.Managed
		m.UpdatesUnread = c.unread
		g.Managed = &m
		x.w.SetGroup(g)
		b.Allowed, b.Healthy, b.Since = 1, 3, x.now
		x.w.SetBudget(&b)
		x.late = c.late
		x.after(20 * time.Second)
		if !slices.Equal(x.run.Candidates, c.at) {
			t.Errorf("%s: EKS may be at %q, not %q", name, x.run.Candidates, c.at)
		}
	}
}

// An update that has succeeded is at no node any more, also while the last ones are still seen.
func TestFollowedCandidatesEnd(t *testing.T) {
	x := watchedUpdate(t)
	x.after(10 * time.Second)
	if len(x.run.Candidates) != 2 {
		t.Fatalf("EKS may be at %q", x.run.Candidates)
	}
	x.group(2, world.UpdateSucceeded)
	x.after(2 * time.Second)
	if x.run.State == record.Finished || len(x.run.Candidates) > 0 {
		t.Errorf("%s, EKS may be at %q", x.run.State, x.run.Candidates)
	}
}

// Each of EKS's errors has the exit code of a run that fails so.
func TestFollowedErrors(t *testing.T) {
	for code, want := range map[string]int{"PodEvictionFailure": 4, "NodeCreationFailure": 5, "AccessDenied": 1, "": 1} {
		x := watchedUpdate(t)
		x.after(time.Second)
		var errors []world.ManagedIssue
		if code != "" {
			errors = append(errors, world.ManagedIssue{Code: code, Message: "so"})
		}
		x.group(2, world.UpdateFailed, errors...)
		x.after(5 * time.Second)
		if x.run.State != record.Finished || x.run.ExitCode() != want {
			t.Errorf("%q: %s, exit code %d, want %d", code, x.run.State, x.run.ExitCode(), want)
		}
	}
}

// An update that failed while nothing was seen failed in the phase that shows now, not in the last
// one that was seen.
func TestFollowedFailedLater(t *testing.T) {
	x := watchedUpdate(t)
	x.after(time.Second)
	x.w.DeleteNode("a")
	x.w.DeleteNode("b")
	x.w.SetMachines(nil)
	x.node("c", 2, began.Add(2*time.Minute), false)
	x.group(2, world.UpdateFailed, world.ManagedIssue{Code: "PodEvictionFailure", Message: "so"})
	x.after(5 * time.Second)
	if x.run.ExitCode() != 4 || x.run.Phases[3].Start.IsZero() {
		t.Errorf("%s %s %+v", x.run.State, x.run.Result, x.run.Phases)
	}
}

// It succeeds when EKS says so and the nodes are gone; those that EKS left are named, and another
// update is not taken for this one.
func TestFollowedToItsEnd(t *testing.T) {
	x := watchedUpdate(t)
	x.after(time.Second)
	x.group(2, world.UpdateSucceeded)
	x.after(10 * time.Second)
	if x.run.State != record.Running {
		t.Errorf("old nodes are still listed: %s", x.run.State)
	}
	x.after(time.Minute)
	if x.run.ExitCode() != 8 || len(x.run.Notes) == 0 {
		t.Errorf("%s %q", x.run.Result, x.run.Notes)
	}
	x = watchedUpdate(t)
	x.after(time.Second)
	x.w.DeleteNode("a")
	x.w.DeleteNode("b")
	x.w.SetMachines(nil)
	x.node("c", 2, began.Add(2*time.Minute), false)
	x.after(time.Minute)
	x.group(2, world.UpdateSucceeded)
	x.after(5 * time.Second)
	if x.run.State != record.Finished || x.run.ExitCode() != 0 || x.run.Phases[3].Start.IsZero() {
		t.Errorf("%s %s %+v", x.run.State, x.run.Result, x.run.Phases)
	}
	x = watchedUpdate(t)
	x.run.Update = "u-0"
	x.after(5 * time.Second)
	if x.run.ExitCode() != 1 {
		t.Errorf("%s %s", x.run.State, x.run.Result)
	}
}

// A MINIMAL update that is seen to be under way and then to have succeeded was in its upgrade meanwhile.
func TestFollowedMinimalToItsEnd(t *testing.T) {
	x := watchedUpdate(t)
	minimal := func(version int64, status string) {
		x.group(version, status)
		x.w.Group.Managed.Minimal = true
	}
	x.w.SetMachines(nil)
	x.w.DeleteNode("new")
	for _, name := range []string{"a", "b"} {
		x.node(name, 1, began.Add(-time.Hour), false)
	}
	minimal(1, world.UpdateRuns) // its launch template is still to come
	x.after(time.Second)
	if phase := x.run.Phases[2]; phase.Name != "upgrade" || !phase.Start.IsZero() {
		t.Fatalf("%+v", x.run.Phases)
	}
	x.w.DeleteNode("a")
	x.w.DeleteNode("b")
	x.w.SetMachines(nil)
	x.node("c", 2, began.Add(2*time.Minute), false)
	minimal(2, world.UpdateSucceeded)
	x.after(time.Minute)
	if phase := x.run.Phases[2]; x.run.ExitCode() != 0 || phase.Start.IsZero() || phase.End.IsZero() {
		t.Errorf("%s %s %+v", x.run.State, x.run.Result, x.run.Phases)
	}
}

// What an update was through with does not begin once more when the update configuration that it had is restored.
func TestFollowedPastItsConfiguration(t *testing.T) {
	for name, minimal := range map[string]bool{"DEFAULT": false, "MINIMAL": true} {
		x := watchedUpdate(t)
		x.group(2, world.UpdateSucceeded)
		x.w.Group.Managed.Minimal = minimal
		x.after(time.Second)
		before := slices.Clone(x.run.Phases)
		if x.run.State != record.Running || before[2].Start.IsZero() == minimal || before[3].Start.IsZero() != minimal {
			t.Fatalf("%s: %s %+v", name, x.run.State, before)
		}
		x.run.UpdateConfig = &record.HeldConfig{Restoring: true}
		x.group(2, world.UpdateSucceeded)
		x.w.Group.Managed.Minimal = !minimal
		x.after(time.Second)
		if !slices.Equal(x.run.Phases, before) {
			t.Errorf("%s: phases are %+v, they were %+v", name, x.run.Phases, before)
		}
	}
}

// Another update has begun before the end of the one that is followed was read: how that ended is
// known all the same, and its new nodes count as new though the next update replaces them. An update
// of the configuration is none of nodes.
func TestFollowedByAnother(t *testing.T) {
	for status, want := range map[string]int{world.UpdateSucceeded: 0, world.UpdateFailed: 4, world.UpdateCancelled: 1} {
		x := watchedUpdate(t)
		x.after(time.Second)
		x.w.DeleteNode("a")
		x.w.DeleteNode("b")
		x.w.SetMachines(nil)
		x.node("c", 2, began.Add(2*time.Minute), false)
		x.group(3, world.UpdateRuns)
		g := x.w.Group
		m := *g.Managed
		first := *m.Update
		first.Status = status
		if status == world.UpdateFailed {
			first.Errors = []world.ManagedIssue{{Code: "PodEvictionFailure", Message: "so"}}
		}
		m.Update = &world.ManagedUpdate{ID: "u-2", Kind: world.VersionUpdate, Status: world.UpdateRuns, Since: began.Add(time.Hour)}
		m.Earlier = []world.ManagedUpdate{{ID: "u-0", Status: world.UpdateFailed}, first}
		m.Configured = &world.ManagedUpdate{ID: "c-1", Kind: "ConfigUpdate", Status: world.UpdateSucceeded, Since: began.Add(50 * time.Minute)}
		g.Managed = &m
		x.w.SetGroup(g)
		for range 5 {
			if x.run.State == record.Running {
				x.after(time.Second)
			}
		}
		if n := x.run.Nodes.Get("i-c"); x.run.State == record.Running || x.run.ExitCode() != want || !n.New {
			t.Errorf("%s: %s, exit code %d, %s; new %v %s", status, x.run.State, x.run.ExitCode(), x.run.Why, n.New, n.Stage)
		}
	}
}

// A node that an update which failed has brought has what this one goes to: it is none to replace.
func TestFollowedRetry(t *testing.T) {
	x := watchedUpdate(t)
	x.w.Group.Image = "ami-new"
	x.node("kept", 1, began.Add(-time.Minute), false)
	n := *x.w.Node("kept")
	n.Labels = map[string]string{world.EKSGroupKey: "web", "eks.amazonaws.com/nodegroup-image": "ami-new"}
	x.w.SetNode(&n)
	x.after(2 * time.Second)
	if got := x.run.Nodes.Get("i-kept"); !got.New || got.Stage != record.Ready {
		t.Errorf("%s, new %v", got.Stage, got.New)
	}
	n.Labels = map[string]string{world.EKSGroupKey: "web", "eks.amazonaws.com/nodegroup-image": "ami-new", "eks.amazonaws.com/sourceLaunchTemplateVersion": "3"}
	x.w.SetNode(&n)
	x.after(2 * time.Second)
	if got := x.run.Nodes.Get("i-kept"); got.New || got.Stage != record.Outdated {
		t.Errorf("of another version of the user's template: %s, new %v", got.Stage, got.New)
	}
}

// A plan to another AMI leaves the nodes out that have it already.
func TestPlannedAMI(t *testing.T) {
	x := watchedUpdate(t)
	g := x.w.Group
	g.Image = "ami-old"
	x.w.SetGroup(g)
	for name, image := range map[string]string{"a": "ami-old", "b": "ami-new"} {
		n := *x.w.Node(name)
		n.Labels = map[string]string{world.EKSGroupKey: "web", "eks.amazonaws.com/nodegroup-image": image}
		x.w.SetNode(&n)
	}
	run := assess.NewRun(EKS{}, "run", 0, x.w, EKS{}.Defaults(), record.Target{Image: "ami-new"})
	r := assess.NewReader(EKS{}, x.now, x.w, run)
	if r.UpToDate(x.w.Machine("i-a")) || !r.UpToDate(x.w.Machine("i-b")) {
		t.Errorf("up to date: a %v, b %v", r.UpToDate(x.w.Machine("i-a")), r.UpToDate(x.w.Machine("i-b")))
	}
}

// A user deletes a pod of a marked node: that is no sign that EKS drains it.
func TestFollowedIsNotADelete(t *testing.T) {
	x := watchedUpdate(t)
	x.w.SetPod(&world.Pod{UID: "free", Namespace: "shop", Name: "free", Node: "b", Phase: world.PodRunning, Ready: true, Owner: world.Owner{Kind: "ReplicaSet", Name: "free", UID: "f"}})
	x.after(time.Second)
	x.w.DeletePod("free")
	x.after(2 * time.Second)
	x.stages(record.Outdated, record.Outdated)
}

// ends adds the activity of a machine's end.
func (x *watched) ends(id string, why world.EndCause) {
	g := x.w.Group
	g.Activities = append([]world.Activity{{ID: "a-" + id, At: x.now, Ends: id, Zone: "z", Why: why}}, g.Activities...)
	x.w.SetGroup(g)
}

// leaves lets a machine end.
func (x *watched) leaves(id string) {
	var machines []world.Machine
	for _, m := range x.w.Machines() {
		is := *m
		if is.ID == id {
			is.State = world.MachineTerminating
		}
		machines = append(machines, is)
	}
	x.w.SetMachines(machines)
}

// A machine that others end is told as theirs, once; one that EKS ends is not.
func TestFollowedEndsByOthers(t *testing.T) {
	for why, others := range map[world.EndCause]string{
		world.EndRequested: "", world.EndRebalance: "by AZRebalance", world.EndShrinks: "as the Cluster Autoscaler does", world.EndScaledIn: "desired size was lowered",
		world.EndUnhealthy: "as unhealthy", world.EndOther: "not by EKS's update",
	} {
		x := watchedUpdate(t)
		x.after(2 * time.Second)
		x.ends("i-a", why)
		x.leaves("i-a")
		x.after(5 * time.Second)
		n := x.run.Nodes.Get("i-a")
		if n.Stage != record.Terminating || !strings.Contains(n.Reason, others) || strings.Contains(n.Reason, "not by") && others == "" {
			t.Errorf("%s: %s because %q", why, n.Stage, n.Reason)
		}
		if told := strings.Join(x.run.Notes, "\n"); (others != "") != (len(x.run.Notes) == 1 && strings.HasPrefix(told, "a: ") && strings.Contains(told, others)) {
			t.Errorf("%s: %q", why, x.run.Notes)
		}
	}
}

// A new node that was gone before its activity was read is told by its instance; EKS's own scale down is not
// told as others'.
func TestFollowedEndsOfNewNodes(t *testing.T) {
	for why, told := range map[world.EndCause]int{world.EndRebalance: 1, world.EndScaledIn: 0, world.EndRequested: 0} {
		x := watchedUpdate(t)
		x.after(2 * time.Second)
		x.ends("i-quick", why)
		g := x.w.Group
		g.Activities = append(g.Activities, world.Activity{ID: "l", At: x.now, Launches: "i-quick"})
		x.w.SetGroup(g)
		x.after(10 * time.Second)
		if len(x.run.Notes) != told || told > 0 && !strings.HasPrefix(x.run.Notes[0], "i-quick: ") {
			t.Errorf("%s: %q", why, x.run.Notes)
		}
		x.after(time.Minute) // it is no scale down: others have lowered the desired size
		if lowered := why == world.EndScaledIn; lowered != strings.Contains(strings.Join(x.run.Notes, ""), "desired size was lowered") {
			t.Errorf("%s: %q", why, x.run.Notes)
		}
	}
}

// Who comes late counts what was replaced before, by the activities of the group; a machine that the
// update itself has launched, or that was ended before it began, is none of these.
func TestFollowedFromTheMiddle(t *testing.T) {
	x := watchedUpdate(t)
	for _, id := range []string{"i-gone", "i-mine", "i-before"} {
		x.ends(id, world.EndRequested)
	}
	g := x.w.Group
	g.Activities = append(g.Activities, world.Activity{ID: "l", At: x.now, Launches: "i-mine"})
	g.Activities[0].At = began.Add(-time.Minute) // i-before
	x.w.SetGroup(g)
	x.after(2 * time.Second)
	if done, total := x.run.Outdated(); done != 1 || total != 3 || x.run.Nodes.Get("i-gone").Stage != record.Replaced || x.run.Nodes.Get("i-gone").Zone != "z" {
		t.Errorf("%d of %d: %+v", done, total, x.run.Nodes)
	}
	if len(x.run.Notes) > 0 {
		t.Error(x.run.Notes)
	}
}

// A phase that was over before anybody looked is not shown as one that is to come.
func TestFollowedPhaseMissed(t *testing.T) {
	x := watchedUpdate(t)
	x.after(2 * time.Second)
	view := snapshot.View(EKSManaged{}, x.now, x.w, x.run, snapshot.Look{}, nil)
	var missed []string
	for _, p := range view.Phases {
		if p.Missed {
			missed = append(missed, p.Name)
		}
	}
	if !slices.Equal(missed, []string{"setup", "scale up"}) {
		t.Errorf("missed %q: %+v", missed, view.Phases)
	}
}

// What keeps the pods of the nodes that EKS may be at is shown like what keeps others, as a guess; what the update goes to
// is named as EKS tells it, and not by the number of a template that EKS made.
func TestFollowedViewShowsWhatMayBeBlocked(t *testing.T) {
	x := watchedUpdate(t)
	g := x.w.Group
	m, u := *g.Managed, *g.Managed.Update
	u.Version, u.Release = "1.32", "1.32.1-20250203"
	m.Update, g.Managed = &u, &m
	x.w.SetGroup(g)
	x.after(6 * time.Second)
	view := snapshot.View(EKSManaged{}, x.now, x.w, x.run, snapshot.Look{}, nil)
	var pods []string
	for _, b := range view.Blockers {
		if b.Guess && len(b.Budgets) == 1 {
			pods = append(pods, b.Pod+" "+b.Node)
		}
	}
	if !slices.Equal(pods, []string{"shop/checkout-a a", "shop/checkout-b b"}) || len(view.Blockers) != 2 {
		t.Errorf("blocked: %q of %d", pods, len(view.Blockers))
	}
	if view.To != "1.32.1" {
		t.Errorf("it goes to %q", view.To)
	}
}

// While no update is under way, a node is outdated that is behind the recommended release, whatever the group launches.
func TestIdleIsBehindRecommended(t *testing.T) {
	x := watchedUpdate(t)
	g := x.w.Group
	m := *g.Managed
	m.Update, m.ClusterVersion, m.Recommended, m.RecommendedImage = nil, "1.32", "1.32.1-20250203", "ami-new"
	g.Managed, g.Image, g.Template.Version = &m, "ami-old", 1
	x.w.SetGroup(g)
	for _, name := range []string{"a", "b"} {
		x.node(name, 1, began.Add(-time.Hour), false)
	}
	look := func() *snapshot.Snapshot {
		return snapshot.View(EKS{}, x.now, x.w, snapshot.Idle(EKS{}, x.now, x.w, record.Run{}, nil), snapshot.Look{}, nil)
	}
	if view := look(); view.Total != 3 || view.To != "1.32.1" {
		t.Errorf("%d outdated, to %q", view.Total, view.To)
	}
	g.Image = "ami-new"
	x.w.SetGroup(g)
	if view := look(); view.Total != 1 { // the one of another template
		t.Errorf("%d outdated", view.Total)
	}
}

// Nodes may have come further while nothing could be seen: which ones EKS may be at is inferred again.
func TestFollowedWasBlind(t *testing.T) {
	x := watchedUpdate(t)
	x.after(time.Minute)
	if len(x.run.Candidates) != 2 {
		t.Fatalf("%q", x.run.Candidates)
	}
	for range 120 {
		x.now = x.now.Add(time.Second)
		x.w.SetHealth(world.Cloud, world.Health{Fresh: x.now})
		x.run = engine.Decide(EKSManaged{}, x.now, x.w, x.run, engine.Inputs{}).Run
	}
	x.after(2 * time.Second)
	if len(x.run.Candidates) > 0 {
		t.Errorf("at once: %q", x.run.Candidates)
	}
	x.after(4 * time.Second)
	if len(x.run.Candidates) != 2 {
		t.Errorf("after some seconds: %q", x.run.Candidates)
	}
}
