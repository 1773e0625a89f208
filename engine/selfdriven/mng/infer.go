package mng

import (
	"slices"
	"time"
)

// Phases of an update, as the user guide names them. MINIMAL has no scale up and no scale down.
const (
	Setup     = "setup"
	ScaleUp   = "scale up"
	Upgrade   = "upgrade"
	ScaleDown = "scale down"
)

// Phases are all of them in order.
var Phases = []string{Setup, ScaleUp, Upgrade, ScaleDown}

// quiet is for how long nothing may happen before nodes are named that EKS may be at: it tries an
// eviction again every few seconds, and picks the next nodes at once.
const quiet = 4 * time.Second

// settled is for how long EKS may be at a node without pods and nothing of it can be seen.
const settled = settle + 30*time.Second

// Picture is what can be seen of a group during an update, at one moment.
type Picture struct {
	Minimal bool
	// SetsUp: the group still launches what it did before.
	SetsUp bool
	// Unread: EKS's updates cannot be read now. This one may be over.
	Unread bool
	// Phase is the one seen before, "" at first.
	Phase string
	// Quiet is since when no node has come further.
	Quiet time.Duration
	// AtOnce is how many nodes the update takes at once (maxUnavailable); 0 is 1.
	AtOnce int
	// Full: EKS has picked as many nodes as it takes at once since the first of those that are known, as none was
	// through since.
	Full bool
	// Desired is how many machines the group is to have, Ended how many old ones have been terminated
	// on request since the update began.
	Desired, Ended int
	Nodes          []Node
}

// Node is what can be seen of one machine.
type Node struct {
	Name, Zone string
	// Old: it is to be replaced. Young: its node joined after the update began.
	Old, Young bool
	// Joined the cluster, Marked by EKS, Leaving (its machine ends), Ready.
	Joined, Marked, Leaving, Ready bool
	// Taken: it is the update that ends it, as it was seen to drain before, or by its scaling activity.
	// Foreign: it is not, by its scaling activity. EKS marks and drains such nodes as well.
	Taken, Foreign bool
	// Picked: seen to drain, or drained. Candidate: it was one of the candidates before.
	Picked, Candidate bool
	// Left is how many pods have to leave it, Kept how many of these their PDBs keep now, and Long how many they
	// have kept since before EKS began with the nodes that are known.
	Left, Kept, Long int
}

// Inference is what follows from a picture.
type Inference struct {
	Phase string
	// Candidates are the nodes that EKS may have picked, because nothing could be seen to leave them. It has
	// picked at least one where More is 0: it must be at a node, and no other one is known.
	Candidates []string
	// More is how many of them EKS can be at beside the nodes that are known, at most.
	More int
	// Kept: PDBs keep pods on some of them; else all have lost theirs since they were named.
	Kept bool
}

// Infer concludes from a picture. No phase is followed by one that comes before it.
func Infer(p Picture) Inference {
	out := Inference{Phase: phaseOf(p)}
	if slices.Index(Phases, out.Phase) < slices.Index(Phases, p.Phase) {
		out.Phase = p.Phase
	}
	if out.Phase == Upgrade {
		out.Candidates, out.More, out.Kept = candidates(p)
	}
	return out
}

// phaseOf is the phase that shows. The update marks all old nodes before it takes the first one: where
// others are not marked, the marked one may be a machine that the group ends for a reason of its own, which
// is told a little later.
func phaseOf(p Picture) string {
	c := censusOf(p)
	switch {
	case p.SetsUp:
		return Setup
	case c.marked > 0 && (c.all || p.Ended > 0) && (p.Minimal || covered(p)):
		return Upgrade
	case c.old > 0 && p.Minimal:
		return Setup
	case c.old > 0:
		return ScaleUp
	}
	return phaseWithoutOld(p, c)
}

// phaseWithoutOld is the phase that shows when no old node is left.
func phaseWithoutOld(p Picture, c census) string {
	switch {
	case p.Phase == ScaleUp && p.Ended == 0:
		return ScaleUp
	case p.Minimal && c.foreign > 0: // others end the last old ones
		return Upgrade
	case c.foreign > 0 && c.young == 0 && p.Phase != Upgrade:
		return ScaleUp
	case p.Phase != Upgrade && p.Ended == 0 && c.young < max(1, len(p.Nodes)-c.away):
		return Setup
	case p.Minimal:
		return Upgrade
	}
	return ScaleDown
}

// census counts nodes by what they tell of the phase.
type census struct {
	old, marked, young int
	away, foreign      int  // on their way in or out; of these old ones that others end
	all                bool // each old node that has joined is marked
}

func censusOf(p Picture) census {
	c := census{all: true}
	for _, n := range p.Nodes {
		switch {
		case n.Young: // also one that is marked: surplus is drained as well when it goes
			c.young++
		case !n.Old && (n.Leaving || n.Marked || !n.Joined): // it is on its way in or out
			c.away++
		case n.Leaving && (n.Foreign || !n.Taken && p.Phase != Upgrade): // who ends it may be read a moment later
			c.away, c.foreign = c.away+1, c.foreign+1
		case n.Marked || n.Old && n.Leaving:
			c.old, c.marked = c.old+1, c.marked+1
		case n.Old:
			c.old, c.all = c.old+1, c.all && !n.Joined
		}
	}
	return c
}

// covered reports whether each zone with an old node has a new one that is Ready, which DEFAULT
// waits for before it marks a node: marks without it are those of an update that failed. A node
// that is under way shows the same.
func covered(p Picture) bool {
	zones, picked := map[string]bool{}, false
	for _, n := range p.Nodes {
		picked = picked || n.Picked && !n.Young && !n.Foreign
		if n.Young && !n.Old && n.Ready {
			zones[n.Zone] = true
		}
	}
	if picked && slices.ContainsFunc(p.Nodes, func(n Node) bool { return !n.Old && n.Joined }) {
		return true
	}
	return !slices.ContainsFunc(p.Nodes, func(n Node) bool { return n.Old && !n.Young && !n.Foreign && !zones[n.Zone] })
}

// candidates are the marked nodes all of whose pods are kept, while fewer other nodes are under way than
// EKS takes at once. Where none is, EKS is at one of them: it takes the next ones only when it is through
// with those before, with MINIMAL also when their replacements are Ready, and may wait for a machine that others end
// until it is gone. Where some are, it may be at up to
// more of them; that is told when these are at a standstill or have lasted, and stays so when they come further. Nodes
// whose PDBs are closed for another reason than evictions from these are named at once, while all its picks are new.
// EKS takes the first ones when all old nodes are marked. A node without pods is one of them for as long as
// EKS would wait before it terminates it. Where EKS must be at one of them, it also is while it was one before
// its pods left: users delete pods, and EKS does with force. While it is not read whether EKS still is at any, nothing
// is concluded from what stays on nodes or leaves them.
func candidates(p Picture) (names []string, more int, kept bool) {
	known, moves, told := underWay(p)
	if !told || known >= max(1, p.AtOnce) {
		return nil, 0, false
	}
	if p.Unread {
		names = named(p)
	} else {
		names, kept = concluded(p, known > 0, moves)
	}
	if known > 0 {
		more = min(p.AtOnce-known, len(names))
	}
	return names, more, kept
}

// named are those that were candidates before and still may be.
func named(p Picture) (names []string) {
	for _, n := range p.Nodes {
		if n.Candidate && n.mayBe() {
			names = append(names, n.Name)
		}
	}
	return names
}

// concluded are the candidates that follow from what stays on nodes. beside: others are known to be under way; moves:
// these come further.
func concluded(p Picture, beside, moves bool) (names []string, kept bool) {
	emptied := false
	for _, n := range p.Nodes {
		switch {
		case !n.mayBe() || !n.Candidate && early(p, n, beside && moves):
		case n.Left > 0 && n.Kept == n.Left:
			names, kept = append(names, n.Name), true
		case n.Left == 0 && n.Candidate && !beside:
			names, emptied = append(names, n.Name), true
		case n.Left == 0 && p.Quiet < settled:
			names = append(names, n.Name)
		}
	}
	if !kept && !emptied {
		return nil, false
	}
	return names, kept
}

// mayBe reports whether a node is one that EKS can have picked without being seen there.
func (n Node) mayBe() bool { return n.Old && n.Marked && !n.Leaving && !n.Picked }

// early reports whether a node cannot be named yet that was not named before; moves: nodes that are known come
// further.
func early(p Picture, n Node, moves bool) bool {
	return p.Quiet < quiet || moves && p.Quiet < settled && !(p.Full && n.Left > 0 && n.Long == n.Left)
}

// underWay counts the old nodes that EKS is known to be at, and reports whether any of them comes further. told
// is false while nothing can be concluded about others: EKS has not marked all, or may wait for something.
func underWay(p Picture) (known int, moves, told bool) {
	unsure := false
	for _, n := range p.Nodes {
		if n.Foreign && !n.Joined {
			unsure = unsure || n.Old // others end it, and EKS may have picked it before: it waits until it is gone
			continue
		}
		if n.Old && (n.Leaving || n.Picked) {
			known, moves = known+1, moves || n.Leaving || n.Left == 0 || n.Kept < n.Left
		} else if n.Old && !n.Marked && n.Ready {
			return 0, false, false
		}
	}
	return known, moves, known > 0 || !unsure && p.Quiet >= quiet && !replacing(p)
}

// replacing reports whether MINIMAL may wait for replacements.
func replacing(p Picture) bool {
	return p.Minimal && (len(p.Nodes) < p.Desired || slices.ContainsFunc(p.Nodes, func(n Node) bool { return !n.Ready }))
}
