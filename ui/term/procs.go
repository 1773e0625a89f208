package term

import (
	"os"
	"runtime"
)

// leastProcs is how many goroutines may run at once while a program has the terminal. On two cores the engine and the
// garbage collector occupy both of Go's processors for up to 20 ms, and a key passes through five goroutines. With more
// processors than cores the operating system runs those at once.
const leastProcs = 4

// raiseProcs raises GOMAXPROCS until restore is called, where the environment does not set it.
func raiseProcs() (restore func()) {
	if os.Getenv("GOMAXPROCS") != "" || runtime.GOMAXPROCS(0) >= leastProcs {
		return func() {}
	}
	runtime.GOMAXPROCS(leastProcs)
	return runtime.SetDefaultGOMAXPROCS
}
