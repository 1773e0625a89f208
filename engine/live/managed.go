package live

import (
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// tellUpdate tells how EKS's update of a managed node group ended, if it failed while
// somebody watched: in EKS's own words, and with the pods that were seen to be held on the
// nodes that it names, which EKS does not tell.
func (w *Watch) tellUpdate(now time.Time) {
	m := w.World.Group.Managed
	if m == nil || m.Update == nil {
		return
	}
	was, is := w.update, *m.Update
	w.update = is
	if was.ID == "" || was.ID == is.ID && was.Status == is.Status || is.Status != world.UpdateFailed {
		return
	}
	var why []string
	for _, e := range is.Errors {
		why = append(why, text.EKSError(e.Code, e.Message, e.Resources, w.heldOn(e.Resources)))
	}
	w.tell([]record.Event{{Time: now, Group: w.World.Group.Name, Type: record.Warning, Reason: "eks-update", Message: text.EKSUpdateFailed(is.ID, why)}})
}

// heldOn says of the pods on some nodes, named as EKS does, what was last seen to hold them.
func (w *Watch) heldOn(nodes []string) (out []string) {
	if w.snapshot == nil {
		return nil
	}
	for _, b := range w.snapshot.Blockers {
		if slices.Contains(nodes, b.Node) {
			out = append(out, text.HeldPod(b.Pod, b.Owner, b.Detail))
		}
	}
	return out
}
