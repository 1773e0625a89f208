package roll_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/roll"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
)

// kopsGroups are groups of every role, in no order.
func kopsGroups() []roll.Group {
	return []roll.Group{
		{Name: "nodes-b", Role: world.RoleNode}, {Name: "nodes-a", Role: world.RoleNode},
		{Name: "api", Role: world.RoleAPIServer},
		{Name: "master-b", Role: world.RoleControlPlane}, {Name: "master-a", Role: world.RoleControlPlane},
		{Name: "bastion-b", Role: world.RoleBastion}, {Name: "bastion-a", Role: world.RoleBastion},
	}
}

// plainGroups are groups without roles.
func plainGroups() []roll.Group {
	return []roll.Group{{Name: "web"}, {Name: "batch"}, {Name: "db"}}
}

// byGroup are ends of runs by name; a group that has none ends well.
type byGroup map[string]roll.End

// managedGroups are groups of which EKS updates some.
func managedGroups() []roll.Group {
	return []roll.Group{{Name: "shop", Role: strategy.RoleManaged}, {Name: "web"}, {Name: "mail", Role: strategy.RoleManaged}, {Name: "asg"}, {Name: "db", Role: strategy.RoleManaged}, {Name: "batch", Role: strategy.RoleManaged}}
}

var (
	evictions  = roll.End{Result: record.EvictionFail, Code: 4, Why: "PodEvictionFailure: a pod stays"}
	invalid    = roll.End{Result: record.InvalidFail, Code: 7}
	unregister = roll.End{Result: record.DeregisterFail, Code: 1}
	leftNodes  = roll.End{Result: record.NodesLeft, Code: 8}
	aborted    = roll.End{Result: record.Aborted, Code: 3}
	paused     = roll.End{Code: 9}
	held       = roll.End{Code: 6, Why: "bob has the lock"}
	refused    = roll.End{Code: 2}
)

// play decides a roll to its end: what is started ends at the next decision. It returns
// what started together, a word for each decision that started something.
func play(t *testing.T, rules roll.Rules, groups []roll.Group, e byGroup) (started []string, r roll.Roll, events []record.Event) {
	t.Helper()
	now := time.Date(2026, 3, 14, 21, 0, 0, 0, time.UTC)
	r = roll.New(rules, "roll-1", groups)
	var news roll.News
	for range 50 {
		d := roll.Decide(rules, now, reread(t, r), news)
		r, events, news = d.Roll, append(events, d.Events...), roll.News{}
		if r.Over() {
			return started, r, events
		}
		if len(d.Start) > 0 {
			started = append(started, strings.Join(d.Start, "+"))
		}
		now = now.Add(time.Minute)
		for _, name := range r.Names(roll.Running) {
			end, ok := e[name]
			if !ok {
				end = roll.End{Result: record.Succeeded, Done: 3, Total: 3}
			}
			end.Group = name
			news.Ends = append(news.Ends, end)
		}
	}
	t.Fatal("the roll does not end")
	return nil, r, nil
}

// reread is a roll after a way through JSON.
func reread(t *testing.T, r roll.Roll) (out roll.Roll) {
	t.Helper()
	b, err := json.Marshal(r)
	if err == nil {
		err = json.Unmarshal(b, &out)
	}
	if err != nil || !reflect.DeepEqual(r, out) {
		t.Fatalf("%v: %+v came back as %+v", err, r, out)
	}
	return out
}

func TestRollOrderAndStops(t *testing.T) {
	kops, byName := strategy.RollKops(false), strategy.RollByName()
	all := "bastion-a bastion-b master-a master-b api nodes-a nodes-b"
	for _, c := range []struct {
		what    string
		rules   roll.Rules
		groups  []roll.Group
		ends    byGroup
		started string
		code    int
		stop    string
	}{
		{"kops: bastions, control plane, API servers, nodes, by name", kops, kopsGroups(), nil, all, 0, ""},
		{"kops's code: bastions side by side", strategy.RollKops(true), kopsGroups(), nil, "bastion-a+bastion-b master-a master-b api nodes-a nodes-b", 0, ""},
		{"kops: an error of a bastion stops everything", kops, kopsGroups(), byGroup{"bastion-a": evictions}, "bastion-a", 4, "any error of a bastion group"},
		{"kops's code: the other bastions end first", strategy.RollKops(true), kopsGroups(), byGroup{"bastion-a": evictions}, "bastion-a+bastion-b", 4, "any error of a bastion group"},
		{"kops: an error of the control plane stops everything", kops, kopsGroups(), byGroup{"master-a": evictions}, "bastion-a bastion-b master-a", 4, "any error of a control-plane group"},
		{"kops: other errors of API servers and nodes are remembered", kops, kopsGroups(), byGroup{"api": evictions, "nodes-a": {Result: record.Failed, Code: 1}}, all, 4, ""},
		{"kops: a cluster that does not validate stops", kops, kopsGroups(), byGroup{"nodes-a": invalid}, "bastion-a bastion-b master-a master-b api nodes-a", 7, "ClusterValidationFailure"},
		{"kops: a deregistration that fails stops", kops, kopsGroups(), byGroup{"api": unregister}, "bastion-a bastion-b master-a master-b api", 1, "DeregistrationFailure"},
		{"kops: a group of nodes that another run holds is an error that is remembered", kops, kopsGroups(), byGroup{"nodes-a": held}, all, 6, ""},
		{"kops: one of the control plane stops", kops, kopsGroups(), byGroup{"master-b": held}, "bastion-a bastion-b master-a master-b", 6, "any error of a control-plane group"},
		{"an abort stops everything", kops, kopsGroups(), byGroup{"nodes-a": aborted}, "bastion-a bastion-b master-a master-b api nodes-a", 3, "nodes-a was aborted"},
		{"so does a pause", kops, kopsGroups(), byGroup{"api": paused}, "bastion-a bastion-b master-a master-b api", 9, "api is paused"},
		{"a role that nobody knows goes with the nodes", kops, append(kopsGroups(), roll.Group{Name: "nodes-aa", Role: "etcd"}), nil, "bastion-a bastion-b master-a master-b api nodes-a nodes-aa nodes-b", 0, ""},
		{"by name", byName, plainGroups(), nil, "batch db web", 0, ""},
		{"an error stops", byName, plainGroups(), byGroup{"batch": evictions}, "batch", 4, "any error of a group stops"},
		{"so does what cannot be started", byName, plainGroups(), byGroup{"db": refused}, "batch db", 2, "any error of a group stops"},
		{"nodes left by choice are no error", byName, plainGroups(), byGroup{"batch": leftNodes}, "batch db web", 8, ""},
		{"--keep-going: errors stop nothing", byName.KeepGoing(), plainGroups(), byGroup{"batch": evictions, "db": held}, "batch db web", 6, ""},
		{"--keep-going: an abort does", byName.KeepGoing(), plainGroups(), byGroup{"batch": aborted}, "batch", 3, "batch was aborted"},
		{"EKS's groups come last, one at a time", strategy.RollManaged(0), managedGroups(), nil, "asg web batch db mail shop", 0, ""},
		{"EKS's groups side by side, up to a limit", strategy.RollManaged(2), managedGroups(), nil, "asg web batch+db mail+shop", 0, ""},
		{"an error of one of EKS's groups stops those that have not started", strategy.RollManaged(2), managedGroups(), byGroup{"batch": evictions}, "asg web batch+db", 4, "any error of a managed group"},
		{"--keep-going with EKS's groups", strategy.RollManaged(2).KeepGoing(), managedGroups(), byGroup{"batch": evictions}, "asg web batch+db mail+shop", 4, ""},
		{"an unfinished run goes first", kops, func() []roll.Group { g := kopsGroups(); g[0].Resumes = true; return g }(), nil, "nodes-b bastion-a bastion-b master-a master-b api nodes-a", 0, ""},
		{"several: in their order", byName, []roll.Group{{Name: "a"}, {Name: "c", Resumes: true}, {Name: "b", Resumes: true}}, nil, "b c a", 0, ""},
		{"what is left out does not start", byName, []roll.Group{{Name: "a", State: roll.LeftOut, Why: "nothing is outdated"}, {Name: "b"}}, nil, "b", 0, ""},
		{"what is left out although it is outdated counts as nodes left", byName, []roll.Group{{Name: "a", State: roll.LeftOut, Why: "it is refused", Code: 8}, {Name: "b"}}, nil, "b", 8, ""},
	} {
		t.Run(c.what, func(t *testing.T) {
			started, r, events := play(t, c.rules, c.groups, c.ends)
			if got := strings.Join(started, " "); got != c.started {
				t.Errorf("started %s, want %s", got, c.started)
			}
			if got := r.ExitCode(); got != c.code {
				t.Errorf("exit code %d, want %d", got, c.code)
			}
			if (c.stop == "") != (r.Stop == "") || !strings.Contains(r.Stop, c.stop) {
				t.Errorf("stopped because %q, want %q", r.Stop, c.stop)
			}
			begun := strings.FieldsFunc(c.started, func(r rune) bool { return r == ' ' || r == '+' })
			for _, g := range r.Groups {
				switch {
				case strings.Contains(" "+strings.Join(begun, " ")+" ", " "+g.Name+" "):
					if g.State != roll.Finished || g.Ended.Sub(g.Started) != time.Minute {
						t.Errorf("%+v", g)
					}
				case g.State == roll.LeftOut:
				case g.State != roll.NotStarted || g.Why != r.Stop:
					t.Errorf("%+v, want that it was not started because %s", g, r.Stop)
				}
			}
			last := events[len(events)-1]
			if events[0].Type != record.RollStarted || last.Type != record.RollEnded || *last.ExitCode != c.code {
				t.Errorf("told %v ... %v", events[0], last)
			}
			told := map[string]int{}
			for _, e := range events {
				if e.Roll != "roll-1" || e.Time.IsZero() {
					t.Errorf("%+v", e)
				}
				if e.Type == record.RollGroupChanged {
					told[e.Group+" "+e.Reason]++
				}
			}
			for _, g := range r.Groups {
				if told[g.Name+" "+string(g.State)] != 1 {
					t.Errorf("that %s is %s was told %d times", g.Name, g.State, told[g.Name+" "+string(g.State)])
				}
			}
		})
	}
}

// The operator's word on the whole roll counts if it kept a group from starting.
func TestRollIsTold(t *testing.T) {
	rules := strategy.RollByName()
	now := time.Now()
	d := roll.Decide(rules, now, roll.New(rules, "r", plainGroups()), roll.News{})
	stop := roll.News{Stop: "bob@desk left", Told: 9}

	held := roll.Decide(rules, now, d.Roll, stop)
	if held.Roll.Over() || len(held.Start) > 0 {
		t.Errorf("a roll that is held while a group is under way: %+v", held)
	}
	held = roll.Decide(rules, now, held.Roll, roll.News{Ends: []roll.End{{Group: "batch", Result: record.Succeeded}}})
	if code := held.Roll.ExitCode(); !held.Roll.Over() || code != 9 || held.Roll.Stop != "bob@desk left" {
		t.Errorf("exit code %d: %+v", code, held.Roll)
	}

	stop.Ends = []roll.End{{Group: "batch", Unbegun: true}}
	unbegun := roll.Decide(rules, now, d.Roll, stop)
	if got := unbegun.Roll.Names(roll.NotStarted); !unbegun.Roll.Over() || fmt.Sprint(got) != "[batch db web]" || unbegun.Roll.ExitCode() != 9 {
		t.Errorf("what had not begun: %+v", unbegun.Roll)
	}

	last := roll.New(rules, "r", plainGroups()[:1])
	last = roll.Decide(rules, now, last, roll.News{}).Roll
	last = roll.Decide(rules, now, last, roll.News{Stop: "bob@desk left", Told: 9, Ends: []roll.End{{Group: "web", Result: record.Succeeded}}}).Roll
	if code := last.ExitCode(); !last.Over() || code != 0 {
		t.Errorf("a word that kept nothing from starting: exit code %d", code)
	}
}

func TestWorstExit(t *testing.T) {
	order := []int{2, 10, 11, 6, 3, 9, 5, 4, 7, 1, 8, 0}
	for i, worse := range order {
		for _, better := range order[i:] {
			if got := record.WorstExit(better, worse, better); got != worse {
				t.Errorf("of %d and %d the worse is %d", worse, better, got)
			}
		}
	}
	if got := record.WorstExit(); got != 0 {
		t.Errorf("of nothing: %d", got)
	}
	if got := record.WorstExit(2, 77); got != 77 {
		t.Errorf("what is not known is %d", got)
	}
}

func TestRollSentences(t *testing.T) {
	at := time.Date(2026, 3, 14, 21, 0, 0, 0, time.UTC)
	for want, g := range map[string]roll.Group{
		"web: waiting":                             {Name: "web", State: roll.Waiting},
		"web: running, 1 of 3 nodes replaced":      {Name: "web", State: roll.Running, Done: 1, Total: 3},
		"web: left out: nothing is outdated":       {Name: "web", State: roll.LeftOut, Why: "nothing is outdated"},
		"web: not started: batch is paused":        {Name: "web", State: roll.NotStarted, Total: 3, Why: "batch is paused"},
		"web: done, 3 of 3 nodes replaced in 1m0s": {Name: "web", State: roll.Finished, Done: 3, Total: 3, Started: at, Ended: at.Add(time.Minute), Result: record.Succeeded, Why: "x"},
		"web: PodEvictionFailure: a pod stays":     {Name: "web", State: roll.Finished, Result: record.EvictionFail, Code: 4, Why: "PodEvictionFailure: a pod stays"},
		"web: held by another: bob has the lock":   {Name: "web", State: roll.Finished, Code: 6, Why: "bob has the lock"},
		"web: paused":                              {Name: "web", State: roll.Finished, Code: 9},
	} {
		if got := g.Sentence(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
