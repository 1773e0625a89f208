package preflight

import (
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
)

const (
	// PreviewEvery is how old the outlook of a waiting batch gets in the record.
	PreviewEvery = 10 * time.Second
	// MostForeseen is how many lines of it the record holds.
	MostForeseen = 20
)

// Batch is what approving a batch would do now.
func Batch(s *assess.Reader, b record.Batch) record.BatchPreview {
	names := b.Names
	if assess.Rolls(b.Phase) {
		for _, id := range s.Run.Order {
			if n := s.Run.Nodes.Get(id); n.Stage == record.Outdated {
				names = append(names, s.Label(id, n))
			}
		}
	}
	o := record.BatchPreview{AsOf: s.Now}
	for _, name := range names {
		leave, stay := s.PodsToMove(name)
		o.Evict += leave
		o.Ignore += stay
	}
	o.Foreseen, o.NotEvaluated = batch(s, names, Together(s, s.Run.Limit))
	return o
}
