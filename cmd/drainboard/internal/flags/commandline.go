package flags

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
)

// Which of the given flags are repeated in a command that is suggested to the user.
var (
	// reachFlags select the cluster, the cloud account and the records.
	reachFlags = []string{
		"kubeconfig", "context", "cluster", "user", "server", "record-namespace",
		"provider", "region", "profile", "cluster-name", "state", "cloudonly", "garden-kubeconfig", "shoot", "control-kubeconfig", "control-namespace",
	}
	// onceFlags apply to one call: its prompts and output, what it does first, and a secret.
	onceFlags = []string{"yes", "auto", "plain", "dry-run", "output", "theme", "metrics", "metrics-push", "metrics-file", "record", "token", "start-timeout", "detailed-exitcode", "no-headers"}
	// groupFlags select groups, which a suggested command names instead.
	groupFlags = []string{"all", "instance-group", "instance-group-roles"}
)

// CommandLineOf returns the given flags, for the commands that are suggested to the user.
func CommandLineOf(cmd *cobra.Command) (line present.CommandLine) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		given := present.Flag{Name: f.Name, Words: flagWords(f)}
		if slices.Contains(reachFlags, f.Name) {
			line.Reach = append(line.Reach, given)
		}
		if !slices.Contains(onceFlags, f.Name) && !slices.Contains(groupFlags, f.Name) {
			line.Settings = append(line.Settings, given)
		}
	})
	root := cmd.Root()
	line.Takes = func(verb, flag string) bool {
		other, _, err := root.Find([]string{verb})
		return err == nil && other.Flag(flag) != nil
	}
	return line
}

// flagWords returns a flag as it was given.
func flagWords(f *pflag.Flag) (words []string) {
	list, several := f.Value.(pflag.SliceValue)
	switch value := f.Value.String(); {
	case several && f.Value.Type() == "stringSlice":
		return []string{"--" + f.Name, present.Quoted(strings.Join(list.GetSlice(), ","))}
	case several:
		for _, v := range list.GetSlice() {
			words = append(words, "--"+f.Name, present.Quoted(v))
		}
		return words
	case f.Value.Type() == "bool" && value == "true":
		return []string{"--" + f.Name}
	case f.Value.Type() == "bool":
		return []string{"--" + f.Name + "=" + value}
	default:
		return []string{"--" + f.Name, present.Quoted(value)}
	}
}

// Given returns the flags on the command line that set a run's settings and target.
func Given(cmd *cobra.Command) (names []string) {
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Changed && !slices.Contains(slices.Concat(hookFlagNames, scopeFlagNames, []string{"auto", "plain", "yes", "dry-run", "output", "theme", "metrics", "metrics-push", "metrics-file", "record", "provider", "region", "profile", "cluster-name", "state", "cloudonly", "garden-kubeconfig", "shoot", "control-kubeconfig", "control-namespace"}), f.Name) {
			names = append(names, "--"+f.Name)
		}
	})
	return names
}
