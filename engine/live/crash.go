package live

import (
	"fmt"
	"runtime/debug"
)

// Crash is a panic as an error. A panic that ends the process leaves the terminal of
// a dashboard as it is and the lock to its expiry; as an error it ends the run in
// order, and nothing more is done.
type Crash struct {
	Value any
	Stack []byte
}

func (c *Crash) Error() string { return fmt.Sprintf("internal error: %v", c.Value) }

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
