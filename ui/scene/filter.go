package scene

import (
	"fmt"
	"strings"

	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/ui/style"
)

// Filter chooses nodes by words, all of which must fit: a text that is part of
// what the row shows, "blocked", or zone=, stage=, version= and batch=. A word
// that begins with ! must not fit.
type Filter []needle

// needle is one word of a filter.
type needle struct {
	key, value string
	not        bool
}

func ParseFilter(text string) Filter {
	var f Filter
	for word := range strings.FieldsSeq(strings.ToLower(text)) {
		word, not := strings.CutPrefix(word, "!")
		if word == "" || strings.HasSuffix(word, "=") {
			continue // it is still being typed
		}
		t := needle{value: word, not: not}
		if key, value, found := strings.Cut(word, "="); found {
			switch key {
			case "zone", "stage", "version", "batch":
				t.key, t.value = key, value
			}
		}
		f = append(f, t)
	}
	return f
}

// MatchesRow reports whether a node is among those that are looked for.
func (f Filter) MatchesRow(r *snapshot.NodeRow) bool {
	for _, t := range f {
		if t.node(r) == t.not {
			return false
		}
	}
	return true
}

func (t needle) node(r *snapshot.NodeRow) bool {
	switch t.key {
	case "zone": // its end is what tells zones apart, its beginning is the region
		zone := strings.ToLower(r.Zone)
		return strings.HasSuffix(zone, t.value) || strings.HasPrefix(zone, t.value)
	case "stage":
		return strings.HasPrefix(string(r.Stage), t.value)
	case "version":
		return strings.HasPrefix(strings.ToLower(style.ShortVersion(r.Version)), strings.TrimPrefix(t.value, "v"))
	case "batch":
		return fmt.Sprint(r.Batch) == t.value
	}
	if t.value == "blocked" && r.Blocked || t.value == "detached" && r.Detached {
		return true
	}
	for _, s := range []string{r.Name, r.ID, string(r.Stage), r.Version, r.Zone, r.Note, string(r.Problem)} {
		if strings.Contains(strings.ToLower(s), t.value) {
			return true
		}
	}
	return false
}

// MatchesText reports whether a line of the log has the words of the filter.
func (f Filter) MatchesText(line string) bool {
	line = strings.ToLower(line)
	for _, t := range f {
		word := t.value
		if t.key != "" {
			word = t.key + "=" + t.value
		}
		if strings.Contains(line, word) == t.not {
			return false
		}
	}
	return true
}

// IsProblem reports whether a node has a problem.
func IsProblem(r *snapshot.NodeRow) bool { return r.Problem != snapshot.NoProblem }
