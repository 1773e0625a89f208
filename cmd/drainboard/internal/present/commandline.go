package present

import (
	"regexp"
	"strings"
)

// CommandLine has the given flags that belong into commands suggested to the user. Its words
// are quoted for a shell.
type CommandLine struct {
	// Reach are the flags that select the cluster, the cloud account and the records.
	Reach []Flag
	// Settings are the flags that a repeated upgrade takes: Reach, and those that
	// set its settings and target.
	Settings []Flag
	// Takes reports whether a command has a flag; nil means that each has all of them.
	Takes func(verb, flag string) bool
}

// Flag is a flag as it was given.
type Flag struct {
	Name  string   // without dashes
	Words []string // of the command line
}

// Command returns a drainboard command with the Reach of the given one, as far as it has these
// flags.
func (l CommandLine) Command(verb string, words ...string) string {
	return l.spoken(verb, words, l.Reach)
}

// Repeat returns an upgrade of groups, with the given settings and target.
func (l CommandLine) Repeat(words ...string) string { return l.spoken("upgrade", words, l.Settings) }

func (l CommandLine) spoken(verb string, words []string, flags []Flag) string {
	line := []string{"drainboard", verb}
	for _, w := range words {
		line = append(line, Quoted(w))
	}
	for _, f := range flags {
		if l.Takes == nil || l.Takes(verb, f.Name) {
			line = append(line, f.Words...)
		}
	}
	return strings.Join(line, " ")
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// Quoted returns a word quoted for a shell.
func Quoted(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// UpgradeCloudOnly returns the command for a group of a kops cluster, whose name is "" if unknown.
func UpgradeCloudOnly(group, cluster string) string {
	line := "drainboard upgrade " + Quoted(group) + " --cloudonly"
	if cluster != "" {
		line += " --cluster-name " + Quoted(cluster)
	}
	return line
}
