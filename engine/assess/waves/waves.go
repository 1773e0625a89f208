package waves

import (
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/assess/workloads"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// Holds says why no further node begins now, "" if one may; the nodes of about are about to begin.
func Holds(s *assess.Reader, about []string) string {
	w := s.Run.Wave
	switch {
	case w == nil:
		return ""
	case w.Trouble != "":
		return text.WaveTrouble(w.Trouble)
	case w.Size < s.Run.Limit && len(members(&s.Run, w))+len(about) >= w.Size:
		return text.WaveFull(w.Size)
	}
	return ""
}

// Number is the number of the wave that stands, 0 for none.
func Number(r *record.Run) int {
	if r.Wave == nil {
		return 0
	}
	return r.Wave.Number
}

// members are the nodes that began in a wave.
func members(r *record.Run, w *record.Wave) (out []record.Node) {
	for _, n := range r.Nodes.All() {
		if !n.New && n.Wave == w.Number {
			out = append(out, n)
		}
	}
	return out
}

// Next is the wave as it stands now, and what there is to tell of it.
func Next(s *assess.Reader) (next record.Wave, told []string) {
	if s.Run.Wave == nil {
		return record.Wave{Number: 1, Size: min(1, s.Run.Limit), Since: s.Now, Ill: ill(s.W)}, nil
	}
	w := *s.Run.Wave
	if !s.Fresh(world.Cluster) || s.W.Partial() {
		return w, nil
	}
	unready, trouble := stand(s, w.Ill)
	switch {
	case trouble != "" && w.Trouble == "":
		w.Trouble, w.Stopped = trouble, true
		return w, []string{text.WaveTrouble(trouble)}
	case trouble == "" && w.Trouble != "":
		told = append(told, text.WaveTroubleOver(w.Trouble))
		w.Trouble = ""
	}
	if w.Trouble != "" || w.Size >= s.Run.Limit || !drained(&s.Run, &w) {
		return w, told
	}
	if w.Drained.IsZero() {
		w.Drained = s.Now
	}
	switch patience := s.Run.Settings.PendingLimit; {
	case unready == 0:
	case s.Now.Sub(w.Drained) < patience:
		s.WakeAt(w.Drained.Add(patience))
		return w, told
	case !w.Stopped:
		w.Stopped = true
		told = append(told, text.WaveSlow(unready, patience))
	}
	w.Number, w.Since, w.Drained = w.Number+1, s.Now, time.Time{}
	if !w.Stopped {
		w.Size = min(2*w.Size, s.Run.Limit)
	}
	return w, told
}

// drained reports whether as many nodes as a wave has have begun, and none of them drains any more.
func drained(r *record.Run, w *record.Wave) bool {
	began := members(r, w)
	return len(began) >= w.Size && !slices.ContainsFunc(began, func(n record.Node) bool {
		return n.Stage == record.Draining || n.Stage == record.Queued
	})
}

// stand is how many replacements of moved pods are not Ready, and which of them crash-loops, "" for none.
// Workloads that were ill before the run prove nothing.
func stand(s *assess.Reader, ill []string) (unready int, trouble string) {
	for owner, was := range s.Run.Workloads {
		if _, before := slices.BinarySearch(ill, owner); before {
			continue
		}
		w := workloads.Now(s.W, owner, was)
		unready += w.Starting + w.Pending + w.CrashLooping
		if w.CrashLooping > 0 && (trouble == "" || w.Sentence() < trouble) {
			trouble = w.Sentence()
		}
	}
	return unready, trouble
}

// ill are the owners (by UID) of which a pod is not Ready, sorted.
func ill(w *world.World) (out []string) {
	add := func(pods []*world.Pod) {
		for _, p := range pods {
			if !p.Ready && !p.Finished() && !p.Terminating() && p.Owner.UID != "" {
				out = append(out, p.Owner.UID)
			}
		}
	}
	for _, n := range w.Nodes() {
		add(w.PodsOn(n.Name))
	}
	add(w.Unplaced())
	slices.Sort(out)
	return slices.Compact(out)
}
