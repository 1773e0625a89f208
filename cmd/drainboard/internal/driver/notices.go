package driver

import (
	"sync"

	"github.com/drainboard/drainboard/engine/record"
)

// notices are messages for a run's log, kept until there is one.
type notices struct {
	mu      sync.Mutex
	tell    func(record.Event) bool
	waiting []record.Event
}

func (n *notices) add(e record.Event) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.tell == nil {
		n.waiting = append(n.waiting, e)
		return
	}
	n.tell(e)
}

// hold keeps messages until the next call of to.
func (n *notices) hold() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.tell = nil
}

// to sends kept and further messages to tell.
func (n *notices) to(tell func(record.Event) bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, e := range n.waiting {
		tell(e)
	}
	n.tell, n.waiting = tell, nil
}
