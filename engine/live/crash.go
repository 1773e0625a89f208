package live

import (
	"runtime/debug"

	"github.com/drainboard/drainboard/engine/text"
)

// Crash is a panic as an error. A panic that ends the process leaves the terminal of
// a dashboard as it is and the lock to its expiry; as an error it ends the run in
// order, and nothing more is done.
type Crash struct {
	Value any
	Stack []byte
}

func (c *Crash) Error() string { return text.InternalError(c.Value) }

// Guarded is do for a goroutine of its own: go Guarded(do, broken)(). broken gets a
// panic there, as a *Crash; it is nil where nobody is left to be told, and the process
// is to continue without what do does.
func Guarded(do func(), broken func(error)) func() {
	return func() {
		if err := Caught(func() error { do(); return nil }); err != nil && broken != nil {
			broken(err)
		}
	}
}

// Caught runs do and returns a panic of its as a *Crash. Every goroutine that is
// started while a dashboard may be up begins with it.
func Caught(do func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &Crash{r, debug.Stack()}
		}
	}()
	return do()
}
