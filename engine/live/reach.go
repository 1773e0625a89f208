package live

import "errors"

// What keeps a process from asking the other side (a cluster, a cloud), whatever it asks for.
// Errors of the providers wrap one of these where it is why. Of all others nothing but another
// question, or another configuration, leads on.
var (
	// ErrUnreachable means that there was no answer, or one that says: not now. The same question
	// may be answered a moment later.
	ErrUnreachable = errors.New("not reachable, or throttled")
	// ErrDenied means that credentials are missing or not accepted, or that a right is missing.
	ErrDenied = errors.New("credentials or rights are missing")
	// ErrRefused means that the other side does not accept a request, and not because of who asks.
	ErrRefused = errors.New("refused")
)

// Trouble is an error in words of its own that is of a kind.
type Trouble struct {
	Words string
	Kind  error // ErrUnreachable, ErrDenied or ErrRefused
}

func (e *Trouble) Error() string { return e.Words }
func (e *Trouble) Unwrap() error { return e.Kind }
