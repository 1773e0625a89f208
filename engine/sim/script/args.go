package script

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/record"
)

// args are the words of a script's line: name word switch key=value.
type args struct {
	name  string
	words []string
	pair  map[string]string
	read  map[string]bool
	twice []string // keys that are there a second time
}

func parse(line string) *args {
	a := &args{pair: map[string]string{}, read: map[string]bool{}}
	for i, f := range strings.Fields(line) {
		key, value, isPair := strings.Cut(f, "=")
		switch {
		case i == 0:
			a.name = f
		case isPair:
			if _, was := a.pair[key]; was {
				a.twice = append(a.twice, key)
			}
			a.pair[key] = value
		default:
			a.words = append(a.words, f)
		}
	}
	return a
}

// sets lists what a line sets: one that sets the same after it replaces it, so that the first says nothing.
func (a *args) sets() (out []string) {
	switch a.name {
	case "seed", "cluster", "balancer", "autoscaler", "crash":
		out = []string{a.name}
	case "workload", "budget", "peer", "hook":
		out = []string{strings.Join(append([]string{a.name}, a.words[:min(1, len(a.words))]...), " ")}
	case "timing", "settings":
		for _, key := range slices.Sorted(maps.Keys(a.pair)) {
			out = append(out, key+" of "+a.name)
		}
	case "fault":
		what := strings.Join(append([]string{a.name}, a.words...), " ")
		for _, key := range []string{"kind", "source", "zone"} {
			if a.pair[key] != "" {
				what += " " + key + "=" + a.pair[key]
			}
		}
		out = []string{what}
	}
	for _, key := range a.twice {
		out = append(out, key, key)
	}
	return out
}

// unread lists what nobody asked for.
func (a *args) unread() []string {
	out := slices.Clone(a.words)
	for _, k := range slices.Sorted(maps.Keys(a.pair)) {
		if !a.read[k] {
			out = append(out, k)
		}
	}
	return out
}

// next takes the next word.
func (a *args) next() string {
	if len(a.words) == 0 {
		return ""
	}
	w := a.words[0]
	a.words = a.words[1:]
	return w
}

// flag takes a switch.
func (a *args) flag(name string) bool {
	i := slices.Index(a.words, name)
	if i < 0 {
		return false
	}
	a.words = slices.Delete(a.words, i, i+1)
	return true
}

func (a *args) word(key string) string {
	a.read[key] = true
	return a.pair[key]
}

func (a *args) int(key string, otherwise int) int {
	text := a.word(key)
	if key == "" {
		text = a.next()
	}
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	return otherwise
}

func (a *args) span(key string, otherwise time.Duration) time.Duration {
	if d, err := time.ParseDuration(a.word(key)); err == nil {
		return d
	}
	return otherwise
}

func (a *args) float(key string, otherwise float64) float64 {
	if f, err := strconv.ParseFloat(a.word(key), 64); err == nil {
		return f
	}
	return otherwise
}

func (a *args) list(key, otherwise string) []string {
	text := a.word(key)
	if text == "" {
		text = otherwise
	}
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
}

// pairs reads key=name:value,name:value.
func (a *args) pairs(key string) map[string]string {
	var out map[string]string
	for _, p := range a.list(key, "") {
		name, value, _ := strings.Cut(p, ":")
		if out == nil {
			out = map[string]string{}
		}
		out[name] = value
	}
	return out
}

func (a *args) amount(key string) (*record.Amount, error) {
	text := a.word(key)
	if text == "" {
		return nil, nil
	}
	n, err := record.ParseAmount(text)
	return &n, err
}
