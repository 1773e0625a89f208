package shoot

import "github.com/drainboard/drainboard/engine/world"

// Switch is a change of a pool's update strategy.
type Switch struct {
	From    string
	To      string
	Allowed bool
	Why     string
}

// Switches are all changes of strategy, for documents.
func Switches() []Switch {
	all := []string{world.AutoRollingUpdate, world.AutoInPlaceUpdate, world.ManualInPlaceUpdate}
	var out []Switch
	for _, from := range all {
		for _, to := range all {
			if s := switched(from, to); s != nil {
				out = append(out, *s)
			}
		}
	}
	return out
}

// switched is a change of strategy, nil if it is none.
func switched(from, to string) *Switch {
	s := &Switch{From: from, To: to, Allowed: inPlace(from) == inPlace(to)}
	switch {
	case from == to:
		return nil
	case s.Allowed:
		s.Why = "no node changes now; the next update follows " + to
	case inPlace(to):
		s.Why = "a pool cannot switch from rolling to in-place updates: add a pool with " + world.Clean(to) + " and move the workload"
	default:
		s.Why = "a pool cannot switch from in-place to rolling updates: add a pool with AutoRollingUpdate and move the workload"
	}
	return s
}
