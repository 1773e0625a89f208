package main

import (
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Which of the flags that were given a command that is told to people has, too.
var (
	// reachFlags lead to the same cluster, cloud and records.
	reachFlags = []string{
		"kubeconfig", "context", "cluster", "user", "server", "record-namespace",
		"provider", "cluster-name", "state", "cloudonly", "garden-kubeconfig", "shoot", "control-kubeconfig", "control-namespace",
	}
	// onceFlags are for one call: how it asks and tells, what it does first, and a secret.
	onceFlags = []string{"yes", "auto", "plain", "dry-run", "output", "theme", "metrics", "record", "token"}
	// groupFlags say which groups, which is told in other words.
	groupFlags = []string{"all", "instance-group", "instance-group-roles"}
)

// command is a command of ours that reaches what the one that was given reaches. cmd has
// its flags; nil for none.
func command(cmd *cobra.Command, verb string, words ...string) string {
	return spoken(cmd, verb, words, func(name string) bool { return slices.Contains(reachFlags, name) })
}

// repeated is an upgrade of groups, with the settings and the target that were given.
func repeated(cmd *cobra.Command, words ...string) string {
	return spoken(cmd, "upgrade", words, func(name string) bool {
		return !slices.Contains(onceFlags, name) && !slices.Contains(groupFlags, name)
	})
}

func spoken(cmd *cobra.Command, verb string, words []string, wanted func(flag string) bool) string {
	line := []string{"drainboard", verb}
	for _, w := range words {
		line = append(line, quoted(w))
	}
	if cmd != nil {
		cmd.Flags().Visit(func(f *pflag.Flag) {
			if wanted(f.Name) {
				line = append(line, flagWords(f)...)
			}
		})
	}
	return strings.Join(line, " ")
}

// flagWords are a flag as it was given.
func flagWords(f *pflag.Flag) (words []string) {
	list, several := f.Value.(pflag.SliceValue)
	switch value := f.Value.String(); {
	case several && f.Value.Type() == "stringSlice":
		return []string{"--" + f.Name, quoted(strings.Join(list.GetSlice(), ","))}
	case several:
		for _, v := range list.GetSlice() {
			words = append(words, "--"+f.Name, quoted(v))
		}
		return words
	case f.Value.Type() == "bool" && value == "true":
		return []string{"--" + f.Name}
	case f.Value.Type() == "bool":
		return []string{"--" + f.Name + "=" + value}
	default:
		return []string{"--" + f.Name, quoted(value)}
	}
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// quoted is a word as a shell takes it.
func quoted(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
