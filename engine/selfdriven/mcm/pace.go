package mcm

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/drainboard/drainboard/engine/selfdriven"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/world"
)

var _ selfdriven.Paced = Controller{}

// PaceGiven reports whether the Shoot is asked for.
func (Controller) PaceGiven(g *world.Group) bool {
	return g.Pool != nil && (g.Pool.Shoot != "" || g.Pool.Unread != "")
}

// Pace is maxSurge and maxUnavailable of the pool in the Shoot.
func (Controller) Pace(g *world.Group) (world.Pace, bool) {
	p := g.Pool
	if p == nil || p.Shoot == "" || p.Unread != "" {
		return world.Pace{}, false
	}
	return p.Pace(), p.MaxSurge != "" && p.MaxUnavailable != ""
}

// PaceIn is the Shoot, and the pool in it.
func (Controller) PaceIn(g *world.Group) (namespace, object, group string) {
	if g.Pool != nil {
		namespace, object, _ = strings.Cut(g.Pool.Shoot, "/")
		group = g.Pool.Name
	}
	return namespace, object, group
}

// PaceRefused says why Gardener would not take another pace: its API refuses it, or its
// gardenlet waits for the maintenance time window.
func (Controller) PaceRefused(g *world.Group) string {
	p := g.Pool
	switch {
	case p == nil || p.Shoot == "":
		return text.PaceNeedsShoot
	case p.Unread != "":
		return systems.ShootCannotBeRead(p.Unread)
	case p.Update == world.ManualInPlaceUpdate:
		return text.PaceByHand
	case p.Pending:
		return text.PacePending
	case p.Progress != nil && p.Progress.Confined:
		return text.PaceConfined
	}
	return ""
}

// setPace says a request for a pace in words, and as kubectl in the garden cluster: jq keeps the
// Shoot's resourceVersion, so that a change in between is refused.
func setPace(r selfdriven.Request) (what, command string) {
	what = text.SetPace(r.From.String(), r.Pace.String(), r.Group, r.Namespace+"/"+r.Object)
	command = fmt.Sprintf("kubectl -n %[1]s get shoot %[2]s -o json | jq '(.spec.provider.workers[] | select(.name == %[3]q)) |= (.maxSurge = %[4]s | .maxUnavailable = %[5]s)' | kubectl replace -f -",
		r.Namespace, r.Object, r.Group, literal(r.Pace.MaxSurge), literal(r.Pace.MaxUnavailable))
	return what, command
}

// literal is a number or a percentage as JSON has it.
func literal(s string) string {
	if _, err := strconv.Atoi(s); err == nil {
		return s
	}
	b, _ := json.Marshal(s) // a string never fails
	return string(b)
}
