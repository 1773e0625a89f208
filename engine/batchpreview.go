package engine

import (
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
)

const (
	// outlookEvery is how old the outlook of a waiting batch gets in the record.
	outlookEvery = 10 * time.Second
	// mostForeseen is how many lines of it the record holds.
	mostForeseen = 20
)

// batchPreview is what approving a batch would do now.
func (s *Reader) batchPreview(b record.Batch) record.BatchPreview {
	names := b.Names
	if rolls(b.Phase) {
		for _, id := range s.Run.Order {
			if n := s.Run.Nodes[id]; n.Stage == record.Outdated {
				names = append(names, s.label(id, n))
			}
		}
	}
	o := record.BatchPreview{AsOf: s.Now}
	for _, name := range names {
		leave, stay := s.podsToMove(name)
		o.Evict += leave
		o.Ignore += stay
	}
	o.Foreseen, o.NotEvaluated = s.preflightBatch(names, s.Run.Limit)
	return o
}

// previewBatch keeps the outlook of a waiting batch in the run.
func (s *Step) previewBatch() {
	b, waiting := s.Run.Waiting()
	if !waiting || s.Run.State == record.Ending || s.Run.State == record.Finished || s.Now.Sub(b.Preview.AsOf) < outlookEvery {
		return
	}
	was := b.Preview
	b.Preview = s.batchPreview(b)
	if more := len(b.Preview.Foreseen) - mostForeseen; more > 0 {
		b.Preview.Foreseen = append(b.Preview.Foreseen[:mostForeseen:mostForeseen], text.Rest(more))
	}
	s.Run.Batches[len(s.Run.Batches)-1] = b
	s.changed = s.changed || was.Evict != b.Preview.Evict || was.Ignore != b.Preview.Ignore || was.NotEvaluated != b.Preview.NotEvaluated || !slices.Equal(was.Foreseen, b.Preview.Foreseen)
}
