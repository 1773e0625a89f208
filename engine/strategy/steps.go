package strategy

import "github.com/drainboard/drainboard/engine"

// steps are what a strategy does in each of its phases.
type steps map[string]func(*engine.Step)

// take does what is to be done in the current phase, unless another controller or a user is at work on the
// group so that it would do harm. A run that is in none enters the first.
func (do steps) take(s *engine.Step, first string) {
	if opposed(s) {
		return
	}
	if s.Phase() == "" {
		s.Enter(first)
	}
	if step := do[s.Phase()]; step != nil {
		step(s)
	}
}
