package world

import (
	"cmp"
	"strconv"
	"strings"
)

// Pace is how many nodes of a pool its controller replaces at once, as the pool's owner writes it:
// numbers ("1") or percentages ("20%"). "" leaves a value as it is.
type Pace struct {
	MaxSurge       string `json:"maxSurge,omitempty"`
	MaxUnavailable string `json:"maxUnavailable,omitempty"`
}

// Over is the pace with the values of another where it has none.
func (p Pace) Over(base Pace) Pace {
	return Pace{MaxSurge: cmp.Or(p.MaxSurge, base.MaxSurge), MaxUnavailable: cmp.Or(p.MaxUnavailable, base.MaxUnavailable)}
}

// Halts reports whether no node could ever go: both values are nothing.
func (p Pace) Halts() bool { return nothing(p.MaxSurge) && nothing(p.MaxUnavailable) }

func nothing(s string) bool {
	n, err := strconv.Atoi(strings.TrimSuffix(s, "%"))
	return err == nil && n == 0
}

// String is the pace as a Shoot has it.
func (p Pace) String() string {
	var out []string
	for _, v := range []struct{ name, is string }{{"maxSurge", p.MaxSurge}, {"maxUnavailable", p.MaxUnavailable}} {
		if v.is != "" {
			out = append(out, v.name+" "+v.is)
		}
	}
	return strings.Join(out, ", ")
}

// Pace is that of the pool as a whole, empty where it is not read.
func (p *Pool) Pace() Pace {
	if p == nil {
		return Pace{}
	}
	return Pace{MaxSurge: p.MaxSurge, MaxUnavailable: p.MaxUnavailable}
}
