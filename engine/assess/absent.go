package assess

import (
	"fmt"
	"maps"
)

// absence says how a pod of the run is missing in the world: gone, as the run has noted, or left, which it has
// not noted yet. The zero value is a pod that is there, or that the run does not know.
type absence struct {
	left, gone bool
	node       string // of one that is gone
}

// absentPods are the pods of the run that are absent: a part of the facts.
type absentPods struct {
	of    map[string]absence
	left  map[string]bool            // not noted yet
	gone  map[string]map[string]bool // noted, by their nodes
	stale []string                   // pods that the run has changed since
}

// absenceOf works out how a pod is absent.
func absenceOf(s *Reader, uid string) absence {
	p, known := s.Run.Pods.Find(uid)
	switch {
	case !known || s.W.Pod(uid) != nil:
		return absence{}
	case p.Gone.IsZero():
		return absence{left: true}
	}
	return absence{gone: true, node: p.Node}
}

// allAbsent works out the absence of all pods of the run.
func allAbsent(s *Reader) absentPods {
	a := absentPods{of: map[string]absence{}, left: map[string]bool{}, gone: map[string]map[string]bool{}}
	for uid := range s.Run.Pods.Keys() {
		a.set(uid, absenceOf(s, uid))
	}
	return a
}

// set puts a pod where it belongs.
func (a *absentPods) set(uid string, now absence) {
	was := a.of[uid]
	if was == now {
		return
	}
	delete(a.of, uid)
	delete(a.left, uid)
	if on := a.gone[was.node]; on != nil {
		if delete(on, uid); len(on) == 0 {
			delete(a.gone, was.node)
		}
	}
	if now.left {
		a.of[uid], a.left[uid] = now, true
	}
	if now.gone {
		if a.gone[now.node] == nil {
			a.gone[now.node] = map[string]bool{}
		}
		a.of[uid], a.gone[now.node][uid] = now, true
	}
}

// differs compares the kept absent pods with fresh ones.
func (a *absentPods) differs(fresh *absentPods) error {
	if !maps.Equal(a.of, fresh.of) || !maps.Equal(a.left, fresh.left) || !maps.EqualFunc(a.gone, fresh.gone, maps.Equal) {
		return fmt.Errorf("absent pods are %v, and kept are %v, %v and %v", fresh.of, a.of, a.left, a.gone)
	}
	return nil
}

// LeftPods are the pods of the run that are not in the world, and not noted as gone. The set is not to
// be changed.
func LeftPods(s *Reader) map[string]bool { return s.facts().absent.left }

// GonePods are the pods of the run that are noted as gone, by their nodes. The sets are not to be changed.
func GonePods(s *Reader) map[string]map[string]bool { return s.facts().absent.gone }

// InvalidatePod notes that the run's entry of a pod has changed.
func InvalidatePod(s *Reader, uid string) {
	if s.kept != nil {
		s.kept.absent.stale = append(s.kept.absent.stale, uid)
	}
}
