package present

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/itchyny/gojq"

	"github.com/drainboard/drainboard/engine/api"
	"github.com/drainboard/drainboard/engine/assess/blockers"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/record/shards"
	"github.com/drainboard/drainboard/engine/roll"
	"github.com/drainboard/drainboard/engine/sim/script"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/gardener/shoot"
)

// fullDocuments are documents of each kind, made of values in which all is set.
func fullDocuments() []any {
	var plan snapshot.Plan
	full(reflect.ValueOf(&plan).Elem(), 0)
	plan.Strategy, plan.Run.Strategy, plan.Run.Base.Desired, plan.Limit = StrategyKops, StrategyKops, 0, 2
	plan.Hooks[0].Launching = true
	plan.Forecast.Rehearsal.Result = record.Failed
	plan.Run.Settings.PassInvalid, plan.Run.Settings.PassDrain, plan.Run.Settings.KeepOld = false, false, false

	var run record.Run
	full(reflect.ValueOf(&run).Elem(), 0)
	run.State, run.Canary.Passed = record.Running, false
	run.Batches = []record.Batch{run.Batches[0]}
	run.Batches[0].Approved = time.Time{}
	run.Phases[0].End = time.Time{}
	run.Nodes = shards.Of(map[string]record.Node{
		"a": {Stage: record.Replaced, Name: "a"}, "b": {Stage: record.NodeFail, Name: "b", Reason: "why", Lost: true}, "c": {Stage: record.Skipped, Name: "c", Reason: "why"},
	})
	var pod record.Pod
	full(reflect.ValueOf(&pod).Elem(), 0)
	run.Pods = shards.Of(map[string]record.Pod{"uid": pod})
	status := StatusOf(run)
	status.Driver, status.DriverUnknown, status.UnwrittenSince, status.PoolUnknown = "ann", "why", time.Now(), "why"
	status.Candidates = []string{"node"}
	full(reflect.ValueOf(&status.Others).Elem(), 0)
	status.Past = PastOf([]live.Stored{{Name: "x", Run: run, Discarded: "why"}})
	remote := Status{Run: "r", Group: "g", RecordAt: "elsewhere", Driver: "bob"}

	state := PoolState{World: world.New()}
	full(reflect.ValueOf(&state.Stands.Machines).Elem(), 0)
	state.Stands.Name, state.Stands.Outdated = "web", 1
	full(reflect.ValueOf(&state.Others).Elem(), 0)
	state.Seen = &snapshot.Snapshot{At: time.Now(), Pool: &snapshot.PoolView{}}
	full(reflect.ValueOf(state.Seen.Pool).Elem(), 0)
	var row snapshot.NodeRow
	full(reflect.ValueOf(&row).Elem(), 0)
	state.Seen.Zones = []snapshot.ZoneView{{Rows: []*snapshot.NodeRow{&row}}}
	var machine world.Machine
	full(reflect.ValueOf(&machine).Elem(), 0)
	machine.ID = row.ID
	state.World.SetMachines([]world.Machine{machine})
	full(reflect.ValueOf(&state.Seen.Blockers).Elem(), 0)
	state.Seen.Blockers[0].Deadline.For = blockers.UntilPodForced
	pool := state.Status()
	status.Pool = &pool
	var controller snapshot.PoolPlan
	full(reflect.ValueOf(&controller).Elem(), 0)

	var group GroupRow
	full(reflect.ValueOf(&group).Elem(), 0)
	group.Managed.ClusterVersion, group.Managed.Version = "1.32", "1.30"
	var several RollPlan
	full(reflect.ValueOf(&several.Roll).Elem(), 0)
	several.Rules.About = "by name"
	several.Plans = map[string]snapshot.Plan{several.Roll.Groups[0].Name: plan}
	several.Roll.Groups[0].State = roll.Waiting
	var change shoot.Plan
	full(reflect.ValueOf(&change).Elem(), 0)
	var event record.Event
	full(reflect.ValueOf(&event).Elem(), 0)

	unforeseen := plan
	unforeseen.Forecast = nil

	managed := PlannedManaged{Group: *group.Managed, Run: plan}
	managed.Group.Configured = nil
	managed.Group.Update = &world.ManagedUpdate{ID: "u-1", Status: world.UpdateFailed}
	return []any{
		PlannedPool{At: state, Roll: controller, Run: plan}.JSON(), managed.JSON(), NoRunOf(group), status.JSON(), remote.JSON(), StatusList([]Status{status}, []error{errors.New("damaged")}),
		ComparisonOf([]Compared{{Flags: []string{"--order=name"}, Plan: plan}, {Plan: unforeseen}}),
		GroupsOf([]GroupRow{group}), RollOf(several), ChangeOf(change), api.EventOf(event), ExitOf(2, "why"),
	}
}

// Of a value in which all is set a document has all fields, so each is produced; it is still as
// its schema has it, as far as names and types go.
func TestEveryFieldIsProduced(t *testing.T) {
	found := map[string]bool{}
	for _, doc := range fullDocuments() {
		produced(reflect.ValueOf(doc), found)
	}
	var missing []string
	for _, doc := range documents {
		switch of := reflect.TypeOf(doc); of {
		case reflect.TypeFor[api.CommandResult](), reflect.TypeFor[api.Version](), reflect.TypeFor[api.HookEvent](): // made where they are printed
		default:
			for _, name := range declared(of, map[reflect.Type]bool{}) {
				if !found[name] && !slices.Contains(missing, name) {
					missing = append(missing, name)
				}
			}
		}
	}
	if len(missing) > 0 {
		t.Errorf("nothing fills in\n%s", strings.Join(missing, "\n"))
	}
	if len(found) < 300 {
		t.Errorf("only %d fields were checked", len(found))
	}
}

// filters are lines of the documents that hand what a command prints to jq.
var filters = regexp.MustCompile(`drainboard ([a-z]+) [^|\n]*\| jq (?:-r )?'([^']+)'`)

// TestDocsFilters holds that each jq filter of the documents finds something in what the command prints,
// and nothing that is null.
func TestDocsFilters(t *testing.T) {
	kinds := map[string][]string{"groups": {"GroupList"}, "status": {"GroupStatus"}, "plan": {"GroupPlan"}, "upgrade": {"Event"}}
	given := map[string][]any{} // by kind
	for _, doc := range fullDocuments() {
		var text bytes.Buffer
		var read map[string]any
		if err := JSON(&text, doc); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text.Bytes(), &read); err != nil {
			t.Fatal(err)
		}
		if kind := read["kind"].(string); kind == "Event" {
			read["type"] = "pod.blocked"
		}
		given[read["kind"].(string)] = append(given[read["kind"].(string)], read)
	}
	given["GroupStatus"] = append(given["GroupStatus"], map[string]any{"group": "ng-web"},
		map[string]any{"group": "ng-web", "latestRun": map[string]any{"state": "running", "replaced": 1, "outdated": 3}}) // nothing waits
	given["Event"] = append(given["Event"], map[string]any{"type": "pod.blocked", "pod": "shop/cart"}) // by no PDB
	found := 0
	err := filepath.WalkDir("../../../../docs", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".md") && !strings.HasSuffix(path, ".sh") {
			return err
		}
		page, err := os.ReadFile(path)
		for _, m := range filters.FindAllSubmatch(page, -1) {
			found++
			query, err := gojq.Parse(string(m[2]))
			if err != nil {
				t.Errorf("%s: %s: %v", path, m[2], err)
				continue
			}
			outputs := 0
			for _, kind := range kinds[string(m[1])] {
				for _, doc := range given[kind] {
					for iter := query.Run(doc); ; outputs++ {
						out, more := iter.Next()
						if !more {
							break
						}
						if _, failed := out.(error); failed {
							break // of another shape, such as a group that is no worker pool
						}
						if text, _ := json.Marshal(out); bytes.Contains(text, []byte("null")) {
							t.Errorf("%s: %s: %s", path, m[2], text)
						}
					}
				}
			}
			if outputs == 0 {
				t.Errorf("%s: %s finds nothing", path, m[2])
			}
		}
		return err
	})
	if err != nil || found < 8 {
		t.Errorf("%d filters: %v", found, err)
	}
}

// full sets all that can be set in a value.
func full(v reflect.Value, depth int) {
	if !v.CanSet() || depth > 12 {
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(1)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(1)
	case reflect.Float64:
		v.SetFloat(1)
	case reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		full(v.Elem(), depth+1)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		full(v.Index(0), depth+1)
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		full(key, depth+1)
		full(value, depth+1)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Date(2026, 11, 21, 21, 7, 0, 0, time.UTC)))
			return
		}
		for _, field := range v.Fields() {
			full(field, depth+1)
		}
	}
}

// produced notes the fields that something is in, by the type that has them.
func produced(v reflect.Value, found map[string]bool) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			produced(v.Elem(), found)
		}
	case reflect.Slice:
		for i := range v.Len() {
			produced(v.Index(i), found)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for field, value := range v.Fields() {
			if !value.IsZero() && (value.Kind() != reflect.Slice && value.Kind() != reflect.Map || value.Len() > 0) {
				found[fmt.Sprintf("%s.%s", v.Type(), field.Name)] = true
			}
			produced(value, found)
		}
	}
}

// declared are all fields of a type, and of those in it.
func declared(of reflect.Type, seen map[reflect.Type]bool) (out []string) {
	of = within(of)
	if of.Kind() != reflect.Struct || of == reflect.TypeFor[time.Time]() || of == reflect.TypeFor[api.TypeMeta]() || seen[of] {
		return nil
	}
	seen[of] = true
	for i := range of.NumField() {
		if f := of.Field(i); f.Name != "TypeMeta" {
			out = append(append(out, fmt.Sprintf("%s.%s", of, f.Name)), declared(f.Type, seen)...)
		}
	}
	return out
}

// A setting has the name of its flag; what a run has as a setting programs get.
func TestSettingsHaveTheNamesOfFlags(t *testing.T) {
	names := map[string]bool{}
	for i := range reflect.TypeFor[api.Settings]().NumField() {
		name, _, _ := strings.Cut(reflect.TypeFor[api.Settings]().Field(i).Tag.Get("json"), ",")
		names[name] = true
	}
	elsewhere := []string{"strategy", "order", "only", "until", "seed", "hook"} // hook: beforeNodeTimeout, afterNodeTimeout
	for _, s := range Settings {
		if name := settingName(s.Flag); names[name] == slices.Contains(elsewhere, name) {
			t.Errorf("--%s is no setting %s", s.Flag, name)
		}
	}
	kops := record.Run{Strategy: StrategyKops}
	none := settingsOf(kops)
	for i := range reflect.TypeFor[record.Settings]().NumField() {
		name := reflect.TypeFor[record.Settings]().Field(i).Name
		with := kops
		full(reflect.ValueOf(&with.Settings).Elem().Field(i), 0)
		top := name == "Order" || name == "Until" || name == "Origin" // of the plan itself
		if got := settingsOf(with); reflect.DeepEqual(got, none) != top {
			t.Errorf("the setting %s is lost", name)
		}
	}
}

// What built-in worlds come to, from the plan to the end, is as the schemas have it.
func TestScenariosForPrograms(t *testing.T) {
	var all strings.Builder
	for name, alone := range map[string]bool{"kops": true, "stuck": true, "tour": false} {
		s, err := script.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		c, err := s.Open(1, alone) // else there is an operator, who approves nothing
		if err != nil {
			t.Fatal(err)
		}
		plan := c.Plan("run-1")
		printed(t, PlanOf(plan))
		printed(t, RollOf(RollPlan{Roll: roll.New(strategy.RollByName(), "roll-1", []roll.Group{{Name: "web", Group: plan.Group}}), Plans: map[string]snapshot.Plan{"web": plan}}))
		if _, err := c.Do("start"); err != nil {
			t.Fatal(err)
		}
		for range 6 {
			if _, err := c.Do("run for=4m"); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			all.Write(printed(t, StatusOf(c.Driver.Run).JSON()))
		}
	}
	for _, want := range []string{`"waitingBatch": {`, `"blockedPods": [\n`, `"validation": {`, `"externalMovers": [\n`, `"result": "succeeded"`, `"result": "PodEvictionFailure"`} {
		if !strings.Contains(all.String(), strings.ReplaceAll(want, `\n`, "\n")) {
			t.Errorf("no status has %s", want)
		}
	}
}
