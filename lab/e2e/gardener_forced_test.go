package e2e

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/lab"
	"github.com/drainboard/drainboard/lab/gardener"
)

// Pods that the real controller deletes past their budgets as a drain times out are told, each and
// in all, as the API server's audit log has them: with the Machines by what is seen, with the
// Shoot alone as inferred.
func TestGardenerForcedPods(t *testing.T) {
	const limit = 40 * time.Second
	s := newShootScene(t, gardener.Options{Name: "forced", Pools: []gardener.Pool{
		{Name: "seen", Size: 1, Zones: zones[:1], Drain: limit, MaxSurge: "1", MaxUnavailable: "0"},
		{Name: "inferred", Size: 1, Zones: zones[:1], Drain: limit, MaxSurge: "1", MaxUnavailable: "0"},
	}})
	flags := map[string][]string{"seen": s.withAll(), "inferred": s.withShoot()}
	before := map[string][]string{}
	for pool := range flags {
		before[pool] = s.nodesOf(pool)
		s.on(pool).deploy("checkout", "batch", "agent")
	}
	s.drives()
	flags["seen"] = s.withAll() // as one who drives
	s.change(gardener.Change{ImageVersion: newImage})
	runs := map[string]*process{}
	for pool, f := range flags {
		runs[pool] = s.follows(pool, f...)
	}
	for pool, p := range runs {
		p.exits(0)
		s.checkReplaced(pool, before[pool], p)
		told := map[string]bool{}
		for _, e := range p.all("pod.forced") {
			if told[e.Pod] || e.By != "machine-controller-manager" || e.Inferred != (pool == "inferred") {
				t.Errorf("pool %s: %+v", pool, e)
			}
			told[e.Pod] = true
		}
		place := s.on(pool).place.Namespace
		forced := map[string]bool{}
		for _, r := range s.audit().Where(lab.Request.PodDelete, func(r lab.Request) bool {
			return r.Namespace == place && r.Code < 300 && bytes.Contains(r.Body, []byte(`"gracePeriodSeconds":0`)) && strings.HasPrefix(r.Name, "checkout-")
		}) {
			forced[r.Namespace+"/"+r.Name] = true
		}
		if len(forced) == 0 || !maps.Equal(told, forced) {
			t.Errorf("pool %s: told %v, and the audit log has %v", pool, slices.Sorted(maps.Keys(told)), slices.Sorted(maps.Keys(forced)))
		}
		if end := p.all("run.finished"); len(end) != 1 || !strings.Contains(end[0].Message, "deleted past PDBs by machine-controller-manager on 1 node") {
			t.Errorf("pool %s ends: %v", pool, end)
		}
		if out := s.run("report", pool).exits(0).out(); !strings.Contains(out, "Pods deleted past their PDBs by the group's own controller") || strings.Count(out, "machine-controller-manager") < len(forced) || strings.Contains(out, "| **times a pod was blocked** | 0 |") {
			t.Errorf("pool %s: the report is\n%s", pool, out)
		}
	}
}
