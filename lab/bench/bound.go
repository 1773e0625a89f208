package main

import (
	"time"

	"github.com/drainboard/drainboard/lab"
)

// bound is the least time that a roll by the strategy eks can take, from its limits
// and waits alone; docs/internals/speed.md derives it. Nothing of it is measured.
type bound struct{ scaleUp, node, upgrade time.Duration }

// lowerBound is for a group in which every node holds pods, all budgets let go at
// once what limit nodes hold, and the surge (twice the zones, or the limit) is not
// more than the outdated nodes.
func lowerBound(nodes, limit int, t lab.Times, postDrainWait time.Duration) bound {
	b := bound{
		scaleUp: t.Boot + t.Ready,
		node:    t.PodStop + postDrainWait + t.Terminate,
	}
	rounds := (nodes + limit - 1) / limit
	b.upgrade = time.Duration(rounds) * b.node
	return b
}

func (b bound) total() time.Duration { return b.scaleUp + b.upgrade }
