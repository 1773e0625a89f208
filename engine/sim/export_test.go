package sim

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/record"
)

// What tests from outside, which may use scripts, need of the inside.

// Ghosts are machines that are gone and that the group still counts.
func (s *Sim) Ghosts() int { return s.Group.ghosts }

// SetController has a group's own controller asked what runs ask of it.
func (s *Sim) SetController(do func(record.Action) record.Outcome) { s.controller = do }

// Turns, emptied and leaving are what controllers are made of.
func (s *Sim) Turns(d time.Duration, do func() bool) { s.every(d, do) }
func (s *Sim) Emptied(m *Machine) bool               { return s.empties(m) }
func (s *Sim) Leaving(node string) []*Pod            { return s.toDrain(node) }

// PodsOf is a list of pods as controllers get it.
func (s *Sim) PodsOf(list string) []*Pod { return s.pods.of(list) }

// CountsAlone has controllers look only at what has changed, as they do where the wall clock drives the world.
func (s *Sim) CountsAlone() { s.countChanges() }

// Miscounted says where what is counted of pods is not what there is, "" if it is.
func (s *Sim) Miscounted() string {
	apps, loads, spread := map[string][]*Pod{}, map[string]load{}, map[string]map[string]int{}
	for _, p := range s.AllPods() {
		apps[listsOf(p)[0]] = append(apps[listsOf(p)[0]], p)
		if p.Node == "" || p.Finished() {
			continue
		}
		l := loads[p.Node]
		l.cpu, l.memory, l.all = l.cpu+p.Shape.CPU, l.memory+p.Shape.Memory, l.all+1
		if p.Owner.Kind != DaemonSet && !p.Mirror {
			l.pods++
		}
		if l != (load{}) {
			loads[p.Node] = l
		}
		if spread[p.Owner.UID] == nil {
			spread[p.Owner.UID] = map[string]int{}
		}
		spread[p.Owner.UID][p.Node]++
	}
	got := s.pods
	if !maps.EqualFunc(got.lists, apps, slices.Equal[[]*Pod]) {
		return fmt.Sprintf("pods of applications are %v, not %v", got.lists, apps)
	}
	if !maps.Equal(got.loads, loads) {
		return fmt.Sprintf("nodes are loaded with %v, not %v", got.loads, loads)
	}
	if !maps.EqualFunc(got.spread, spread, maps.Equal[map[string]int, map[string]int]) {
		return fmt.Sprintf("owners' pods are on %v, not %v", got.spread, spread)
	}
	return ""
}
