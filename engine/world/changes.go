package world

// leastChanges is how many changes are remembered at least; a large group's are as many as
// it has machines.
const leastChanges = 1000

// Changed is what a Change is of.
type Changed int

const (
	// ChangedMachine: a machine by its id, or the node on it.
	ChangedMachine Changed = iota
	// ChangedName: the machine of the node of a name.
	ChangedName
	// ChangedPod: whether the pod of a UID is there.
	ChangedPod
)

// Change says what has changed.
type Change struct {
	What Changed
	ID   string
}

// changes remembers what has changed.
type changes struct {
	dropped int      // how many are no longer remembered
	list    []Change // the newest last
}

// changed notes a change.
func (w *World) changed(what Changed, id string) {
	if id == "" {
		return
	}
	c := &w.changes
	if half := max(leastChanges, len(w.machines), len(w.nodes)); len(c.list) >= 2*half {
		c.dropped, c.list = c.dropped+half, append([]Change(nil), c.list[half:]...)
	}
	c.list = append(c.list, Change{what, id})
}

// Changes counts the changes so far.
func (w *World) Changes() int { return w.changes.dropped + len(w.changes.list) }

// ChangedSince lists the changes since there were that many, some more than once. It reports false
// if that is too long ago to tell.
func (w *World) ChangedSince(count int) ([]Change, bool) {
	from := count - w.changes.dropped
	if from < 0 || from > len(w.changes.list) {
		return nil, false
	}
	return w.changes.list[from:], true
}

// Keep keeps what was derived from the world with it, for the reader who brings it up to date with
// ChangedSince. It is lost with the world: a copy begins without.
func (w *World) Keep(derived any) { w.derived = derived }

// Kept is what was kept last, nil for nothing.
func (w *World) Kept() any { return w.derived }
