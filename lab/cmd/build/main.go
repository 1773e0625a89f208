// Build makes the lab's programs, lab and kwok, in bin/ of the repository.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/drainboard/drainboard/lab/programs"
)

func main() {
	if err := programs.Build(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
