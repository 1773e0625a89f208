// Command lab starts a real Kubernetes control plane with fake kubelets and an
// AWS endpoint on this machine, for trying Drainboard out and for its tests.
//
//	lab up --nodes 12 --zones 3            until stopped
//	lab up -- drainboard upgrade ng-web    with a command, and as long as it
//	lab fault no-capacity --zone a         what can go wrong, while it runs
//	lab shoot --kubernetes-version 1.33.1  roll the Shoot of lab up --gardener
//	lab update ng-web                      EKS's update of the node group of lab up --eks
//	lab kubectl ...                        kubectl of the same version
//
// The program is also every component of the control plane: see components.go.
package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func main() {
	if len(os.Args) > 1 {
		if run, ok := components[os.Args[1]]; ok {
			os.Args = os.Args[1:]
			os.Exit(run())
		}
	}
	root := &cobra.Command{
		Use:           "lab",
		Short:         "A real Kubernetes control plane with fake nodes and an AWS endpoint, on this machine",
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.AddCommand(upCommand(), faultCommand(), shootCommand(), updateCommand())
	// Kubernetes registers its own on import, and cobra shows it as ours.
	_ = pflag.CommandLine.MarkHidden("version")
	err := root.Execute()
	var code exitCode
	switch {
	case errors.As(err, &code):
		os.Exit(int(code))
	case err != nil:
		fmt.Fprintln(os.Stderr, "lab:", err)
		os.Exit(1)
	}
}

// An exitCode is the exit code of a command that lab ran, to be passed on.
type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }
