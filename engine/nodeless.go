package engine

import (
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// nodeless reports whether the machines of the group have no nodes, as far as the run
// knows: those of a bastion group never join the cluster, and with CloudOnly it is not
// looked at. They are ended without a cordon, a drain or a look.
func (s *Reader) nodeless() bool {
	return s.Run.Settings.CloudOnly || s.W.Group.Role == world.RoleBastion
}

// startEnd lets a machine without a node go: there is nothing to drain.
func (s *Step) startEnd(id string) {
	n := s.Run.Nodes[id]
	n.Stage, n.Since, n.Began, n.LetGo = record.Terminating, s.Now, s.Now, time.Time{}
	n.Wait = s.newWait("terminating", s.Run.Settings.TerminateTimeout+s.holdTime(false), world.Cloud)
	s.SetNode(id, n)
	s.terminate(id, n)
}
