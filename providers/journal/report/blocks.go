package report

import (
	"cmp"

	"github.com/drainboard/drainboard/engine/record"
)

func (b *builder) blocked(e record.Event) {
	if known := b.blocks[e.Pod]; known != nil {
		known.Detail, known.Budget = cmp.Or(e.Message, known.Detail), cmp.Or(e.Budget, known.Budget)
		return
	}
	block := &Block{Pod: e.Pod, Node: e.Node, Budget: e.Budget, Kind: e.Reason, Detail: e.Message, From: e.Time}
	b.blocks[e.Pod] = block
	b.r.Blocks = append(b.r.Blocks, block)
}

func (b *builder) freed(e record.Event, how string) {
	if block := b.blocks[e.Pod]; block != nil {
		block.To, block.End = e.Time, how
		delete(b.blocks, e.Pod)
	}
}

// leftNode ends what is blocked on the node of an event.
func (b *builder) leftNode(e record.Event, how string) {
	for _, block := range b.blocks {
		if block.Node == e.Node {
			b.freed(record.Event{Pod: block.Pod, Time: e.Time}, how)
		}
	}
}
