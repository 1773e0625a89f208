package record

import (
	"slices"
	"time"
)

// Validation is a wait for the whole cluster to be valid: several looks in a row must
// find nothing wrong.
type Validation struct {
	// After are the names of the nodes whose machines were ended before it, none for the
	// one at the start of a group.
	After []string `json:"after,omitempty"`
	// Wait is the time it has; nil where it has any.
	Wait *Wait `json:"wait,omitempty"`
	// Passes of Need looks in a row found nothing; Next is when the next one is due.
	Passes int       `json:"passes"`
	Need   int       `json:"need"`
	Next   time.Time `json:"next,omitzero"`
	// Looked is when the last look was taken, and Failures what it found.
	Looked   time.Time `json:"looked,omitzero"`
	Failures []Invalid `json:"failures,omitempty"`
	// Passed is when it ended well, Failed when its time was up.
	Passed time.Time `json:"passed,omitzero"`
	Failed time.Time `json:"failed,omitzero"`
}

// Invalid is one thing that keeps a cluster from being valid.
type Invalid struct {
	// Kind is what is meant: "group", "machine", "node" or "pod"; Name is its name, that of
	// a pod with its namespace.
	Kind string `json:"kind"`
	Name string `json:"name"`
	// Group it belongs to, "" if to none.
	Group   string `json:"group,omitempty"`
	Message string `json:"message"`
	// Ignored: it is shown, and does not count: another group of workers has it.
	Ignored bool `json:"ignored,omitempty"`
}

// Counting are the failures that are not ignored.
func Counting(found []Invalid) []Invalid {
	return slices.DeleteFunc(slices.Clone(found), func(i Invalid) bool { return i.Ignored })
}

// Messages are what failures say.
func Messages(found []Invalid) []string {
	out := make([]string, len(found))
	for i, f := range found {
		out[i] = f.Message
	}
	return out
}

// ValidationReason is the wait of a validation, and the reason of events that tell of it.
const ValidationReason = "validation"
