package sim

import (
	"encoding/json"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// mutation is an engine that was broken on purpose: in a file of engine/, an old
// text gives way to a new one, and the tests of a package have to notice, in
// these words.
type mutation struct {
	name, file, old, new string
	play                 string // the test that has to notice; "" for TestRandom
	notices              string
}

// mutations are two or so for each rule of docs/design.md.
var mutations = []mutation{
	{"1: one drain too many", "rival.go", "return s.atOnce() - s.Unavailable() - s.takenOut()", "return s.atOnce() - s.Unavailable() - s.takenOut() + 1", "", "rule 1: "},
	{"1: a settling node is no longer counted", "gate.go", "count := s.Count(Draining, Settling, Updating)", "count := s.Count(Draining, Updating)", "", "rule 1: "},
	{"2: an eviction without a UID", "evict.go", "Pod: c.pod.Name, UID: c.pod.UID}", "Pod: c.pod.Name}", "", "rule 2: "},
	{"2: a delete that names no order", "force.go", "UID: p.UID, Order: o.ID}", "UID: p.UID}", "", "rule 2: "},
	{"2: DaemonSet pods are evicted", "evict.go", "p.Terminating() || s.judge(p).Fate != drain.Leaves {", "p.Terminating() {", "", "rule 2: "},
	{"3: no second look", "node.go", "if !s.looked(id, n) {\n\t\treturn\n\t}\n\tn = s.Run.Nodes[id]\n\tif n.Empty.IsZero() {\n\t\ts.Report", "n.Empty = s.Now\n\tif n.Empty.IsZero() {\n\t\ts.Report", "", "rule 3: "},
	{"3: a look that is old", "node.go", "const lookValid = 30 * time.Second", "const lookValid = 30 * time.Hour", "", "rule 3: "},
	{"3: a look at pods that does not count them", "node.go", "if o.Unschedulable && (len(left) == 0 || s.released(n, left)) {", "if o.Unschedulable || len(left) < 0 {", "", "rule 3: "},
	{"4: marks stay", "strategy/eksdown.go", "if !s.UnmarkAll() || !s.ResumeProcesses() {", "if !s.ResumeProcesses() {", "", "rule 4: mark of ours left"},
	{"4: a process stays suspended", "strategy/eksdown.go", "if !s.UnmarkAll() || !s.ResumeProcesses() {", "if !s.UnmarkAll() {", "", "rule 4: AZRebalance"},
	{"4: the maximum stays raised", "strategy/eksdown.go", "if s.Run.Raised && !s.RestoreMax() {", "if false {", "", "rule 4: the group has"},
	{"5: drains go on after the end", "end.go", "return true // being retired: the strategy's End sees to it\n\t\t}\n\t\ts.putBack(id, n)", "return true\n\t\t}\n\t\ts.advanceDrain(id, n)", "", "rule 5: "},
	{"5: what is left on the group is not named", "end.go", "\n\ts.leaveGroup()\n", "\n", "", "rule 5: the group stays on template"},
	{"6: a resumed run forgets what it has suspended", "adopt.go", "r.Pending, r.Adopted = cloneMap(r.Pending), nil", "r.Pending, r.Adopted, r.Suspended = cloneMap(r.Pending), nil, nil", "", "rule 6: "},
	{"7: actions before the record", "live/loop.go", "if must || l.dirty && since", "if l.dirty && since", "TestRivals", "rule 7: "},
	{"7: a process that slept acts", "live/permit.go", "case !p.sure():", "case false:", "TestRivals", "rule 7: "},
	{"8: a plan changes the run", "plan.go", "s := newStep(rules, now, w, r)", "s := newStep(rules, now, w, r)\n\ts.copied = true", "", "rule 8: "},
	{"8: a snapshot changes the world", "view.go", "v.From, v.To = s.versions()", "v.From, v.To = s.versions()\n\tw.Group.Zones = append([]string{\"x\"}, w.Group.Zones...)", "", "rule 8: "},
	{"9: answers are not cleaned", "action.go", "o.Message = world.Clean(o.Message)", "", "", "rule 9: "},
	{"9: nodes are not cleaned", "world/world.go", "n = n.Clean()\n", "", "", "rule 9: "},
	{"10: time without sight counts", "time.go", "blind = append(blind, r.Blind...)", "blind = nil", "", "rule 10: "},
	{"10: sleep counts", "time.go", "stopped := asleep || r.State == Paused", "stopped := asleep && false || r.State == Paused", "", "rule 10: "},
	{"10: no attempt after a gap", "node.go", "if !s.Run.Gap.IsZero() && !n.Tried.After(s.Run.Gap)", "if false", "", "rule 10: "},
	{"nothing twice: a lost answer passes for a no", "ensure.go", "case Unknown:\n\t\t\tp.Expires = s.Now\n", "case Unknown:\n\t\t\tdelete(s.Run.Pending, o.Key)\n\t\t\tcontinue\n", "", "nothing twice: "},
	{"nothing twice: a resumed run forgets what it has asked for", "adopt.go", "p.Expires = now\n\t\tr.Pending[key] = p", "delete(r.Pending, key)", "", "nothing twice: "},
	{"write first: a mark that the record does not know", "mark.go", "Foreign: put.seen(s.W) || s.named(put)}\n\t\ts.remember(m)", "Foreign: put.seen(s.W) || s.named(put)}", "", "write first: "},
	{"write first: a process that the record does not know", "capacity.go", "s.Run.Suspended = append(s.Run.Suspended, process)", "", "", "write first: "},
	{"freshness: acting on what is old", "ensure.go", "if !s.Fresh(src) {\n\t\t\treturn false", "if src == \"\" {\n\t\t\treturn false", "", "freshness: "},
	{"budgets: more evictions than a budget allows", "evict.go", "case gate.Open && (due || c.known.Closed) && !anyOf(gate, asked):", "case due:", "", "budgets: "},
	{"approval: nobody is asked", "batch.go", "how == ApproveNone || how == ApprovePhase {", "how != \"\" {", "", "approval: "},
	{"hooks: a drain that they have not let go", "gate.go", "if s.letGo(id) {\n\t\t\ts.startDrain(id)\n\t\t} else {\n\t\t\tabout = append(about, id)\n\t\t}", "s.letGo(id)\n\t\ts.startDrain(id)", "", "hooks: "},
	{"hooks: who waits for them holds no slot", "gate.go", "slots -= len(asked)", "", "", "hooks: "},
	{"hooks: the run ends before they have run", "end.go", "if len(s.Run.Owed) > 0 {", "if false {", "", "hooks: "},
	{"from elsewhere: a run forgets what it has obeyed", "elsewhere.go", "s.Run.Taken = append(s.Run.Taken, ack)", "", "", "from elsewhere: "},
	{"rivals: a node that others drain is drained as well", "rival.go", "return s.takenNodes()[node] }", "return \"\" }", "", "rivals: "},
	{"rivals: an instance refresh does not pause the run", "rivalgroup.go", "Since: r.Since, Acts: true, Handling: RivalRefused", "Since: r.Since, Acts: true, Handling: RivalLeft", "", "rivals: "},
	{"rivals: annotations stay", "mark.go", "\tcase Annotate:\n\t\ta.Kind = Unannotate\n", "", "", "rule 4: mark of ours left"},
	{"snapshots: every row is a new one", "view.go", "b.moves() {\n\t\t\t\trow = s.row(was.ID, n)\n\t\t\t}\n\t\t\tif sameRow(was, row) {", "true {\n\t\t\t\trow = s.row(was.ID, n)\n\t\t\t}\n\t\t\tif was == row {", "", "snapshot: "},
	{"snapshots: a pod that must leave is said to stay", "look.go", "return StageTerminating", "return StageIgnored", "", "snapshot: "},
	{"snapshots: a budget that allows none does not say why", "look.go", "case d.Allowed > 0 && d.Current:", "case d.Current:", "", "snapshot: "},
	{"rule 4: machines are retired in whichever zone they are", "strategy/eks.go", "staying[zone] > staying[fullest]", "staying[zone] < staying[fullest]", "", "rule 4: machines in the zones"},
	{"watch: why no drain starts is not written down", "gate.go", "s.changed = s.changed || s.Run.Gate != why\n", "\n", "", "watch: "},
	{"watch: that the driver sees nothing is not written down", "decide.go", "!slices.Equal(s.Run.Blind, r.Blind) || ", "", "", "watch: "},
	{"watch: what stands still for the driver runs for who watches", "time.go", "s.countTime(nil)\n", "\n", "", "watch: "},
	{"snapshots: rows grow old", "view.go", "if b != z.bases[j] || b.moves() {", "if b.moves() {", "", "snapshot: "},
	{"kops: no validation", "prove.go", "if !s.validate(count, owed) {\n\t\t\treturn false\n\t\t}", "", kopsPlay, "rule 1: "},
	{"kops: none at the start", "strategy/kops.go", "if !bare && !s.ProveFirst() {", "if bare && !s.ProveFirst() {", kopsPlay, "before the cluster was found valid"},
	{"kops: one look is enough", "prove.go", "v.Passes >= need {", "v.Passes >= 1 {", kopsPlay, "validation: it passed after"},
	{"kops: looks that see nothing", "prove.go", "v.Looked, v.Failures = s.Now, s.invalid()", "v.Looked, v.Failures = s.Now, nil", kopsPlay, "validation: a look finds"},
	{"kops: looks right after the end", "prove.go", "name(id, s.Run.Nodes[id]), s.Run.Nodes[id].Unproven.Add(s.Run.Settings.Interval)", "name(id, s.Run.Nodes[id]), s.Run.Nodes[id].Unproven", kopsPlay, "rule 1: "},
	{"kops: half of the time to get valid", "prove.go", "End: v.Next.Add(s.Run.Settings.ValidateTimeout)", "End: v.Next.Add(s.Run.Settings.ValidateTimeout / 2)", kopsPlay, "rule 10: "},
	{"kops: a slot that is free too early", "gate.go", "count := s.Count(Draining, Settling, Updating)\n", "count := s.Count(Draining, Updating)\n", kopsPlay, "rule 1: "},
	{"kops: one more than may surge", "detach.go", "if have >= want || s.failed {", "if have > want || s.failed {", kopsPlay, "detach: "},
	{"kops: the first surge is not waited for", "strategy/kopssurge.go", "want = min(want, earlier(&s.Run)+1)", "want = min(want, 99)", kopsPlay, "detach: "},
	{"kops: the control plane surges", "strategy/kopssurge.go", "w.Group.Role == world.RoleControlPlane || ", "", kopsPlay, "a group that does not surge"},
	{"kops: detached machines are forgotten", "end.go", "\ts.leaveOutside()\n\ts.leaveGroup()\n", "\ts.leaveGroup()\n", kopsPlay, "stays detached, and nothing says so"},
	{"kops: ended through the group", "node.go", "Direct: s.ways().Direct, ", "", kopsPlay, "capacity: "},
	{"kops: ended behind a load balancer", "apart.go", " || !s.deregistered(id, n) {", " {", kopsPlay, "balancer: "},
	{"kops: out of the load balancers before the cordon", "apart.go", "!s.Mark(CordonOf(id, n.Name)) || !s.Mark(LabelOf(id, n.Name, excludeLabel, \"true\")) || !s.deregistered(id, n) {", "!s.deregistered(id, n) || !s.Mark(CordonOf(id, n.Name)) || !s.Mark(LabelOf(id, n.Name, excludeLabel, \"true\")) {", kopsPlay, "balancer: "},
	{"gardener: a zone rolls without its share", "strategy/gardenerzones.go", "if z.out >= share.most() {", "if z.out >= 2*share.most() {", gardenerPlay, "zones: "},
	{"gardener: a zone with too few nodes goes on", "strategy/gardenerzones.go", "z.serve-1 < floor {", "z.serve+1 < floor {", gardenerPlay, "zones: "},
	{"gardener: evictions before the cordon", "apart.go", "return n.Apart || !s.apartFirst() ||", "return true || !s.apartFirst() ||", gardenerPlay, "cordon: "},
	{"gardener: half of the tries are enough", "triedout.go", "c.known.Rounds < n ||", "c.known.Rounds < (n+1)/2 ||", gardenerPlay, "retries: "},
	{"gardener: tries at a misconfigured budget count", "triedout.go", "return b.Current && b.Expected > 0 &&", "return false && b.Current && b.Expected > 0 &&", gardenerPlay, "retries: "},
	{"gardener: volumes leave together", "evict.go", "if c.pod.Volume && s.volumeLeaves(c) {", "if false {", gardenerPlay, "volumes: "},
	{"in place: others are selected beside a failed update", "strategy/gardenermanual.go", "if failed := s.FailureIn(\"\"); failed != \"\" {", "if failed := s.FailureIn(\"\"); false && failed != \"\" {", manualPlay, "in place: "},
	{"in place: budgets are not looked at", "strategy/gardenermanual.go", "if why := s.ShutBudget(n.Name); why != \"\" {", "if why := s.ShutBudget(n.Name); false && why != \"\" {", manualPlay, "in place: "},
	{"in place: one whose update has failed counts once", "strategy/gardenerinplace.go", "p.Done || p.Failed || p.Step", "p.Done || p.Step", inPlacePlay, "that count twice"},
	{"in place: a node that is selected takes no place", "strategy/gardenerzones.go", "stage == engine.Terminating || stage == engine.Updating || slices", "stage == engine.Terminating || slices", inPlacePlay, "in place: "},
	{"in place: old nodes end before their zone has enough new ones", "strategy/gardenerinplace.go", ".fresh >= s.Run.Zones[zone]", ".fresh+1 >= s.Run.Zones[zone]", inPlacePlay, "is drained to be ended"},
}

// gardenerPlay is the random play of Gardener's rules, manualPlay that of updates in place by
// hand, inPlacePlay that of those by themselves.
const (
	gardenerPlay = "TestRandomGardener"
	manualPlay   = "TestRandomGardenerManual"
	inPlacePlay  = "TestRandomGardenerInPlace"
)

// kopsPlay is the random play of kops's groups.
const kopsPlay = "TestRandomKops"

// TestMutations holds that every check of the checker can fail: each mutation of
// the engine, laid over it by the compiler, breaks its rule within a few seeds.
// That the engine as it is breaks none is TestRandom's to show.
func TestMutations(t *testing.T) {
	if testing.Short() {
		t.Skip("builds an engine for each mutation")
	}
	for _, m := range mutations {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			out := m.run(t)
			if !strings.Contains(out, m.notices) {
				t.Errorf("nobody has noticed (%q is not in what the tests say):\n%s", m.notices, out[max(0, len(out)-2000):])
			}
		})
	}
}

// TestMutationTexts holds that each mutation still has its place in the engine and leaves
// something that can be read as Go: known in a moment, before any engine is built.
func TestMutationTexts(t *testing.T) {
	for _, m := range mutations {
		t.Run(m.name, func(t *testing.T) {
			file, text := m.mutated(t)
			if _, err := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution); err != nil {
				t.Error(err)
			}
		})
	}
}

// mutated returns the file that the mutation changes, and its text afterwards.
func (m mutation) mutated(t *testing.T) (file, text string) {
	t.Helper()
	file, err := filepath.Abs(filepath.Join("..", m.file))
	if err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(whole), m.old); n != 1 {
		t.Fatalf("%s has this %d times, not once; what does the mutation have to change now?\n%s", m.file, n, m.old)
	}
	return file, strings.Replace(string(whole), m.old, m.new, 1)
}

// run builds the tests with the mutation in place and runs them to the first
// failures. It returns what they say.
func (m mutation) run(t *testing.T) string {
	t.Helper()
	file, text := m.mutated(t)
	dir := t.TempDir()
	broken, overlay, tests := filepath.Join(dir, "broken.go"), filepath.Join(dir, "overlay.json"), filepath.Join(dir, "mutated.test")
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {file: broken}})
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{broken: text, overlay: string(replace)} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	where, args := ".", []string{"-test.run=^TestRandom$", "-seeds=600"}
	switch m.play {
	case "":
	case kopsPlay, gardenerPlay, manualPlay, inPlacePlay:
		args[0] = "-test.run=^" + m.play + "$"
	default:
		where, args = "../live", []string{"-test.run=^" + m.play + "$"}
	}
	if out, err := exec.Command("go", "test", "-c", "-overlay", overlay, "-ldflags=-s -w", "-o", tests, where).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(tests, append(args, "-test.timeout=2m")...)
	cmd.Dir = where
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Error("the tests pass")
	}
	return string(out)
}
