package engine_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/record/check"
	"github.com/drainboard/drainboard/engine/record/shards"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
)

// large is a run whose record is large: 100 nodes that drain, with 110 pods each that a
// budget holds, one that a force order has deleted, and two whose eviction and deletion have no answer.
func large(state record.State) record.Run {
	now := time.Date(2026, 11, 21, 21, 0, 0, 0, time.UTC)
	r := record.Run{
		Version: record.RecordVersion, ID: "run-1", Group: "web", Provider: "asg", State: state, Limit: 100, Phases: []record.Phase{{Name: "upgrade"}},
		Nodes: shards.Of(map[string]record.Node{}), Pods: shards.Of(map[string]record.Pod{}), Marks: map[string][]record.Mark{}, Pending: map[string]record.Pending{}, Retries: map[string]record.Retry{},
		Base: world.Sizes{Min: 1, Max: 200, Desired: 100}, Raise: 3, Suspended: []string{"AZRebalance"}, Seen: now,
		Evicted: map[string]bool{"owner-1": true}, HandledCommands: []record.Ack{{ID: "a1", Accepted: true}},
	}
	if state == record.Ending || state == record.Finished {
		r.Result, r.PhaseWait = record.Aborted, &record.Wait{For: "putting back", Start: now, End: now.Add(time.Minute), Needs: []world.Source{world.Cluster}}
	}
	for i := range 100 {
		id, node := fmt.Sprintf("i-%d", i), fmt.Sprintf("n%d", i)
		r.Nodes = r.Nodes.With(id, record.Node{Name: node, Stage: record.Draining, Since: now, Wait: &record.Wait{For: "drain deadline", Start: now, End: now.Add(time.Minute), Needs: []world.Source{world.Cluster}}, BlockingPods: []string{"shop/web is blocked"}})
		cordon := record.Action{Kind: record.Cordon, Key: "cordon/" + node, Machine: id, Node: node}
		r.Marks[id] = []record.Mark{{Put: cordon}}
		for j := range 110 {
			uid := fmt.Sprintf("uid-%d-%d", i, j)
			r.Pods = r.Pods.With(uid, record.Pod{Ref: fmt.Sprintf("shop/web-%d-%d", i, j), Node: node, Owner: "owner-1", Tries: 3, First: now, Last: now, Refusal: record.RefusedBudget, Message: "the disruption budget web needs 3 healthy pods"})
			key := "evict/" + uid
			r.Pending[key] = record.Pending{Action: record.Action{Kind: record.Evict, Key: key, Node: node, Namespace: "shop", Pod: "web", UID: uid}, Asked: now, Accepted: now}
			r.Retries[key] = record.Retry{Tries: 1, Refusal: record.RefusedBudget}
		}
		r.Orders = append(r.Orders, record.ForceOrder{ID: fmt.Sprintf("force-%d", i+1), Machine: id, Node: node, Pods: []string{"shop/web-0-0"}, By: "ann", At: now, Why: "stuck"})
	}
	r.Pods = r.Pods.With("forced", record.Pod{Ref: "shop/forced", Node: "n1", Forced: true, Tries: 1})
	r.Pods = r.Pods.With("asked", record.Pod{Ref: "shop/asked", Node: "n1", Tries: 1})
	r.Pending[record.EvictKey("asked")] = record.Pending{Action: record.Action{Kind: record.Evict, Key: record.EvictKey("asked"), Node: "n1", Namespace: "shop", Pod: "asked", UID: "asked"}, Asked: now}
	r.Pods = r.Pods.With("deleted", record.Pod{Ref: "shop/deleted", Node: "n1", Tries: 1})
	r.Pending[record.DeleteKey("deleted")] = record.Pending{Action: record.Action{Kind: record.Delete, Key: record.DeleteKey("deleted"), Node: "n1", Namespace: "shop", Pod: "deleted", UID: "deleted", Order: "force-1"}, Asked: now}
	r.Pending["suspend/Launch"] = record.Pending{Action: record.Action{Kind: record.Suspend, Key: "suspend/Launch", Group: "ng-web", Process: "Launch"}, Asked: now}
	r.Retries["uncordon/n1"] = record.Retry{Tries: 3, Denied: 3, Message: "never"}
	return r
}

// A reduced record is small, passes the checks of a record that is read, and has all that an
// end is safe with: stages, marks, values to restore, changes without an answer, refusals for
// good, who ordered force, commands that were obeyed.
func TestReduced(t *testing.T) {
	for _, state := range []record.State{record.Paused, record.Ending, record.Finished} {
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
		var got record.Run
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		if err := check.Run(&got); err != nil || !r.Reducible() {
			t.Errorf("%s: %v", state, err)
		}
		for id, n := range r.Nodes.All() {
			if g := got.Nodes.Get(id); g.Stage != n.Stage || g.Name != n.Name || !g.Since.Equal(n.Since) || g.Wait == nil {
				t.Fatalf("%s: %s is %+v", state, id, g)
			}
		}
		for what, same := range map[string]bool{
			"marks": reflect.DeepEqual(got.Marks, r.Marks), "base": got.Base == r.Base && got.Raise == r.Raise,
			"suspended": reflect.DeepEqual(got.Suspended, r.Suspended), "commands": reflect.DeepEqual(got.HandledCommands, r.HandledCommands),
			"a change without an answer": len(got.Pending) == 3 && got.Pending["suspend/Launch"].Action.Process == "Launch",
			"refusals for good":          len(got.Retries) == 1 && got.Retries["uncordon/n1"].Denied == 3,
			"orders":                     len(got.Orders) == 100 && got.Orders[99].By == "ann",
			"a pod deleted by force":     got.Pods.Get("forced").Forced && got.Pods.Len() == 3,
			"a pod being deleted":        got.Pods.Get("deleted").Ref == "shop/deleted",
			"a pod asked to leave":       got.Pods.Get("asked").Ref == "shop/asked" && got.Pending[record.EvictKey("asked")].Action.UID == "asked",
			"how it ends":                got.Result == r.Result && (got.PhaseWait == nil) == (r.PhaseWait == nil),
		} {
			if !same {
				t.Errorf("%s: %s differ", state, what)
			}
		}
	}
	if r := large(record.Running); r.Reducible() {
		t.Error("a run that drains needs all of its record")
	}
}

// While the record cannot be written a decision asks for nothing, no deadline comes nearer,
// and outcomes are taken; what only stops the run is obeyed.
func TestDecideUnwritten(t *testing.T) {
	r := large(record.Running)
	r.Pods, r.Pending, r.Retries = shards.Map[record.Pod]{}, map[string]record.Pending{}, nil
	key := "evict/u1"
	r.Pending[key] = record.Pending{Action: record.Action{Kind: record.Evict, Key: key, Node: "n1", Namespace: "shop", Pod: "web", UID: "u1"}, Asked: r.Seen, Expires: r.Seen.Add(time.Minute)}
	w := world.New()
	now := r.Seen
	end := r.Nodes.Get("i-1").Wait.End
	for range 120 {
		now = now.Add(time.Second)
		w.Health[world.Cluster], w.Health[world.Cloud] = world.Health{Fresh: now}, world.Health{Fresh: now}
		d := engine.Decide(strategy.EKS{}, now, w, r, engine.Inputs{Unwritten: true})
		if len(d.Actions) > 0 || d.Run.State != record.Running {
			t.Fatalf("%s: it asks for %v", d.Run.State, d.Actions)
		}
		r = d.Run
	}
	for id, n := range r.Nodes.All() {
		if !n.Wait.End.Equal(end.Add(2 * time.Minute)) {
			t.Fatalf("the deadline of %s moved from %s to %s", id, end, n.Wait.End)
		}
	}
	d := engine.Decide(strategy.EKS{}, now, w, r, engine.Inputs{Unwritten: true, Outcomes: []record.Outcome{{Key: key, At: now, Verdict: record.Done}}, Commands: []record.Command{{Kind: record.CmdAbort, By: "ann"}}})
	if d.Run.State != record.Ending || len(d.Actions) > 0 || d.Run.Pending[key].Accepted.IsZero() {
		t.Errorf("%s, actions %v, pending %+v", d.Run.State, d.Actions, d.Run.Pending)
	}
	if d = engine.Decide(strategy.EKS{}, now, w, r, engine.Inputs{Unwritten: true, Pause: "no record"}); d.Run.State != record.Paused || !strings.Contains(d.Run.Why, "no record") {
		t.Errorf("%s: %s", d.Run.State, d.Run.Why)
	}
}
