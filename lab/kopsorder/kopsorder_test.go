package kopsorder

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// played is a rolling update as kops would do it, written down by hand: a line a step,
// the seconds since the step before, what, and with which node.
const played = `
bastions       0 terminated   i-bastion
bastions      25 validated

masters        1 validated
masters        0 tainted      m1
masters        0 tainted      m2
masters        0 cordoned     m1
masters        1 deregistered m1
masters        0 evicted      m1
masters        1 drained      m1
masters        5 terminated   m1
masters       25 validated
masters        0 cordoned     m2
masters        1 deregistered m2
masters        1 drained      m2
masters        5 terminated   m2
masters       25 validated

batch          1 validated
batch          0 tainted      b1
batch          0 tainted      b2
batch          0 tainted      b3
batch          0 cordoned     b1
batch          0 evicted      b1
batch          1 drained      b1
batch          5 terminated   b1
batch         25 validated
batch          0 cordoned     b2
batch          0 cordoned     b3
batch          0 evicted      b2
batch          0 evicted      b3
batch          1 drained      b2
batch          1 drained      b3
batch          4 terminated   b2
batch          1 terminated   b3
batch         25 validated

nodes          1 validated
nodes          0 tainted      n1
nodes          0 tainted      n2
nodes          0 tainted      n3
nodes          0 tainted      n4
nodes          0 tainted      n5
nodes          0 detached     n5
nodes         25 validated
nodes          0 detached     n4
nodes         25 validated
nodes          0 cordoned     n1
nodes          0 cordoned     n2
nodes          0 evicted      n1
nodes          1 evicted      n2
nodes          1 drained      n1
nodes          5 terminated   n1
nodes         25 validated
nodes          0 cordoned     n3
nodes          0 drained      n3
nodes          1 drained      n2
nodes          5 terminated   n3
nodes          1 terminated   n2
nodes         25 validated
nodes          0 cordoned     n4
nodes          0 cordoned     n5
nodes          0 evicted      n5
nodes          1 drained      n4
nodes          1 drained      n5
nodes          4 terminated   n4
nodes          1 terminated   n5
nodes         25 validated`

func waits(g Group) Group {
	g.PostDrain, g.Interval, g.Looks, g.Pause = 5*time.Second, 15*time.Second, 2, 10*time.Second
	return g
}

var playedGroups = []Group{
	waits(Group{Name: "nodes", Role: Node, Size: 5, Surge: 2}),
	waits(Group{Name: "batch", Role: Node, Size: 3, Unavailable: 2}),
	waits(Group{Name: "masters", Role: ControlPlane, Size: 2, Surge: 2, Balanced: true}),
	waits(Group{Name: "bastions", Role: Bastion, Size: 1, Unavailable: 1}),
}

func parse(t *testing.T, text string) []step {
	t.Helper()
	var out []step
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for line := range strings.Lines(text) {
		var s step
		var seconds int
		if n, _ := fmt.Sscan(line, &s.group, &seconds, &s.kind, &s.node); n < 3 {
			continue
		}
		at = at.Add(time.Duration(seconds) * time.Second)
		s.at = at
		out = append(out, s)
	}
	return number(out)
}

func TestPlayedFits(t *testing.T) {
	for _, b := range check(parse(t, played), playedGroups) {
		t.Error(b)
	}
}

// Every constraint is broken by two steps that change places, or where an order alone
// cannot break it, by one that is left out, comes twice or too soon. So none of them
// holds whatever happens.
func TestEveryRuleCanBreak(t *testing.T) {
	good := parse(t, played)
	caught := map[string]int{}
	alone := map[string]int{} // mutations that no other rule notices
	try := func(s []step) {
		broken := check(s, playedGroups)
		names := map[string]bool{}
		for _, b := range broken {
			names[b.Rule.Name] = true
		}
		for name := range names {
			caught[name]++
			if len(names) == 1 {
				alone[name]++
			}
		}
	}
	swapped := map[string]bool{}
	for i := range good {
		for j := range i {
			s := slices.Clone(good)
			s[i], s[j] = s[j], s[i]
			s[i].at, s[j].at = good[i].at, good[j].at // it is the order that changes
			try(s)
		}
	}
	for name := range caught {
		swapped[name] = true
	}
	for i := range good {
		try(slices.Delete(slices.Clone(good), i, i+1))
		try(slices.Insert(slices.Clone(good), i, good[i]))
		for _, sooner := range []time.Duration{time.Second, 11 * time.Second} {
			s := slices.Clone(good)
			for j := i; j < len(s); j++ {
				s[j].at = s[j].at.Add(-sooner)
			}
			try(s)
		}
	}
	// A third machine is detached where two may be, and one of the control plane.
	at := slices.IndexFunc(good, func(s step) bool { return s.kind == detached && s.node == "n4" })
	third := good[at]
	third.node = "n3"
	try(slices.Insert(slices.Clone(good), at+1, third))
	at = slices.IndexFunc(good, func(s step) bool { return s.kind == tainted && s.node == "m2" })
	master := good[at]
	master.kind = detached
	try(slices.Insert(slices.Clone(good), at+1, master))

	for _, rule := range Rules {
		t.Logf("%-36s broken by %4d mutations, by swapping %v, alone by %d", rule.Name, caught[rule.Name], swapped[rule.Name], alone[rule.Name])
		if caught[rule.Name] == 0 {
			t.Errorf("no mutation breaks the rule %q", rule.Name)
		}
	}
	for _, name := range []string{ // those of an order alone
		"roles in turn", "groups in turn", "validated first", "all tainted first", "surge first", "first surge alone", "surge validated", "detached last",
		"first alone", "no more at once", "cordoned, then out of load balancers", "cordoned, then evicted", "out of load balancers, then evicted",
		"evicted, then drained", "drained, then ended", "validated last",
	} {
		if !swapped[name] {
			t.Errorf("no two steps break the rule %q by changing places", name)
		}
	}
}

// What kops would never do, with the constraint that it breaks.
func TestBreaks(t *testing.T) {
	for _, c := range []struct{ what, from, to, rule string }{
		{"the nodes before the control plane", "masters        1 validated", "nodes          1 validated\nmasters        1 validated", "roles in turn"},
		{"two node groups side by side", "batch          1 validated", "nodes          1 validated\nbatch          1 validated", "groups in turn"},
		{"no validation at first", "batch          1 validated\n", "", "validated first"},
		{"an untainted node", "nodes          0 tainted      n5\n", "", "all tainted first"},
		{"no proof of the first surge", "nodes         25 validated\nnodes          0 detached     n4", "nodes          0 detached     n4", "first surge alone"},
		{"no proof of the surge", "nodes         25 validated\nnodes          0 cordoned     n1", "nodes         25 cordoned     n1", "surge validated"},
		{"all at once from the first", "batch         25 validated\nbatch          0 cordoned     b2", "batch          0 cordoned     b2\nbatch         25 validated", "first alone"},
		{"a third at once", "nodes          0 evicted      n1", "nodes          0 cordoned     n3\nnodes          0 evicted      n1", "no more at once"},
		{"a machine not drained", "masters        1 drained      m2\n", "", "drained, then ended"},
		{"still behind its load balancer", "masters        1 deregistered m2\n", "", "out of load balancers, then evicted"},
		{"no delay after the drain", "masters        5 terminated   m2", "masters        4 terminated   m2", "post-drain delay"},
		{"a look too soon", "bastions      25 validated", "bastions      14 validated", "interval"},
		{"one look instead of two", "bastions      25 validated", "bastions      24 validated", "validated in a row"},
		{"no validation at the end", "nodes          1 terminated   n5\nnodes         25 validated", "nodes          1 terminated   n5", "validated last"},
		{"a detached machine that stays", "nodes          1 terminated   n5\n", "", "none left"},
		{"a detached machine too early", "nodes          0 cordoned     n2", "nodes          0 cordoned     n5\nnodes          0 cordoned     n2", "detached last"},
	} {
		if strings.Count(played, c.from) != 1 {
			t.Fatalf("%s: %q is not there once", c.what, c.from)
		}
		broken := check(parse(t, strings.Replace(played, c.from, c.to, 1)), playedGroups)
		if !slices.ContainsFunc(broken, func(b Broken) bool { return b.Rule.Name == c.rule }) {
			t.Errorf("%s does not break the rule %q, but %v", c.what, c.rule, broken)
		}
	}
}

// Two nodes that begin at once are cordoned in either order, also where one's machine is
// detached.
func TestDetachedBesideTheLast(t *testing.T) {
	turned := strings.Replace(played, "nodes          0 cordoned     n3", "nodes          0 cordoned     n4\nnodes          0 cordoned     n3", 1)
	for _, b := range check(parse(t, turned), playedGroups) {
		if b.Rule.Name == "detached last" {
			t.Error(b)
		}
	}
}

// Every rule has a name of its own, a sentence, and a place in kops's source.
func TestRulesNameTheirSource(t *testing.T) {
	source := regexp.MustCompile(`^(ig|ru|aws):\d+[-,\d]* \w+(, (ig|ru|aws):\d+[-,\d]* \w+)*$`)
	seen := map[string]bool{}
	for _, r := range Rules {
		if seen[r.Name] || r.Name == "" || !strings.HasSuffix(r.Says, ".") || !source.MatchString(r.Source) || (r.each == nil) == (r.all == nil) {
			t.Errorf("rule %+v", r)
		}
		seen[r.Name] = true
	}
}

// Events are read as drainboard says them; what is no step is left out.
func TestSteps(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var got []string
	for _, s := range steps([]Event{
		{at, "g", "run.started", "", "", ""},
		{at, "g", "validation.passed", "", "", "validation"},
		{at, "g", "validation.passed", "", "", "canary"},
		{at, "g", "node.tainted", "a", "", ""},
		{at, "g", "node.tainted", "a", "", "annotation"},
		{at, "g", "instance.detached", "a", "", ""},
		{at, "g", "node.draining", "a", "", ""},
		{at, "g", "node.cordoned", "a", "", ""},
		{at, "g", "node.cordoned", "a", "", "label"},
		{at, "g", "instance.deregistered", "a", "", ""},
		{at, "g", "pod.evicted", "a", "ns/p", ""},
		{at, "g", "node.drained", "a", "", ""},
		{at, "g", "node.terminating", "a", "", ""},
	}) {
		got = append(got, s.String())
	}
	want := []string{"validated ", "tainted a", "detached a", "cordoned a", "deregistered a", "evicted a", "drained a", "terminated a"}
	if !slices.Equal(got, want) {
		t.Errorf("steps %q, want %q", got, want)
	}
}
