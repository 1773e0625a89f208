package present

import (
	"regexp"
	"strings"
)

// CommandLine has the given flags that belong into commands suggested to the user. Its words
// are quoted for a shell.
type CommandLine struct {
	// Reach are the flags that select the cluster, the cloud account and the records.
	Reach []string
	// Settings are the flags that a repeated upgrade takes: Reach, and those that
	// set its settings and target.
	Settings []string
}

// Command returns a drainboard command with the Reach of the given one.
func (l CommandLine) Command(verb string, words ...string) string {
	return spoken(verb, words, l.Reach)
}

// Repeat returns an upgrade of groups, with the given settings and target.
func (l CommandLine) Repeat(words ...string) string { return spoken("upgrade", words, l.Settings) }

func spoken(verb string, words, flags []string) string {
	line := []string{"drainboard", verb}
	for _, w := range words {
		line = append(line, Quoted(w))
	}
	return strings.Join(append(line, flags...), " ")
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
