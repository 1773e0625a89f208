package style

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/drainboard/drainboard/engine/text/plans"
)

// Countdown is a duration as a clock shows it, as in the sentences of the engine.
func Countdown(d time.Duration) string { return plans.Clock(d) }

// Hours is a duration of hours where there is no room for seconds: 1h58.
func Hours(d time.Duration) string {
	return fmt.Sprintf("%dh%02d", d/time.Hour, d%time.Hour/time.Minute)
}

// Elapsed is a duration as hours, minutes and seconds: 00:21:07.
func Elapsed(d time.Duration) string {
	s := int(max(d, 0) / time.Second)
	return fmt.Sprintf("%02d:%02d:%02d", s/3600, s/60%60, s%60)
}

// Age is how old something is, in words: 14 s, 3 min, 2 h.
func Age(d time.Duration) string {
	switch d = max(d, 0); {
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s", int(d/time.Second))
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min", int(d/time.Minute))
	default:
		return fmt.Sprintf("%d h", int(d/time.Hour))
	}
}

// Count is a number with its noun: 1 pod, 3 pods.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// ShortVersion is a version without what is the same everywhere:
// v1.31.4-eks-a1b2c3d becomes 1.31.4.
func ShortVersion(v string) string {
	if len(v) > 1 && v[0] == 'v' && unicode.IsDigit(rune(v[1])) {
		v = v[1:]
	}
	v, _, _ = strings.Cut(v, "-eks-")
	return v
}

// WithoutDomain is a node's name up to the first dot, unless what follows is
// part of an address.
func WithoutDomain(name string) string {
	host, domain, found := strings.Cut(name, ".")
	if !found || host == "" || !strings.ContainsFunc(domain, unicode.IsLetter) {
		return name
	}
	return host
}

// List joins words as a sentence does: a, b and c.
func List(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}
