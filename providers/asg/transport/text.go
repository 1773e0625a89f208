package transport

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/drainboard/drainboard/engine/world"
)

// Clean makes a string from the cloud safe for a terminal.
func Clean(s string) string { return world.Clean(s) }

// Text is clean for the pointers of the SDK, where nil is "".
func Text(s *string) string { return Clean(aws.ToString(s)) }

// Short is clean for free text, on one line and cut to 300 bytes.
func Short(s string) string { return ShortTo(s, 300) }

// ShortTo is short for another limit, in bytes.
func ShortTo(s string, most int) string {
	s = strings.Join(strings.Fields(Clean(s)), " ")
	if len(s) <= most {
		return s
	}
	cut := most
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}

// boilerplate are sentences that Auto Scaling puts around the reason of a
// failure and that say nothing by themselves.
var boilerplate = []string{
	"Launching EC2 instance failed", "Could not launch Spot Instances", "Could not launch On-Demand Instances",
	"Instance became unhealthy while waiting for instance to be in InService state",
}

// FirstSentence is the first sentence of a status message that tells something.
func FirstSentence(s string) string {
	s = Short(s)
	for rest := s; rest != ""; {
		sentence, after, more := strings.Cut(rest, ". ")
		if !slices.ContainsFunc(boilerplate, func(b string) bool { return strings.HasPrefix(sentence, b) }) {
			return strings.TrimSuffix(sentence, ".")
		}
		if !more {
			break
		}
		rest = after
	}
	return s
}

// Near picks at most three names that the user may have meant, the best first.
func Near(name string, names []string) []string {
	type guess struct {
		name string
		off  int
	}
	var guesses []guess
	for _, n := range names {
		off := levenshtein.ComputeDistance(strings.ToLower(name), strings.ToLower(n))
		if strings.Contains(n, name) || strings.Contains(name, n) {
			off = min(off, 1)
		}
		if off <= max(2, len(name)/3) {
			guesses = append(guesses, guess{n, off})
		}
	}
	slices.SortFunc(guesses, func(a, b guess) int { return cmp.Or(cmp.Compare(a.off, b.off), cmp.Compare(a.name, b.name)) })
	var out []string
	for _, g := range guesses[:min(3, len(guesses))] {
		out = append(out, g.name)
	}
	return out
}
