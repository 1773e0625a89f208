package present

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	spans "github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/gardener"
)

// PoolState is the state of a worker pool at one moment.
type PoolState struct {
	Stands gardener.Summary
	Others []snapshot.MoverView // external movers of its nodes
	Seen   *snapshot.Snapshot
	World  *world.World
	Run    record.Run // what Gardener does, as a run
}

// WritePool writes a pool as text.
func WritePool(w io.Writer, l PoolState) {
	p := l.Seen.Pool
	update := p.Update
	if update == "" {
		update = "update strategy unknown"
	}
	fmt.Fprintf(w, "%s: Gardener worker pool, %s; %d of %s outdated\n", l.Stands.Name, update, l.Stands.Outdated, plural(l.Stands.Machines, "machine"))
	if name := p.ShootName(); name != "" {
		text := "  Shoot " + name + ", Kubernetes " + dash(p.VersionText())
		if p.Surge != "" || p.Unavailable != "" {
			text += fmt.Sprintf(", maxSurge %s, maxUnavailable %s", dash(p.Surge), dash(p.Unavailable))
		}
		fmt.Fprintln(w, text)
	}
	for _, z := range p.Zones {
		fmt.Fprintln(w, "  "+zoneText(z))
	}
	if text := p.InPlaceText(); text != "" {
		fmt.Fprintln(w, "  in place: "+text)
	}
	if text := p.Window(l.Seen.At); text != "" {
		fmt.Fprintln(w, "  maintenance window: "+text)
	}
	fmt.Fprintln(w, "  limits: "+p.LimitsText())
	List(w, "  failed:", p.Failed)
	List(w, "  Shoot:", p.Notes)
	for _, m := range l.Others {
		fmt.Fprintln(w, "  "+m.Text)
	}
	List(w, "  deadlines:", l.countdowns())
	var held []string
	for _, b := range l.Seen.Blockers {
		held = append(held, fmt.Sprintf("%s on %s: %s; %s", b.Pod, b.Node, b.Detail, b.WayOut))
	}
	List(w, "  held:", short(held))
	List(w, "  unknown:", p.Unknown)
}

// zoneText returns a zone in a line.
func zoneText(z snapshot.PoolZone) string {
	text := dash(z.Name) + ": " + z.Counts()
	if z.Deployment == "" {
		text += ", inferred from their nodes"
	} else {
		text += fmt.Sprintf(", %d in total", z.Total)
	}
	if at := z.AtOnce(); at != "" {
		text += "; at once " + at
	}
	return text + because(strings.Join(z.Standing(), "; "))
}

// countdowns returns the deadlines and what follows them, one per line, the nearest first.
func (l PoolState) countdowns() (out []string) {
	for _, c := range l.Status().Countdowns {
		if c.For == windowCloses {
			continue // it has a line of its own
		}
		about := ""
		if c.Estimated {
			about = "~"
		}
		name := cmp.Or(c.Node, c.Instance)
		if c.Pod != "" {
			name = c.Pod + " on " + name
		}
		out = append(out, fmt.Sprintf("%s: %s in %s%s (%s)", name, c.For, about, spans.Span(c.Until.Sub(l.Seen.At)), c.Basis))
	}
	return short(out)
}
