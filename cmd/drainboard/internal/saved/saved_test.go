package saved_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/forecast"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/planner"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/saved"
	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim/script"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg"
)

// simulated is a group of a simulated cluster.
type simulated struct {
	backend.Group
	name string
}

func (g simulated) Name() string   { return g.name }
func (simulated) Alias() string    { return "" }
func (simulated) Provider() string { return asg.Provider }

// flags change nothing.
type flags struct{ backend.Asked }

func (flags) Settings(rules engine.Strategy) (record.Settings, error) { return rules.Defaults(), nil }
func (flags) Update() record.UpdateRequest                            { return record.UpdateRequest{} }

const cluster = `
timing boot=50s ready=20s terminate=40s
cluster zones=eu-west-1a,eu-west-1b nodes=6 slots=12 name=shop-nodes
workload checkout replicas=12 ready=20s stop=5s
budget checkout max=1
workload ledger kind=statefulset replicas=3 volume ready=30s
budget ledger max=1
workload closed replicas=2 zone=eu-west-1a
budget closed min=2
workload agent kind=daemonset
settings max-unavailable=2 post-drain-wait=10s drain-timeout=7m
wait for=12m
start`

// save plans a simulated cluster, and returns the file of it and the plan.
func save(t *testing.T) (*saved.File, snapshot.Plan) {
	t.Helper()
	s := script.New()
	if out, err := s.Do(cluster); err != nil {
		t.Fatal(err, out)
	}
	plan, w := s.Planned, s.Sim.View
	last := &record.Run{GroupID: w.Group.ID, State: record.Finished, Measured: record.Measured{record.TimeEnd: {time.Minute, 50 * time.Second}}}
	plan.Run.Earlier, plan.Run.Settings.NewLabels = last.Measured.After(nil), map[string]string{} // as plans have them
	f := saved.Of("test", "prod", simulated{name: w.Group.Name}, w, &plan, "eks", nil, last)
	plan.Foresee(forecast.By(strategy.EKS{})(unhurried(t), w, plan.AsOf, plan.Run))
	return f, plan
}

// unhurried is a context in which every rehearsal comes to its end.
func unhurried(t *testing.T) context.Context { return forecast.Within(t.Context(), 5*time.Minute) }

// planFrom plans from a file that was written and read.
func planFrom(t *testing.T, f *saved.File, name string, save func(planner.Source) error) snapshot.Plan {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := f.Write(file); err != nil {
		t.Fatal(err)
	}
	read, err := saved.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	s := read.Session()
	at, err := s.Find(t.Context(), read.World.Group.Name)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := planner.Planner{Session: s, Save: save, Request: &planner.Request{Flags: flags{}, Seed: read.Seed, RunID: read.RunID}}.Group(unhurried(t), at)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// A plan from a file is the plan that was saved, with the same forecast; saved again it is the same
// file.
func TestRoundTrip(t *testing.T) {
	f, plan := save(t)
	if plan.Forecast.Outlook != record.WillFail {
		t.Fatalf("%+v", plan.Forecast.Foreseen)
	}
	for _, name := range []string{"cluster.json", "cluster.json.gz"} {
		var again *saved.File
		got := planFrom(t, f, name, func(s planner.Source) error {
			again = saved.Of("test", "prod", simulated{name: s.World.Group.Name}, s.World, s.Plan, s.Terms.Rules.Name(), s.Terms.Notes, s.Last)
			return nil
		})
		same(t, name+", the plan", text(t, present.PlanOf(plan)), text(t, present.PlanOf(got)))
		same(t, name+", the file", text(t, f), text(t, again))
	}
}

// same compares two texts, and shows where they differ.
func same(t *testing.T, what, want, is string) {
	t.Helper()
	if want == is {
		return
	}
	at := 0
	for at < min(len(want), len(is)) && want[at] == is[at] {
		at++
	}
	around := func(s string) string { return s[max(0, at-80):min(len(s), at+200)] }
	t.Errorf("%s\nsaved: %s\nagain: %s", what, around(want), around(is))
}

func text(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// A hashed file has no name of the cluster's, and the same end is foreseen from it.
func TestHashed(t *testing.T) {
	f, plan := save(t)
	h, err := f.Hash()
	if err != nil {
		t.Fatal(err)
	}
	data := text(t, h)
	names := []string{"prod", "shop-nodes", "checkout", "ledger", "closed", "agent", plan.Run.ID, f.World.Group.ID, f.World.Group.Template.ID}
	for _, n := range f.World.Nodes {
		names = append(names, n.Name, n.Machine)
	}
	for _, p := range f.World.Pods {
		names = append(names, p.Name, p.UID, p.Owner.UID)
	}
	for _, name := range slices.Compact(names) {
		if name != "" && strings.Contains(data, `"`+name+`"`) || len(name) > 4 && strings.Contains(data, name) {
			t.Errorf("it has the name %s", name)
		}
	}
	for _, kept := range []string{"eu-west-1a", "minAvailable 2", world.MachineInService, "kubernetes.io/hostname"} {
		if strings.Contains(text(t, f), kept) && !strings.Contains(data, kept) {
			t.Errorf("%s is lost", kept)
		}
	}
	got := planFrom(t, h, "hashed.json", nil)
	was, is := plan.Forecast, got.Forecast
	if is.Outlook != was.Outlook || is.Result != was.Result || is.Budget == was.Budget || !regexp.MustCompile(`^h[0-9a-f]{12}/h[0-9a-f]{12}$`).MatchString(is.Budget) {
		t.Errorf("foreseen: %+v\nof names: %+v", is.Foreseen, was.Foreseen)
	}
	if len(got.Nodes) != len(plan.Nodes) {
		t.Errorf("%d nodes of %d", len(got.Nodes), len(plan.Nodes))
	}
	again, err := f.Hash()
	if err != nil || again.World.Group.Name == h.World.Group.Name {
		t.Error("the hashes of a name are always the same, so that a list of names finds it")
	}
}

// Files that are none, or of another format, are refused.
func TestRefused(t *testing.T) {
	f, _ := save(t)
	newer := *f
	newer.Format = 99
	for name, data := range map[string]string{
		"empty": "", "text": "kind: Pod", "other": "{}", "gzip": "\x1f\x8bxx", "newer": text(t, newer), "null": `{"World":{"Pods":[null]}}`,
	} {
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := saved.Read(file); err == nil || !strings.Contains(err.Error(), "is no file of plan --save") {
			t.Errorf("%s: %v", name, err)
		}
	}
	s := f.Session()
	if _, err := s.Find(context.Background(), "other"); err == nil {
		t.Error("another group is found")
	}
	at, err := s.Find(t.Context(), f.World.Group.Name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := at.Target(t.Context(), asg.TargetOptions{AMI: "ami-1"}); err == nil {
		t.Error("another image is taken")
	}
	f.World.Budgets[0].Selector = "((("
	if _, err := s.Read(t.Context(), at, nil); err == nil {
		t.Error("a selector that cannot be read is taken")
	}
}
