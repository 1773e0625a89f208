package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	machineapi "github.com/gardener/machine-controller-manager/pkg/apis/machine/v1alpha1"

	"github.com/drainboard/drainboard/lab"
	"github.com/drainboard/drainboard/lab/gardener"
	"github.com/drainboard/drainboard/providers/gardener/names"
)

// effects are what a plan says that a manifest does to the pools.
func (s *shootScene) effects(file string) map[string]string {
	s.t.Helper()
	var plan struct {
		Pools []struct{ Pool, Effect string }
	}
	out := s.run(append([]string{"plan", "--change", file, "-o", "json"}, s.withShoot()...)...).exits(0).out()
	if err := json.Unmarshal([]byte(out), &plan); err != nil {
		s.t.Fatalf("%v\n%s", err, out)
	}
	effects := map[string]string{}
	for _, p := range plan.Pools {
		effects[p.Pool] = p.Effect
	}
	return effects
}

// A manifest that names one pool, and of it what is new, is planned as it is applied: the other pool
// stays, and a new maximum moves no node. What the plan says of a pool is what the audit log has of
// its nodes after the manifest was applied, and what a run reports.
func TestGardenerChangeByName(t *testing.T) {
	pool := func(name string) gardener.Pool {
		return gardener.Pool{Name: name, Size: 1, Zones: zones[:1], MaxSurge: "1", MaxUnavailable: "0"}
	}
	s := newShootScene(t, gardener.Options{Name: "merged", Pools: []gardener.Pool{pool("changed"), pool("unchanged")}})
	s.drives()
	before := map[string][]string{"changed": s.nodesOf("changed"), "unchanged": s.nodesOf("unchanged")}
	for _, c := range []struct{ worker, effect string }{
		{`{"name":"changed","maximum":3}`, "nothing"},
		{`{"name":"changed","maximum":3,"machine":{"image":{"version":"` + newImage + `"}}}`, "rolling"},
	} {
		manifest := fmt.Sprintf(`{"apiVersion":"core.gardener.cloud/v1beta1","kind":"Shoot","metadata":{"namespace":%q,"name":%q},"spec":{"kubernetes":{"version":%q},"provider":{"workers":[%s]}}}`, s.shoot.Namespace, s.shoot.Name, gardener.FirstVersion, c.worker)
		var object map[string]any
		if err := json.Unmarshal([]byte(manifest), &object); err != nil {
			t.Fatal(err)
		}
		if wrong := names.Kind("core.Shoot").Unknown(object); len(wrong) > 0 {
			t.Errorf("Gardener's API has no %v", wrong)
		}
		file := filepath.Join(t.TempDir(), "new.yaml")
		if err := os.WriteFile(file, []byte(manifest), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := s.effects(file); len(got) != 2 || got["changed"] != c.effect || got["unchanged"] != "nothing" {
			t.Errorf("%s: the plan says %v", c.worker, got)
		}
		if err := s.shoot.Apply(s.ctx, []byte(manifest)); err != nil {
			t.Fatal(err)
		}
		for _, pool := range []string{"changed", "unchanged"} {
			p := s.follows(pool, s.withShoot()...).exits(0)
			if pool == "changed" && c.effect == "rolling" {
				s.checkReplaced(pool, before[pool], p)
				if gone := s.goneByAudit(before[pool]); len(gone) != 1 {
					t.Errorf("gone are %v", gone)
				}
			} else if len(p.all("run.started")) > 0 { // before Gardener had seen the change
				s.checkUntouchedPool(pool, before[pool], p)
			} else if now := s.nodesOf(pool); len(p.all("node.replaced")) > 0 || len(s.goneByAudit(before[pool])) > 0 || fmt.Sprint(now) != fmt.Sprint(before[pool]) {
				t.Errorf("%s: pool %s has the nodes %v, had %v, and told\n%s", c.worker, pool, now, before[pool], p.tail())
			} else if told := p.all("run.finished"); len(told) != 1 || !strings.Contains(told[0].Message, "nothing to do") { // no run, and no report
				t.Errorf("%s: pool %s told\n%s", c.worker, pool, p.tail())
			}
		}
	}
}

// slowUpdate makes a Shoot of one pool that is updated in place within a time, and changes its image. The
// updates take longer, and longer than the controller's default. It follows the pool, whose time to fail
// counts down as the Shoot says.
func slowUpdate(t *testing.T, name string, limit, takes time.Duration, flags func(*shootScene) []string) (s *shootScene, before []string, p *process) {
	s = newShootScene(t, gardener.Options{Name: name, Flags: []string{"--machine-inplace-update-timeout=45s"}, Pools: []gardener.Pool{{Name: name, Size: 1, Zones: zones[:1], Update: gardener.AutoInPlaceUpdate, MaxSurge: "0", MaxUnavailable: "1", InPlace: limit}}})
	s.drives()
	before = s.nodesOf(name)
	s.shoot.SlowUpdates(name, takes)
	s.change(gardener.Change{ImageVersion: newImage})
	p = s.follows(name, flags(s)...)
	p.await("node.updating")
	s.eventually(func() error {
		var status struct {
			Pool struct {
				Countdowns []struct {
					For          string
					Since, Until time.Time
				}
			}
		}
		out := s.run(append([]string{"status", name, "-o", "json"}, flags(s)...)...).out()
		if err := json.Unmarshal([]byte(out), &status); err != nil {
			return err
		}
		for _, c := range status.Pool.Countdowns {
			if c.For == "update fails" && c.Until.Sub(c.Since) == limit {
				return nil
			}
		}
		return fmt.Errorf("pool %s counts down %+v", name, status.Pool.Countdowns)
	})
	// What the Shoot was made with is Gardener's name, and what the controller got of it.
	for _, resource := range []string{"shoots", "machinedeployments", "machines"} {
		value := fmt.Sprintf(`"inPlaceUpdateTimeout":%q`, limit)
		if made := s.audit().Where(func(r lab.Request) bool {
			return r.Resource == resource && r.Verb == "create" && bytes.Contains(r.Body, []byte(name)) && bytes.Contains(r.Body, []byte(value))
		}); len(made) == 0 {
			t.Errorf("none of %s was made with %s", resource, value)
		}
	}
	return s, before, p
}

// An update in place that may take an hour, by the Shoot alone, is not said to have failed, and its end
// is what the audit log has: the node stays.
func TestGardenerLongUpdate(t *testing.T) {
	s, before, p := slowUpdate(t, "lengthy", time.Hour, 90*time.Second, (*shootScene).withShoot)
	p.exits(0)
	if said := append(p.all("node.blocked"), p.all("node.failed")...); len(said) > 0 {
		t.Errorf("told %v", said)
	}
	s.checkReplaced("lengthy", before, p)
	if gone := s.goneByAudit(before); len(gone) > 0 {
		t.Errorf("gone are %v", gone)
	}
}

// One that may take seconds is said to have failed when the controller has given it up, and not before.
func TestGardenerUpdateGivenUp(t *testing.T) {
	const limit = 30 * time.Second
	s, before, p := slowUpdate(t, "hasty", limit, time.Hour, (*shootScene).withAll)
	failed := p.await("node.failed", saying("its in-place update failed"))
	given := s.machines.until("hasty", "fail its update", inMachinePhase(machineapi.MachineInPlaceUpdateFailed)).Status.CurrentStatus.LastUpdateTime.Time
	if took := failed.Time.Sub(p.await("node.updating").Time); took < limit-lags || failed.Time.Sub(given) > lags || given.Sub(failed.Time) > lags {
		t.Errorf("it is told %s after its begin, at %s, and the controller gave it up at %s", took, failed.Time, given)
	}
	s.eventually(func() error { // an event is told before the journal has it
		if report := s.run("report", "hasty").exits(0).out(); !slices.Equal(reported(report), before) || !strings.Contains(report, "its in-place update failed") {
			return fmt.Errorf("the report is\n%s", report)
		}
		return nil
	})
	p.crash()
	if gone := s.goneByAudit(before); len(gone) > 0 {
		t.Errorf("gone are %v", gone)
	}
}
