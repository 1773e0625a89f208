package objects

import (
	"strings"
	"unicode/utf8"

	"github.com/drainboard/drainboard/engine/world"
)

// Sentence is free text clean for a terminal, cut to a length that fits a log line.
func Sentence(s string) string {
	const most = 600
	s = strings.TrimSpace(world.Clean(s))
	if len(s) <= most {
		return s
	}
	cut := most
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
