package engine

import (
	"fmt"
	"slices"
	"time"
)

// Outlook is what approving a batch would do, as far as that can be told.
type Outlook struct {
	AsOf time.Time `json:"asOf,omitzero"`
	// Evict is how many pods will have to leave; Ignore how many stay.
	Evict  int `json:"evict,omitempty"`
	Ignore int `json:"ignore,omitempty"`
	// Foreseen are blockers to expect, a sentence each; NotEvaluated says why nothing
	// can be said about them, "" if what is known was judged.
	Foreseen     []string `json:"foreseen,omitempty"`
	NotEvaluated string   `json:"notEvaluated,omitempty"`
}

const (
	// outlookEvery is how old the outlook of a waiting batch gets in the record.
	outlookEvery = 10 * time.Second
	// mostForeseen is how many lines of it the record holds.
	mostForeseen = 20
)

// outlook is what approving a batch would do now.
func (s *Step) outlook(b Batch) Outlook {
	names := b.Names
	if rolls(b.Phase) {
		for _, id := range s.Run.Order {
			if n := s.Run.Nodes[id]; n.Stage == Outdated {
				names = append(names, s.label(id, n))
			}
		}
	}
	o := Outlook{AsOf: s.Now}
	for _, name := range names {
		leave, stay := s.podsToMove(name)
		o.Evict += leave
		o.Ignore += stay
	}
	o.Foreseen, o.NotEvaluated = s.foreseeBatch(names, s.Run.Limit)
	return o
}

// lookOut keeps the outlook of a waiting batch in the run.
func (s *Step) lookOut() {
	b, waiting := s.Run.Waiting()
	if !waiting || s.Run.State == Ending || s.Run.State == Finished || s.Now.Sub(b.Outlook.AsOf) < outlookEvery {
		return
	}
	was := b.Outlook
	b.Outlook = s.outlook(b)
	if more := len(b.Outlook.Foreseen) - mostForeseen; more > 0 {
		b.Outlook.Foreseen = append(b.Outlook.Foreseen[:mostForeseen:mostForeseen], fmt.Sprintf("and %d more", more))
	}
	s.Run.Batches[len(s.Run.Batches)-1] = b
	s.changed = s.changed || was.Evict != b.Outlook.Evict || was.Ignore != b.Outlook.Ignore || was.NotEvaluated != b.Outlook.NotEvaluated || !slices.Equal(was.Foreseen, b.Outlook.Foreseen)
}
