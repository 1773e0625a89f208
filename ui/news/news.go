package news

import (
	"fmt"
	"time"

	"github.com/drainboard/drainboard/engine/assess/blockers"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/ui/scene"
	"github.com/drainboard/drainboard/ui/style"
)

// Item is something that wants a person. The key tells it from others.
type Item struct{ Key, Text string }

// Keys of items.
const (
	batchKey  = "batch "
	pausedKey = "paused"
)

const (
	// blockedLong is how long (of the cluster's time) a pod must be kept before that is
	// news: a budget that lets pods go one after the other is none.
	blockedLong = 30 * time.Second
	// invalidLong is how long the cluster may not be valid before that is news: as long as
	// machines boot it never is.
	invalidLong = 5 * time.Minute
)

// Of lists what wants a person now, what matters most first. approved is the hash of the batch that was
// just approved here, "" for none.
func Of(sc *scene.Scene, st *style.Styles, approved string, now time.Time) []Item {
	switch {
	case sc.State == record.Finished && sc.Roll != nil:
		return ofRoll(sc)
	case sc.State == record.Finished:
		word, _ := sc.StateLook(st)
		return []Item{{"finished", word + style.Because(sc.Brief(sc.Why))}}
	case sc.State == record.Ending && sc.Result != record.Aborted && sc.Result != record.NotStartedYet:
		return []Item{{"failing", "failing" + style.Because(sc.Brief(sc.Why))}}
	case sc.State == record.Ending:
		return nil
	case sc.State == record.Paused:
		return []Item{{pausedKey, "paused" + style.Because(sc.Brief(sc.Why))}}
	}
	var out []Item
	if b := sc.Batch; b != nil && approved != b.Hash {
		out = append(out, Item{fmt.Sprintf("%s%d %s", batchKey, b.ID, b.Phase), scene.BatchNameAndSize(b) + " waits for approval"})
	}
	if f := sc.Foreseen(); f != nil && f.Alarms() {
		out = append(out, Item{"forecast " + string(f.Outlook) + f.Cause, f.Headline(sc.Now(now))})
	}
	out = append(append(out, invalid(sc, now)...), problems(sc)...)
	return append(out, blocked(sc, now)...)
}

// ofRoll is what wants a person when the run of a group has ended: that it went wrong,
// or that all is over.
func ofRoll(sc *scene.Scene) []Item {
	switch g := sc.GroupOfRoll(); {
	case sc.AllOver():
		return []Item{{"finished", "the roll: " + sc.Roll.Sentence()}}
	case g.Bad():
		return []Item{{"finished " + g.Name, sc.Brief(g.Sentence())}}
	}
	return nil
}

// problems is a piece of news for each node with a problem that no other news tells of. That a
// node is not Ready may pass by itself, and is none.
func problems(sc *scene.Scene) []Item {
	var out []Item
	for _, z := range sc.Zones {
		for _, r := range z.Rows {
			switch key := "problem " + r.ID + " "; r.Problem {
			case snapshot.NoProblem, snapshot.PodBlocked, snapshot.NodeNotReady, snapshot.ForeseenStuck:
			case snapshot.CrashLoops:
				out = append(out, Item{key + r.CrashLooping, r.CrashLooping + " crash-loops on " + sc.Names[r.ID]})
			default:
				out = append(out, Item{key + string(r.Problem), sc.Names[r.ID] + ": " + string(r.Problem)})
			}
		}
	}
	return out
}

// blocked is a piece of news for each thing that keeps pods on a node: pods of one
// owner are one thing, and those of one node are told in one sentence.
func blocked(sc *scene.Scene, now time.Time) []Item {
	pods := map[string]int{} // on a node
	var long []*blockers.Blocker
	for _, b := range sc.Blockers {
		if sc.Now(now).Sub(b.Since) < blockedLong {
			continue
		}
		pods[b.Machine]++
		long = append(long, b)
	}
	var out []Item
	for _, b := range long {
		owner := b.Owner
		if owner == "" {
			owner = b.Pod
		}
		is := "is"
		if b.Guess {
			is = "may be"
		}
		text := fmt.Sprintf("%s %s blocked: %s", sc.NodeName(b.Node), is, b.Pod)
		if n := pods[b.Machine]; n > 1 {
			text = fmt.Sprintf("%s %s blocked: %d pods", sc.NodeName(b.Node), is, n)
		}
		out = append(out, Item{"blocked " + b.Machine + " " + owner, text})
	}
	return out
}

// invalid is that the cluster does not get valid, while a validation is under way.
func invalid(sc *scene.Scene, now time.Time) []Item {
	v := sc.Validation
	if !sc.Validating() || sc.InvalidCount() == 0 || v.Wait != nil && sc.Now(now).Sub(v.Wait.Start) < invalidLong {
		return nil
	}
	key := "invalid"
	if v.Wait != nil {
		key += v.Wait.Start.String()
	}
	text := "the cluster is not valid: " + scene.FoundText(v)
	if limit := sc.LimitText(v); limit != "" {
		text += ", " + limit
	}
	return []Item{{key, text}}
}
