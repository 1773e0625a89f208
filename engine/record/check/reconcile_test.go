package check_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/record/check"
	"github.com/drainboard/drainboard/engine/sim/script"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
)

// left is a run in the middle of its work, with everything that a record can hold,
// and the world as it is then.
func left(t *testing.T) (record.Run, *world.World) {
	t.Helper()
	s := script.New()
	if out, err := s.Do(`
		cluster zones=a,b nodes=4 template=2
		workload web replicas=6 stop=20s
		budget web max=1
		settings max-unavailable=2 approve=batch
		start
		run until=waiting
		operator approve
		run until=evicted
		run for=100ms`); err != nil {
		t.Fatal(err, out)
	}
	if err := check.Run(&s.Driver.Run); err != nil {
		t.Fatal(err)
	}
	return s.Driver.Run, s.Sim.View
}

// again is a copy of a run that shares nothing with it.
func again(t *testing.T, r record.Run) (c record.Run) {
	t.Helper()
	text, err := json.Marshal(r)
	if err == nil {
		err = json.Unmarshal(text, &c)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestFit(t *testing.T) {
	run, w := left(t)
	if why := check.OtherGroup(&run, w); why != "" {
		t.Fatal(why)
	}
	if fitted, unfit := check.Reconcile(run, w, nil); len(unfit) > 0 || !reflect.DeepEqual(fitted, run) {
		t.Fatalf("an untouched record does not fit: %q", unfit)
	}
	machine := slices.Sorted(maps.Keys(run.Marks))[0]
	stranger := &world.Node{Name: "theirs", Machine: "i-theirs", Unschedulable: true}
	for _, tt := range []struct {
		name string
		edit func(*record.Run, *world.World)
		gone []world.Template
		want string // of what does not fit, with its command
	}{
		{"a maximum beyond what the run set", func(r *record.Run, _ *world.World) { r.Base.Max = 100 }, nil, "min 0, max 100, desired 4: they do not match the run's own changes (4 more, 0 less, maximum 8): aws autoscaling describe-auto-scaling-groups --auto-scaling-group-names ng"},
		{"sizes that are none", func(r *record.Run, _ *world.World) { r.Base.Min = 9 }, nil, "no group can have them"},
		{"another launch template", func(_ *record.Run, w *world.World) { w.Group.Template.ID = "lt-other" }, nil, "now uses launch template lt-other"},
		{"a version that is no version", func(r *record.Run, _ *world.World) { r.BaseTemplateSpec = "77" }, nil, `the record has it as version "77"`},
		{"a version that does not exist", func(r *record.Run, _ *world.World) { r.BaseTemplate.Version, r.BaseTemplateSpec = 88, "88" }, []world.Template{{ID: "lt", Version: 88}}, "that version does not exist: aws autoscaling update-auto-scaling-group --auto-scaling-group-name ng --launch-template 'LaunchTemplateId=lt,Version=88'"},
		{"a process that no run suspends", func(r *record.Run, w *world.World) {
			r.Suspended, w.Group.Suspended = append(r.Suspended, "Launch"), append(w.Group.Suspended, "Launch")
		}, nil, "will not resume Launch: no run suspends it: aws autoscaling resume-processes --auto-scaling-group-name ng --scaling-processes Launch"},
		{"a cordon on a node of another group", func(r *record.Run, w *world.World) {
			w.SetNode(stranger)
			r.Marks["i-theirs"] = []record.Mark{{Put: record.CordonOf("i-theirs", "theirs")}}
		}, nil, "will not uncordon theirs: its machine i-theirs is not in this group: kubectl uncordon theirs"},
		{"a cordon on another machine's node", func(r *record.Run, w *world.World) {
			w.SetNode(stranger)
			r.Marks[machine] = []record.Mark{{Put: record.CordonOf(machine, "theirs")}}
		}, nil, "it is the node of machine i-theirs, not of " + machine},
	} {
		r, now := again(t, run), *w
		tt.edit(&r, &now)
		given := again(t, r)
		fitted, unfit := check.Reconcile(r, &now, tt.gone)
		if len(unfit) != 1 || len(fitted.Unrestored) != 1 || !strings.HasPrefix(fitted.Unrestored[0], unfit[0]+": ") || !strings.Contains(fitted.Unrestored[0], tt.want) {
			t.Errorf("%s: unfit %q, left %q, want %q", tt.name, unfit, fitted.Unrestored, tt.want)
		}
		if !reflect.DeepEqual(again(t, r), given) {
			t.Errorf("%s: the run that was given has changed", tt.name)
		}
		if again, still := check.Reconcile(fitted, &now, tt.gone); len(still) > 0 {
			t.Errorf("%s: what fits does not fit: %q", tt.name, still)
		} else if err := check.Run(&again); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

func TestStrange(t *testing.T) {
	run, w := left(t)
	run.GroupID = "arn:1"
	for want, edit := range map[string]func(*record.Run, *world.World){
		"it belongs to the asg group other":         func(r *record.Run, _ *world.World) { r.Group = "other" },
		"it belongs to the kops group ng":           func(r *record.Run, _ *world.World) { r.Provider = "kops" },
		"deleted and recreated since the run began": func(_ *record.Run, w *world.World) { w.Group.ID = "arn:2" },
	} {
		r, now := again(t, run), *w
		edit(&r, &now)
		if why := check.OtherGroup(&r, &now); !strings.Contains(why, want) {
			t.Errorf("got %q, want %q", why, want)
		}
	}
	if why := check.OtherGroup(&run, w); why != "" { // a provider that has no such id
		t.Error(why)
	}
}

func TestTraces(t *testing.T) {
	_, w := left(t)
	node := *w.NodeOf(w.Machines()[0].ID)
	node.Annotations = map[string]string{world.KeepFromScaleDown: "true"}
	w.SetNode(&node)
	sure, unsure := check.Traces(w)
	commands := func(traces []check.Trace) (all string) {
		for _, one := range traces {
			all += one.Command + "\n"
		}
		return all
	}
	if got := commands(sure); strings.Count(got, "kubectl taint node ") != 4 || !strings.Contains(got, "eks.amazonaws.com/nodegroup=unschedulable:NoSchedule-") {
		t.Errorf("taints of ours: %q", got)
	}
	if got := commands(unsure); !strings.Contains(got, "resume-processes --auto-scaling-group-name ng --scaling-processes AZRebalance") || !strings.Contains(got, "kubectl annotate node "+node.Name+" "+world.KeepFromScaleDown+"-") {
		t.Errorf("what may be ours: %q", got)
	}
}

// Whatever a user has made of a record, the engine decides on it without falling
// over, or says what is wrong with it: every value of one is left out, and replaced
// by others.
func TestMutilatedRecord(t *testing.T) {
	run, w := left(t)
	now := w.Health[world.Cluster].Fresh.Add(time.Second)
	text, err := json.Marshal(run)
	if err != nil {
		t.Fatal(err)
	}
	var whole any
	if err := json.Unmarshal(text, &whole); err != nil {
		t.Fatal(err)
	}
	var unread, refused, unfit, decided int
	try := func(what string, state record.State) {
		text, err := json.Marshal(whole)
		if err != nil {
			t.Fatal(err)
		}
		var r record.Run
		if json.Unmarshal(text, &r) != nil {
			unread++
			return
		}
		defer func() {
			if r := recover(); r != nil {
				t.Errorf("%s, %s: %v", what, state, r)
			}
		}()
		if state != "" && r.State == record.Running {
			r.State, r.Result, r.PhaseWait = state, record.Aborted, &record.Wait{End: now.Add(time.Minute)}
		}
		if check.Run(&r) != nil {
			refused++
			return
		}
		r.Outstanding()
		if check.OtherGroup(&r, w) != "" {
			unfit++
			return
		}
		r, _ = check.Reconcile(r, w, nil)
		r = engine.TakeOver(r, now)
		rules, err := strategy.Named(r.Strategy)
		if err != nil {
			refused++
			return
		}
		for range 3 {
			d := engine.Decide(rules, now, w, r, engine.Inputs{Commands: []record.Command{{Kind: record.CmdApprove}}})
			snapshot.View(rules, now, w, d.Run, snapshot.Look{}, nil)
			r, now = d.Run, now.Add(time.Second)
		}
		decided++
	}
	var each func(path string, of any, set func(any))
	each = func(path string, of any, set func(any)) {
		if set != nil {
			for _, odd := range []any{nil, "odd", -7.0, true, map[string]any{}, []any{nil}} {
				set(odd)
				try(fmt.Sprintf("%s: %v", path, odd), "")
				try(fmt.Sprintf("%s: %v", path, odd), record.Ending)
			}
			set(of)
		}
		switch of := of.(type) {
		case map[string]any:
			for i, key := range slices.Sorted(maps.Keys(of)) {
				if was := of[key]; !strings.HasPrefix(path, ".nodes.") && !strings.HasPrefix(path, ".pending.") && !strings.HasPrefix(path, ".marks.") || i%3 == 0 {
					each(path+"."+key, was, func(v any) { of[key] = v })
				}
			}
		case []any:
			for i, was := range of {
				each(fmt.Sprintf("%s[%d]", path, i), was, func(v any) { of[i] = v })
			}
		}
	}
	each("", whole, nil)
	t.Logf("%d cannot be read, %d are damaged, %d are another group's, %d were decided on", unread, refused, unfit, decided)
	if unread < 100 || refused < 100 || unfit < 2 || decided < 100 {
		t.Error("hardly anything was tried")
	}
}

// TestNothingToLower holds that a run whose sizes do not fit takes the group's as they are: it has nothing to take back.
func TestNothingToLower(t *testing.T) {
	run, w := left(t)
	r := again(t, run)
	r.Base.Min, r.Lowered, r.Doubted, r.Others, r.MaxSet = 9, 1, 2, 3, 12
	fitted, unfit := check.Reconcile(r, w, nil)
	if len(unfit) != 1 || fitted.Base != w.Group.Sizes {
		t.Fatalf("%q, and it returns to %s", unfit, fitted.Base)
	}
	if fitted.Raise != 0 || fitted.Lowered != 0 || fitted.Doubted != 0 || fitted.MaxSet != 0 || fitted.Others != 0 {
		t.Errorf("raised by %d, lowered by %d, in doubt %d, maximum %d, by others %d", fitted.Raise, fitted.Lowered, fitted.Doubted, fitted.MaxSet, fitted.Others)
	}
	if fitted.Expected() != w.Group.Sizes.Desired {
		t.Errorf("expects %d, the group has %d", fitted.Expected(), w.Group.Sizes.Desired)
	}
}
