package kube

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean makes a string from the cluster safe for a terminal: control characters,
// escapes, bidirectional overrides, zero-width and other invisible characters
// are dropped, line breaks and tabs become spaces, broken UTF-8 becomes U+FFFD.
// What the API validates (names, labels, taints) passes unchanged.
func Clean(s string) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range s {
		switch {
		case r == '\n', r == '\t', r == '\r', unicode.In(r, unicode.Z):
			b.WriteByte(' ')
		case unicode.In(r, unicode.C, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point):
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// plain reports whether a string is printable ASCII, as nearly all are.
func plain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// sentence is Clean for free text, cut to a length that fits a log line.
func sentence(s string) string {
	const most = 600
	s = strings.TrimSpace(Clean(s))
	if len(s) <= most {
		return s
	}
	cut := most
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}

// cleanAll cleans the keys and values of a map. A clean map, as nearly all
// are, is returned as it is.
func cleanAll(m map[string]string) map[string]string {
	clean := true
	for k, v := range m {
		clean = clean && plain(k) && plain(v)
	}
	if clean {
		return m
	}
	out := make(map[string]string, len(m))
	for k, v := range m {
		out[Clean(k)] = Clean(v)
	}
	return out
}
