package main

import (
	"cmp"
	"fmt"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine/api"
)

// released is set by the linker when a release is built, which it can only while nothing else sets it.
var released string

// version is that of this program.
var version = cmp.Or(released, moduleVersion(buildInfo()))

// unversioned is the version of what was built in a clone between two releases.
const unversioned = "dev"

// untagged is a version that Go makes of a commit: its time and the start of its hash.
var untagged = regexp.MustCompile(`[.-](\d{14})-([0-9a-f]{12})$`)

func buildInfo() *debug.BuildInfo {
	info, _ := debug.ReadBuildInfo()
	return info
}

// moduleVersion is the version of the module that was built, as go install notes it: a release, or
// the commit that it was taken at. A build in a clone has a release's version only at its tag.
func moduleVersion(info *debug.BuildInfo) string {
	if info == nil || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return unversioned
	}
	inClone := slices.ContainsFunc(info.Settings, func(s debug.BuildSetting) bool { return s.Key == "vcs.revision" })
	of, changed, _ := strings.Cut(info.Main.Version, "+")
	if inClone && (untagged.MatchString(of) || changed != "") {
		return unversioned
	}
	return strings.TrimPrefix(of, "v")
}

func (a *app) versionCmd() *cobra.Command {
	var o string
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
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
	built := versionOf(version, buildInfo())
	if asJSON {
		return present.JSON(a.Out, built)
	}
	_, err := fmt.Fprintln(a.Out, "drainboard "+built.Version)
	return err
}

// versionOf is what is known of a build. The commit is there if it was built in a clone, and its
// start if the module was taken at a commit without a tag.
func versionOf(version string, info *debug.BuildInfo) api.Version {
	v := api.Version{Version: version, GoVersion: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info == nil {
		return v
	}
	if made := untagged.FindStringSubmatch(info.Main.Version); made != nil {
		if at, err := time.Parse("20060102150405", made[1]); err == nil {
			v.Date, v.Commit = at.Format(time.RFC3339), made[2]
		}
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
