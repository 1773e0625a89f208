package engine_test

import (
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/record/diff"
	"github.com/drainboard/drainboard/engine/sim/script"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/strategy"
)

// A group without a run shows its nodes as they are: outdated ones with the pods
// that would move, no phase, and nothing that could be done. What did not change is
// the same row in the next snapshot.
func TestIdle(t *testing.T) {
	s := script.New()
	if out, err := s.Do("cluster zones=a,b nodes=4\nworkload web replicas=6"); err != nil {
		t.Fatal(err, out)
	}
	s.Sim.Advance(s.Sim.Now().Add(time.Minute))
	now := s.Sim.Now()
	run := snapshot.Idle(strategy.EKS{}, now, s.Sim.View, record.Run{}, nil)
	v := snapshot.View(strategy.EKS{}, now, s.Sim.View, run, snapshot.Look{}, nil)
	if v.State != record.NoRun || len(v.Phases) > 0 || len(v.Abilities) > 0 || v.Batch != nil || len(v.AbortPlan) > 0 {
		t.Errorf("it looks like a run: %+v", v)
	}
	pods, outdated := 0, 0
	for _, z := range v.Zones {
		for _, r := range z.Rows {
			pods += r.Pods
			if r.Stage == record.Outdated && r.Version != "" && r.Name != "" {
				outdated++
			}
		}
	}
	if outdated != 4 || pods != 6 || v.Total != 4 || v.Done != 0 {
		t.Errorf("%d of %d rows outdated, %d pods", outdated, v.Total, pods)
	}
	later := now.Add(time.Second)
	run = snapshot.Idle(strategy.EKS{}, later, s.Sim.View, run, nil)
	next := snapshot.View(strategy.EKS{}, later, s.Sim.View, run, snapshot.Look{}, v)
	for i, z := range next.Zones {
		for j, r := range z.Rows {
			if r != v.Zones[i].Rows[j] {
				t.Errorf("row %s was made again", r.Name)
			}
		}
	}
}

// Retelling every record of a run tells what the run itself told of its nodes,
// phases and pods: nothing is left out, and nothing told twice.
func TestRetell(t *testing.T) {
	s := script.New()
	if out, err := s.Do("cluster zones=a,b nodes=4\nworkload web replicas=6\nbudget web max=1\nsettings max-unavailable=2 approve=none before-node=30s\nfault node-hook takes=2s\nstart"); err != nil {
		t.Fatal(err, out)
	}
	told := map[record.EventType]int{}
	var before record.Run
	for step := 0; before.State != record.Finished; step++ {
		if step > 5000 {
			t.Fatal("the run does not end")
		}
		run := s.Driver.Run
		for _, e := range diff.Between(before, run) {
			told[e.Type]++
		}
		before = run
		s.Driver.Advance(s.Sim.Now().Add(300*time.Millisecond), nil)
	}
	for what, n := range map[record.EventType]int{
		record.RunStarted: 1, record.RunFinished: 1, record.PhaseStarted: 4, record.PhaseFinished: 4,
		record.NodeDraining: 4, record.NodeReplaced: 4, record.HookStarted: 4,
	} {
		if told[what] < n || what != record.NodeReplaced && what != record.NodeDraining && told[what] != n {
			t.Errorf("%s was told %d times, not %d", what, told[what], n)
		}
	}
	if told[record.PodEvicted] == 0 {
		t.Error("no eviction was told")
	}
	if again := diff.Between(before, before); len(again) > 0 {
		t.Errorf("told again: %+v", again)
	}
	if all := diff.Between(record.Run{}, before); len(all) == 0 || all[0].Type != record.RunStarted {
		t.Errorf("a record by itself tells %+v", all)
	}
}
