package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine/api"
)

// version is set when a release is built.
var version = "dev"

func (a *app) versionCmd() *cobra.Command {
	var o string
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Say which version this is",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			asJSON, err := output(o)
			if err != nil {
				return err
			}
			return a.version(asJSON)
		},
	}
	cmd.Flags().StringVarP(&o, "output", "o", "text", "text, json or yaml")
	return cmd
}

// version says which version this is; as JSON also what it was built from, and with what.
func (a *app) version(asJSON bool) error {
	info, _ := debug.ReadBuildInfo()
	built := versionOf(info)
	if asJSON {
		return present.JSON(a.Out, built)
	}
	_, err := fmt.Fprintln(a.Out, "drainboard "+built.Version)
	return err
}

// versionOf is what is known of this build; what git knows is there if it was built in a clone.
func versionOf(info *debug.BuildInfo) api.Version {
	v := api.Version{Version: version, GoVersion: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info == nil {
		return v
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Commit = s.Value
		case "vcs.time":
			v.Date = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}
