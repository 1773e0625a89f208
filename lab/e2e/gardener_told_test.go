package e2e

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/drainboard/drainboard/lab"
	"github.com/drainboard/drainboard/lab/gardener"
)

// goneByAudit are those of some nodes that the API server's audit log has as deleted, by anybody.
func (s *shootScene) goneByAudit(among []string) (gone []string) {
	s.t.Helper()
	for _, r := range s.audit().Where(func(r lab.Request) bool {
		return r.Resource == "nodes" && r.Subresource == "" && r.Verb == "delete" && r.Code < 300 && slices.Contains(among, r.Name)
	}) {
		if !slices.Contains(gone, r.Name) {
			gone = append(gone, r.Name)
		}
	}
	slices.Sort(gone)
	return gone
}

// checkReplaced sees that a run told of each node of before what the audit log has: those that were
// deleted are gone, and those that were not were updated in place. So does its report, which has
// just these nodes, and each change that the run asked for. The run's processes are those that told it as
// events, one after the other, if any did.
func (s *shootScene) checkReplaced(pool string, before []string, ps ...*process) {
	s.t.Helper()
	gone := s.goneByAudit(before)
	kept := slices.DeleteFunc(slices.Clone(before), func(n string) bool { return slices.Contains(gone, n) })
	s.checkTold(pool, before, gone, kept, ps...)
}

// checkUntouchedPool sees that a run told of nothing in a pool none of whose nodes changed.
func (s *shootScene) checkUntouchedPool(pool string, before []string, p *process) {
	s.t.Helper()
	if now := s.nodesOf(pool); !slices.Equal(slices.Sorted(slices.Values(now)), slices.Sorted(slices.Values(before))) {
		s.t.Errorf("pool %s has the nodes %v, and had %v", pool, now, before)
	}
	s.checkTold(pool, before, s.goneByAudit(before), nil, p)
}

// checkTold sees that a run's events and its report have just these nodes as gone and as updated.
func (s *shootScene) checkTold(pool string, before, gone, updated []string, ps ...*process) {
	s.t.Helper()
	var left, stayed []string
	for _, p := range ps {
		for _, e := range p.all("node.replaced") {
			left = append(left, e.Node)
		}
		for _, e := range p.all("node.ready", saying("updated in place")) {
			stayed = append(stayed, e.Node)
		}
		if outdated := p.all("node.outdated", func(e Event) bool { return slices.Contains(updated, e.Node) }); len(outdated) > 0 {
			s.t.Errorf("pool %s: nodes that were updated in place are told as outdated: %v", pool, outdated)
		}
		if launched := p.all("node.launching", func(e Event) bool { return slices.Contains(before, e.Node) }); len(launched) > 0 {
			s.t.Errorf("pool %s: nodes of before are told as launched: %v", pool, launched)
		}
	}
	if len(ps) == 0 {
		left, stayed = gone, updated
	}
	report := s.run("report", pool).exits(0).out()
	for what, is := range map[string][2][]string{
		"told as gone": {left, gone}, "told as updated in place": {stayed, updated}, "in the report": {reported(report), slices.Concat(gone, updated)},
	} {
		got, want := slices.Sorted(slices.Values(is[0])), slices.Sorted(slices.Values(is[1]))
		if len(ps) > 1 { // the second may tell again what the first had told last
			got = slices.Compact(got)
		}
		if !slices.Equal(got, want) {
			s.t.Errorf("pool %s: %s are %v; by the audit log %v\n%s", pool, what, got, want, report)
		}
	}
	for _, r := range s.shootChanges() {
		if text := fmt.Sprintf("of pool %s in Shoot %s/%s", pool, s.shoot.Namespace, s.shoot.Name); bytes.Contains(r.Body, []byte(`"`+pool+`"`)) && !strings.Contains(report, text) {
			s.t.Errorf("pool %s: the report does not have %v:\n%s", pool, r, report)
		}
	}
}

// reported are the nodes that a report has as replaced or updated.
func reported(report string) (nodes []string) {
	for line := range strings.Lines(report) {
		cells := strings.Split(line, "|")
		if name := strings.TrimSpace(cells[min(1, len(cells)-1)]); len(cells) == 7 && strings.HasPrefix(name, "ip-") && strings.TrimSpace(cells[2]) != "new" {
			nodes = append(nodes, name)
		}
	}
	return nodes
}

// An update in place is told as what it is by a run that follows it, with the control cluster and
// with the Shoot alone: its node stays, by the audit log, and is never told to be gone. A node of a
// pool that is rolled beside it goes.
func TestGardenerToldByAudit(t *testing.T) {
	pool := func(name, update, surge, unavailable string) gardener.Pool {
		return gardener.Pool{Name: name, Size: 1, Zones: zones[:1], Update: update, MaxSurge: surge, MaxUnavailable: unavailable}
	}
	s := newShootScene(t, gardener.Options{Name: "told", Pools: []gardener.Pool{
		pool("stays", gardener.AutoInPlaceUpdate, "0", "1"), pool("remains", gardener.AutoInPlaceUpdate, "0", "1"), pool("goes", gardener.AutoRollingUpdate, "1", "0"),
	}})
	s.drives()
	flags := map[string][]string{"stays": s.withAll(), "remains": s.withShoot(), "goes": s.withShoot()}
	before := map[string][]string{}
	for pool := range flags {
		before[pool] = s.nodesOf(pool)
	}
	s.change(gardener.Change{ImageVersion: newImage})
	runs := map[string]*process{}
	for pool, f := range flags {
		runs[pool] = s.follows(pool, f...)
	}
	for pool, p := range runs {
		p.exits(0)
		s.checkReplaced(pool, before[pool], p)
		if forced := p.all("pod.forced"); len(forced) > 0 {
			t.Errorf("pool %s: pods are told as forced: %v", pool, forced)
		}
		report := s.run("report", pool).exits(0).out()
		if pool != "goes" && (strings.Contains(report, "→ 1.32.4") || !strings.Contains(report, "1 of 1 nodes")) {
			t.Errorf("pool %s: the report of an image's update is\n%s", pool, report)
		}
	}
}
