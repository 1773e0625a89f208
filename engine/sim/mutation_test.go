package sim

import (
	"encoding/json"
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
	{"1: one drain too many", "rival.go", "return s.Run.Limit - s.Unavailable() - s.takenOut()", "return s.Run.Limit - s.Unavailable() - s.takenOut() + 1", "", "rule 1: "},
	{"1: a settling node is no longer counted", "gate.go", "count := s.Count(Draining, Settling, Terminating)", "count := s.Count(Draining, Terminating)", "", "rule 1: "},
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
	{"hooks: a drain that they have not let go", "gate.go", "if s.letGo(id) {\n\t\t\ts.startDrain(id)\n\t\t}", "s.letGo(id)\n\t\ts.startDrain(id)", "", "hooks: "},
	{"hooks: who waits for them holds no slot", "gate.go", "slots -= len(asked)", "", "", "hooks: "},
	{"hooks: the run ends before they have run", "end.go", "if len(s.Run.Owed) > 0 {", "if false {", "", "hooks: "},
	{"from elsewhere: a run forgets what it has obeyed", "elsewhere.go", "s.Run.Taken = append(s.Run.Taken, ack)", "", "", "from elsewhere: "},
	{"rivals: a node that others drain is drained as well", "rival.go", "return s.takenNodes()[node] }", "return \"\" }", "", "rivals: "},
	{"rivals: an instance refresh does not pause the run", "rivalgroup.go", "Since: r.Since, Acts: true, Handling: RivalRefused", "Since: r.Since, Acts: true, Handling: RivalLeft", "", "rivals: "},
	{"rivals: annotations stay", "mark.go", "\tcase Annotate:\n\t\ta.Kind = Unannotate\n", "", "", "rule 4: mark of ours left"},
	{"snapshots: every row is a new one", "view.go", "b.moves() {\n\t\t\t\trow = s.row(was.ID, n)\n\t\t\t}\n\t\t\tif sameRow(was, row) {", "true {\n\t\t\t\trow = s.row(was.ID, n)\n\t\t\t}\n\t\t\tif was == row {", "", "snapshot: "},
	{"snapshots: a pod that must leave is said to stay", "look.go", "return StageTerminating", "return StageIgnored", "", "snapshot: "},
	{"snapshots: a budget that allows none does not say why", "look.go", "case d.Allowed <= 0 || !d.Current:", "case !d.Current:", "", "snapshot: "},
	{"watch: why no drain starts is not written down", "gate.go", "s.changed = s.changed || s.Run.Gate != why\n", "\n", "", "watch: "},
	{"watch: that the driver sees nothing is not written down", "decide.go", "!slices.Equal(s.Run.Blind, r.Blind) || ", "", "", "watch: "},
	{"watch: what stands still for the driver runs for who watches", "time.go", "s.countTime(nil)\n", "\n", "", "watch: "},
	{"snapshots: rows grow old", "view.go", "if b != z.bases[j] || b.moves() {", "if b.moves() {", "", "snapshot: "},
}

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

// run builds the tests with the mutation in place and runs them to the first
// failures. It returns what they say.
func (m mutation) run(t *testing.T) string {
	t.Helper()
	file, err := filepath.Abs(filepath.Join("..", m.file))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), m.old); n != 1 {
		t.Fatalf("%s has this %d times, not once; what does the mutation have to change now?\n%s", m.file, n, m.old)
	}
	dir := t.TempDir()
	broken, overlay, tests := filepath.Join(dir, "broken.go"), filepath.Join(dir, "overlay.json"), filepath.Join(dir, "mutated.test")
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {file: broken}})
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{broken: strings.Replace(string(text), m.old, m.new, 1), overlay: string(replace)} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	where, args := ".", []string{"-test.run=^TestRandom$", "-seeds=600"}
	if m.play != "" {
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
