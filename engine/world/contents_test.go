package world

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/labels"
)

// What is written of a World makes the same one again, selectors and shared needs included.
func TestContents(t *testing.T) {
	at := time.Date(2026, 3, 1, 4, 0, 0, 0, time.UTC)
	w := New()
	w.SetGroup(Group{Name: "ng", ID: "arn", Provider: "asg", Sizes: Sizes{1, 5, 3}, Template: Template{"lt-1", 2}, Pool: &Pool{Name: "p"}})
	w.SetMachines([]Machine{{ID: "i-2", Zone: "a", State: MachineInService, Managed: &ManagedMachine{Name: "m", Created: at}}, {ID: "i-1", Zone: "b"}})
	w.SetNode(&Node{Name: "n1", Machine: "i-1", Created: at, Labels: map[string]string{"a": "b"}, Joining: time.Minute, Conditions: []Condition{{Type: "Ready", On: true, Since: at}}})
	needs := &Needs{Room: Room{CPU: 5}, Spread: []Spread{{Topology: "zone", MaxSkew: 2}}}
	w.SetPod(&Pod{UID: "u1", Namespace: "x", Name: "one", Node: "n1", Labels: map[string]string{"app": "web"}, Needs: needs, Ends: at})
	w.SetPod(&Pod{UID: "u2", Namespace: "x", Name: "two", Labels: map[string]string{"app": "api"}, Needs: &Needs{Room: Room{CPU: 5}, Spread: []Spread{{Topology: "zone", MaxSkew: 2}}}})
	for name, selector := range map[string]string{"web": "app=web", "in": "app in (api,web),!old", "all": ""} {
		s, err := labels.Parse(selector)
		if err != nil {
			t.Fatal(err)
		}
		w.SetBudget(&Budget{Namespace: "x", Name: name, Selector: s, Allowed: 1})
	}
	w.SetBudget(&Budget{Namespace: "x", Name: "none", Selector: labels.Nothing()})
	w.SetDaemonSets([]string{})
	w.SetHealth(Cluster, Health{Fresh: at})
	w.SetHealth(Cloud, Health{Fresh: at, Problem: "slow"})

	was := w.Contents()
	data, err := json.Marshal(was)
	if err != nil {
		t.Fatal(err)
	}
	var c Contents
	if err := json.Unmarshal(data, &c); err != nil {
		t.Fatal(err)
	}
	read := New()
	if err := c.Fill(read); err != nil {
		t.Fatal(err)
	}
	if now := read.Contents(); !reflect.DeepEqual(was, now) {
		t.Errorf("written: %+v\nread: %+v", was, now)
	}
	if read.Pod("u1").Needs != read.Pod("u2").Needs {
		t.Error("pods that ask for the same do not share their needs")
	}
	for _, uid := range []string{"u1", "u2"} {
		if was, now := w.BudgetsOf(w.Pod(uid)), read.BudgetsOf(read.Pod(uid)); len(was) != len(now) {
			t.Errorf("%s is under %d PDBs, was under %d", uid, len(now), len(was))
		}
	}
	if read.HasDaemonSet("gone") {
		t.Error("it is forgotten that there is no DaemonSet")
	}
	for _, bad := range []string{`{"Pods":[null]}`, `{"Nodes":[null]}`} {
		if err := json.Unmarshal([]byte(bad), new(Contents)); err == nil {
			t.Errorf("%s is taken", bad)
		}
	}
	wrong := Contents{Budgets: []BudgetContents{{Selector: "((("}}}
	if err := wrong.Fill(New()); err == nil {
		t.Error("a selector that cannot be read is taken")
	}
}

// Machines that are listed again as they were stay as they are, at little cost; one that is missing
// is noticed, also where another one is listed twice.
func TestMachinesListedAgain(t *testing.T) {
	w := New()
	list := []Machine{{ID: "i-1", Zone: "b"}, {ID: "i-2", Zone: "a", Managed: &ManagedMachine{Name: "m"}}}
	w.SetMachines(list)
	first := w.Machines()
	again := []Machine{{ID: "i-2", Zone: "a", Managed: &ManagedMachine{Name: "m"}}, {ID: "i-1", Zone: "b"}}
	if w.SetMachines(again); &w.Machines()[0] != &first[0] || w.Machines()[1] != first[1] {
		t.Error("machines that have not changed are sorted again")
	}
	if w.SetMachines([]Machine{list[0], list[0]}); len(w.Machines()) != 1 || w.Machine("i-2") != nil {
		t.Errorf("%d machines", len(w.Machines()))
	}
	if w.SetMachines(nil); len(w.Machines()) != 0 {
		t.Errorf("%d machines", len(w.Machines()))
	}
}
