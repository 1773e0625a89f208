package record

import (
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// HeldPace is a pace of a group's own controller that a run has set. It is recorded before it is
// asked for.
type HeldPace struct {
	// Was is what the run found and restores, Set what it asks for, From what that takes the place
	// of: Was, or what the run had set before.
	Was  world.Pace `json:"was"`
	From world.Pace `json:"from"`
	Set  world.Pace `json:"set"`
	// Restoring: Was was asked for again.
	Restoring bool `json:"restoring,omitempty"`
	// Controller, Namespace, Object and Group are where it is (Action).
	Controller string `json:"controller,omitempty"`
	Namespace  string `json:"namespace"`
	Object     string `json:"object"`
	Group      string `json:"group"`
}

// Sentence says what is set, and what will be restored; "" for none.
func (h *HeldPace) Sentence() string {
	if h == nil {
		return ""
	}
	return text.PaceHeld(h.Set.String(), h.Was.String(), h.Group, h.Namespace+"/"+h.Object)
}

// Change is the action that sets the pace.
func (h HeldPace) Change() Action { return h.action(PaceKey, h.From, h.Set) }

// Restore is the action that restores it from what it is now.
func (h HeldPace) Restore(now world.Pace) Action { return h.action(RestorePaceKey, now, h.Was) }

func (h HeldPace) action(key string, from, to world.Pace) Action {
	return Action{Kind: SetPace, Key: key, Controller: h.Controller, Namespace: h.Namespace, Object: h.Object, Group: h.Group, FromPace: &from, Pace: &to}
}
