package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/drainboard/drainboard/engine"
)

// writePlan shows a plan to people.
func writePlan(w io.Writer, p engine.Plan) {
	fmt.Fprintf(w, "%s: %d nodes to replace, %s → %s, strategy %s, as of %s\n", p.Group, len(p.Nodes), p.From, p.To, p.Strategy, p.AsOf.Local().Format("15:04:05"))
	if len(p.Nodes) == 0 {
		fmt.Fprintln(w, "Nothing is outdated: there is nothing to do.")
		return
	}
	base := p.Run.Base
	fmt.Fprintf(w, "Up to %d at once, about %s. While it lasts the group has %d extra machines: desired %d → %d, max %d → %d.\n",
		p.Limit, p.Estimate.Round(time.Second), p.Extra, base.Desired, base.Desired+p.Extra, base.Max, base.Max+p.Extra)
	if len(p.FreeAddresses) > 0 {
		var free []string
		for _, zone := range slices.Sorted(maps.Keys(p.FreeAddresses)) {
			free = append(free, fmt.Sprintf("%s %d", zone, p.FreeAddresses[zone]))
		}
		fmt.Fprintf(w, "Addresses left in the subnets: %s.\n\n", strings.Join(free, ", "))
	}
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(t, "BATCH\tNODE\tZONE\tVERSION\tEVICT\tSTAY\tFORESEEN")
	for _, n := range p.Nodes {
		name, foreseen := n.Name, ""
		if name == "" {
			name = n.Machine + " (not joined)"
		}
		if len(n.Foreseen) > 0 {
			foreseen = n.Foreseen[0]
			if more := len(n.Foreseen) - 1; more > 0 {
				foreseen += fmt.Sprintf(" (+%d more)", more)
			}
		}
		fmt.Fprintf(t, "%d\t%s\t%s\t%s\t%d\t%d\t%s\n", n.Batch, name, n.Zone, n.Version, n.Evict, n.Stay, foreseen)
	}
	t.Flush()
	list(w, "\nWill hold it up or be down for a while:", foreseen(p))
	list(w, "\nKnow before you start:", p.Warnings)
	list(w, "\nNeeds your consent before anything starts:", p.Refusals)
	fmt.Fprintln(w, "\nSettings:")
	writeSettings(w, p.Run.Settings)
	fmt.Fprintf(w, "  %-20s %d (the same order again with --seed %d)\n", "seed", p.Run.Seed, p.Run.Seed)
}

// foreseen lists what the plan foresees, each with its node.
func foreseen(p engine.Plan) []string {
	var out []string
	for _, n := range p.Nodes {
		for _, f := range n.Foreseen {
			out = append(out, n.Name+": "+f)
		}
	}
	return out
}

func list(w io.Writer, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintln(w, title)
	for _, l := range lines {
		fmt.Fprintln(w, "  - "+l)
	}
}

// writeSettings shows the settings that have an origin, with it.
func writeSettings(w io.Writer, s engine.Settings) {
	for _, row := range []struct{ flag, value string }{
		{"max-unavailable", s.MaxUnavailable.String()},
		{"approve", string(s.Approve)},
		{"drain-timeout", s.DrainTimeout.String()},
		{"on-drain-timeout", string(s.OnDrainTimeout)},
		{"post-drain-wait", s.Settle.String()},
		{"node-ready-timeout", s.NodeReadyTimeout.String()},
		{"order", "random within zones, the zones in turn"},
	} {
		fmt.Fprintf(w, "  %-20s %s (%s)\n", row.flag, row.value, s.Origin[row.flag])
	}
	if len(s.NewLabels) > 0 {
		var labels []string
		for k, v := range s.NewLabels {
			labels = append(labels, strings.TrimSuffix(k+"="+v, "="))
		}
		fmt.Fprintf(w, "  %-20s %s\n", "expect-label", strings.Join(labels, ", "))
	}
}

// writePlanJSON shows a plan to programs.
func writePlanJSON(w io.Writer, p engine.Plan) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(struct {
		engine.Plan
		Seed     uint64          `json:"seed"`
		Settings engine.Settings `json:"settings"`
	}{p, p.Run.Seed, p.Run.Settings})
}
