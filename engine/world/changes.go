package world

// leastChanges is how many changes are remembered at least; a large group's are as many as
// it has machines.
const leastChanges = 1000

// changes remembers which machines changed, or whose nodes did.
type changes struct {
	dropped  int      // how many are no longer remembered
	machines []string // ids, the newest last
}

// changed notes a change of a machine, or of the node on it.
func (w *World) changed(machine string) {
	if machine == "" {
		return
	}
	c := &w.changes
	if half := max(leastChanges, len(w.machines), len(w.nodes)); len(c.machines) >= 2*half {
		c.dropped, c.machines = c.dropped+half, append([]string(nil), c.machines[half:]...)
	}
	c.machines = append(c.machines, machine)
}

// Changes counts the changes of machines and of their nodes so far.
func (w *World) Changes() int { return w.changes.dropped + len(w.changes.machines) }

// ChangedSince lists the machines that changed, or whose nodes did, since there were that
// many changes, some more than once. It reports false if that is too long ago to tell.
func (w *World) ChangedSince(count int) ([]string, bool) {
	from := count - w.changes.dropped
	if from < 0 || from > len(w.changes.machines) {
		return nil, false
	}
	return w.changes.machines[from:], true
}

// Keep keeps what was derived from the world with it, for the reader who brings it up to date with
// ChangedSince. It is lost with the world: a copy begins without.
func (w *World) Keep(derived any) { w.derived = derived }

// Kept is what was kept last, nil for nothing.
func (w *World) Kept() any { return w.derived }
