package objects

import (
	"maps"

	"github.com/drainboard/drainboard/engine/world"
)

// Shared keeps one copy of what many pods have in common: the pods of an owner have
// the same labels, those of a node its name. What is in the world is never changed,
// so they may share it; in a large cluster that is half of what pods take in memory.
type Shared struct {
	words  map[string]string
	labels map[string]map[string]string // by the owner's UID
	needs  map[string]*world.Needs      // the same
}

// mostShared bounds what is remembered: what was forgotten is shared again.
const mostShared = 1 << 16

// Pod is a pod that shares what it can.
func (s *Shared) Pod(p *world.Pod) *world.Pod {
	p.Namespace, p.Node, p.Phase = s.word(p.Namespace), s.word(p.Node), s.word(p.Phase)
	p.Owner = world.Owner{Kind: s.word(p.Owner.Kind), Name: s.word(p.Owner.Name), UID: s.word(p.Owner.UID)}
	if p.Owner.UID == "" {
		return p
	}
	if same, ok := s.needs[p.Owner.UID]; ok && same.Same(p.Needs) {
		p.Needs = same
	} else {
		if s.needs == nil || len(s.needs) >= mostShared {
			s.needs = map[string]*world.Needs{}
		}
		s.needs[p.Owner.UID] = p.Needs
	}
	if same, ok := s.labels[p.Owner.UID]; ok && maps.Equal(same, p.Labels) {
		p.Labels = same
		return p
	}
	if s.labels == nil || len(s.labels) >= mostShared {
		s.labels = map[string]map[string]string{}
	}
	s.labels[p.Owner.UID] = p.Labels
	return p
}

func (s *Shared) word(w string) string {
	if known, ok := s.words[w]; ok {
		return known
	}
	if s.words == nil || len(s.words) >= mostShared {
		s.words = map[string]string{}
	}
	s.words[w] = w
	return w
}
