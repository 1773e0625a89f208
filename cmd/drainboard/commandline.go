package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
)

// Which of the flags that were given a command that is told to people has, too.
var (
	// reachFlags lead to the same cluster, cloud and records.
	reachFlags = []string{
		"kubeconfig", "context", "cluster", "user", "server", "record-namespace",
		"provider", "region", "profile", "cluster-name", "state", "cloudonly", "garden-kubeconfig", "shoot", "control-kubeconfig", "control-namespace",
	}
	// onceFlags are for one call: how it asks and tells, what it does first, and a secret.
	onceFlags = []string{"yes", "auto", "plain", "dry-run", "output", "theme", "metrics", "record", "token", "start-timeout", "detailed-exitcode", "no-headers"}
	// groupFlags say which groups, which is told in other words.
	groupFlags = []string{"all", "instance-group", "instance-group-roles"}
)

// commandLine is what was given to a command, for commands that people are told.
func commandLine(cmd *cobra.Command) (line present.CommandLine) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		words := flagWords(f)
		if slices.Contains(reachFlags, f.Name) {
			line.Reach = append(line.Reach, words...)
		}
		if !slices.Contains(onceFlags, f.Name) && !slices.Contains(groupFlags, f.Name) {
			line.Settings = append(line.Settings, words...)
		}
	})
	return line
}

// flagWords are a flag as it was given.
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

// given are the flags on the command line that make a run's settings and target.
func given(cmd *cobra.Command) (names []string) {
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Changed && !slices.Contains(slices.Concat(hookFlagNames, scopeFlagNames, []string{"auto", "plain", "yes", "dry-run", "output", "theme", "metrics", "record", "provider", "region", "profile", "cluster-name", "state", "cloudonly", "garden-kubeconfig", "shoot", "control-kubeconfig", "control-namespace"}), f.Name) {
			names = append(names, "--"+f.Name)
		}
	})
	return names
}
