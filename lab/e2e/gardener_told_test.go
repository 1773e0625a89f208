package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/drainboard/drainboard/lab"
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
// deleted are gone, and those that were not were updated in place.
func (s *shootScene) checkReplaced(pool string, before []string, p *process) {
	s.t.Helper()
	var gone, updated []string
	for _, e := range p.all("node.replaced") {
		gone = append(gone, e.Node)
	}
	for _, e := range p.all("node.ready", saying("updated in place")) {
		updated = append(updated, e.Node)
	}
	if launched := p.all("node.launching", func(e Event) bool { return slices.Contains(before, e.Node) }); len(launched) > 0 {
		s.t.Errorf("pool %s: nodes of before are told as launched: %v", pool, launched)
	}
	slices.Sort(gone)
	slices.Sort(updated)
	want := s.goneByAudit(before)
	if !slices.Equal(gone, want) {
		s.t.Errorf("pool %s: told as gone are %v, the audit log has %v", pool, gone, want)
	}
	kept := slices.DeleteFunc(slices.Clone(before), func(n string) bool { return slices.Contains(want, n) })
	slices.Sort(kept)
	if !slices.Equal(updated, kept) {
		s.t.Errorf("pool %s: told as updated in place are %v, and %v stayed", pool, updated, kept)
	}
}

// An update in place is told as what it is by a run that follows it, with the control cluster and
// with the Shoot alone: its node stays, by the audit log, and is never told to be gone. A node of a
// pool that is rolled beside it goes.
func TestGardenerToldByAudit(t *testing.T) {
	pool := func(name, update, surge, unavailable string) lab.ShootPool {
		return lab.ShootPool{Name: name, Size: 1, Zones: zones[:1], Update: update, MaxSurge: surge, MaxUnavailable: unavailable}
	}
	s := newShootScene(t, lab.ShootOptions{Name: "told", Pools: []lab.ShootPool{
		pool("stays", lab.AutoInPlaceUpdate, "0", "1"), pool("remains", lab.AutoInPlaceUpdate, "0", "1"), pool("goes", lab.AutoRollingUpdate, "1", "0"),
	}})
	s.drives()
	flags := map[string][]string{"stays": s.withAll(), "remains": s.withShoot(), "goes": s.withShoot()}
	before := map[string][]string{}
	for pool := range flags {
		before[pool] = s.nodesOf(pool)
	}
	s.change(lab.ShootChange{ImageVersion: newImage})
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
