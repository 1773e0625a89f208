package present

import (
	"regexp"
	"strings"
)

// CommandLine is what was given to a command, as far as it belongs in the commands that
// people are told to give next. Its words are quoted for a shell.
type CommandLine struct {
	// Reach are the flags that lead to the same cluster, cloud and records.
	Reach []string
	// Settings are the flags that an upgrade of groups takes again: these, and those that
	// make its settings and target.
	Settings []string
}

// Command is a command of ours that reaches what the one that was given reaches.
func (l CommandLine) Command(verb string, words ...string) string {
	return spoken(verb, words, l.Reach)
}

// Repeat is an upgrade of groups, with the settings and the target that were given.
func (l CommandLine) Repeat(words ...string) string { return spoken("upgrade", words, l.Settings) }

func spoken(verb string, words, flags []string) string {
	line := []string{"drainboard", verb}
	for _, w := range words {
		line = append(line, Quoted(w))
	}
	return strings.Join(append(line, flags...), " ")
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// Quoted is a word as a shell takes it.
func Quoted(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// UpgradeCloudOnly is the command for a group of a cluster of kops, "" if that is not known.
func UpgradeCloudOnly(group, cluster string) string {
	line := "drainboard upgrade " + Quoted(group) + " --cloudonly"
	if cluster != "" {
		line += " --cluster-name " + Quoted(cluster)
	}
	return line
}
