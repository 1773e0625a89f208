package engine_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
)

// large is a run whose record is large: 100 nodes that drain, with 110 pods each that a
// budget holds, and one that a force order has deleted.
func large(state engine.State) engine.Run {
	now := time.Date(2026, 11, 21, 21, 0, 0, 0, time.UTC)
	r := engine.Run{
		Version: engine.RecordVersion, ID: "run-1", Group: "web", Provider: "asg", State: state, Limit: 100, Phases: []engine.Phase{{Name: "upgrade"}},
		Nodes: map[string]engine.Node{}, Pods: map[string]engine.Pod{}, Marks: map[string][]engine.Mark{}, Pending: map[string]engine.Pending{}, Retries: map[string]engine.Retry{},
		Base: world.Sizes{Min: 1, Max: 200, Desired: 100}, Raise: 3, Suspended: []string{"AZRebalance"}, Seen: now,
		Evicted: map[string]bool{"owner-1": true}, HandledCommands: []engine.Ack{{ID: "a1", Accepted: true}},
	}
	if state == engine.Ending || state == engine.Finished {
		r.Result, r.PhaseWait = engine.Aborted, &engine.Wait{For: "putting back", Start: now, End: now.Add(time.Minute), Needs: []world.Source{world.Cluster}}
	}
	for i := range 100 {
		id, node := fmt.Sprintf("i-%d", i), fmt.Sprintf("n%d", i)
		r.Nodes[id] = engine.Node{Name: node, Stage: engine.Draining, Since: now, Wait: &engine.Wait{For: "drain deadline", Start: now, End: now.Add(time.Minute), Needs: []world.Source{world.Cluster}}, BlockingPods: []string{"shop/web is blocked"}}
		cordon := engine.Action{Kind: engine.Cordon, Key: "cordon/" + node, Machine: id, Node: node}
		r.Marks[id] = []engine.Mark{{Put: cordon}}
		for j := range 110 {
			uid := fmt.Sprintf("uid-%d-%d", i, j)
			r.Pods[uid] = engine.Pod{Ref: fmt.Sprintf("shop/web-%d-%d", i, j), Node: node, Owner: "owner-1", Tries: 3, First: now, Last: now, Refusal: engine.RefusedBudget, Message: "the disruption budget web needs 3 healthy pods"}
			key := "evict/" + uid
			r.Pending[key] = engine.Pending{Action: engine.Action{Kind: engine.Evict, Key: key, Node: node, Namespace: "shop", Pod: "web", UID: uid}, Asked: now, Accepted: now}
			r.Retries[key] = engine.Retry{Tries: 1, Refusal: engine.RefusedBudget}
		}
		r.Orders = append(r.Orders, engine.ForceOrder{ID: fmt.Sprintf("force-%d", i+1), Machine: id, Node: node, Pods: []string{"shop/web-0-0"}, By: "ann", At: now, Why: "stuck"})
	}
	r.Pods["forced"] = engine.Pod{Ref: "shop/forced", Node: "n1", Forced: true, Tries: 1}
	r.Pending["suspend/Launch"] = engine.Pending{Action: engine.Action{Kind: engine.Suspend, Key: "suspend/Launch", Group: "ng-web", Process: "Launch"}, Asked: now}
	r.Retries["uncordon/n1"] = engine.Retry{Tries: 3, Denied: 3, Message: "never"}
	return r
}

// A reduced record is small, passes the checks of a record that is read, and has all that an
// end is safe with: stages, marks, values to restore, changes without an answer, refusals for
// good, who ordered force, commands that were obeyed.
func TestReduced(t *testing.T) {
	for _, state := range []engine.State{engine.Paused, engine.Ending, engine.Finished} {
		r := large(state)
		before, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(r.Reduced())
		if err != nil {
			t.Fatal(err)
		}
		if after, err := json.Marshal(r); err != nil || string(after) != string(before) {
			t.Errorf("%s: the run itself was changed", state)
		}
		if len(text) > 100<<10 || len(before) < 4<<20 {
			t.Errorf("%s: %d KiB of %d", state, len(text)>>10, len(before)>>10)
		}
		var got engine.Run
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		if err := got.Check(); err != nil || !r.Reducible() {
			t.Errorf("%s: %v", state, err)
		}
		for id, n := range r.Nodes {
			if g := got.Nodes[id]; g.Stage != n.Stage || g.Name != n.Name || !g.Since.Equal(n.Since) || g.Wait == nil {
				t.Fatalf("%s: %s is %+v", state, id, g)
			}
		}
		for what, same := range map[string]bool{
			"marks": reflect.DeepEqual(got.Marks, r.Marks), "base": got.Base == r.Base && got.Raise == r.Raise,
			"suspended": reflect.DeepEqual(got.Suspended, r.Suspended), "commands": reflect.DeepEqual(got.HandledCommands, r.HandledCommands),
			"a change without an answer": len(got.Pending) == 1 && got.Pending["suspend/Launch"].Action.Process == "Launch",
			"refusals for good":          len(got.Retries) == 1 && got.Retries["uncordon/n1"].Denied == 3,
			"orders":                     len(got.Orders) == 100 && got.Orders[99].By == "ann",
			"a pod deleted by force":     got.Pods["forced"].Forced == (state == engine.Paused) && len(got.Pods) <= 1,
			"how it ends":                got.Result == r.Result && (got.PhaseWait == nil) == (r.PhaseWait == nil),
		} {
			if !same {
				t.Errorf("%s: %s differ", state, what)
			}
		}
	}
	if r := large(engine.Running); r.Reducible() {
		t.Error("a run that drains needs all of its record")
	}
}

// While the record cannot be written a decision asks for nothing, no deadline comes nearer,
// and outcomes are taken; what only stops the run is obeyed.
func TestDecideUnwritten(t *testing.T) {
	r := large(engine.Running)
	r.Pods, r.Pending, r.Retries = nil, map[string]engine.Pending{}, nil
	key := "evict/u1"
	r.Pending[key] = engine.Pending{Action: engine.Action{Kind: engine.Evict, Key: key, Node: "n1", Namespace: "shop", Pod: "web", UID: "u1"}, Asked: r.Seen, Expires: r.Seen.Add(time.Minute)}
	w := world.New()
	now := r.Seen
	end := r.Nodes["i-1"].Wait.End
	for range 120 {
		now = now.Add(time.Second)
		w.Health[world.Cluster], w.Health[world.Cloud] = world.Health{Fresh: now}, world.Health{Fresh: now}
		d := engine.Decide(strategy.EKS{}, now, w, r, engine.Inputs{Unwritten: true})
		if len(d.Actions) > 0 || d.Run.State != engine.Running {
			t.Fatalf("%s: it asks for %v", d.Run.State, d.Actions)
		}
		r = d.Run
	}
	for id, n := range r.Nodes {
		if !n.Wait.End.Equal(end.Add(2 * time.Minute)) {
			t.Fatalf("the deadline of %s moved from %s to %s", id, end, n.Wait.End)
		}
	}
	d := engine.Decide(strategy.EKS{}, now, w, r, engine.Inputs{Unwritten: true, Outcomes: []engine.Outcome{{Key: key, At: now, Verdict: engine.Done}}, Commands: []engine.Command{{Kind: engine.CmdAbort, By: "ann"}}})
	if d.Run.State != engine.Ending || len(d.Actions) > 0 || d.Run.Pending[key].Accepted.IsZero() {
		t.Errorf("%s, actions %v, pending %+v", d.Run.State, d.Actions, d.Run.Pending)
	}
	if d = engine.Decide(strategy.EKS{}, now, w, r, engine.Inputs{Unwritten: true, Pause: "no record"}); d.Run.State != engine.Paused || !strings.Contains(d.Run.Why, "no record") {
		t.Errorf("%s: %s", d.Run.State, d.Run.Why)
	}
}
