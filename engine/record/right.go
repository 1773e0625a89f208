package record

// Right is a right outside the group's own cluster that a run takes, and what is known of it before
// the start.
type Right struct {
	// Action is the IAM action, such as autoscaling:ResumeProcesses, or that of another API, such
	// as "patch shoots"; Resource what it is needed on, "" until it is looked at.
	Action, Resource string
	// When it is needed, "" for always: without a right that is not always needed the run
	// starts.
	When string
	// Verdict is what was found, RightUnchecked until then. Message is how it is denied, or why
	// it was not checked.
	Verdict RightVerdict
	Message string
}

// RightVerdict is what is known of a right.
type RightVerdict string

// Verdicts. The zero value is a right that was not checked.
const (
	RightUnchecked RightVerdict = ""
	RightAllowed   RightVerdict = "allowed"
	RightDenied    RightVerdict = "denied"
)

// Stops reports whether a run cannot do without what is denied.
func (r Right) Stops() bool { return r.Verdict == RightDenied && r.When == "" }
