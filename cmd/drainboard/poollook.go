package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/strategy"
	spans "github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/gardener"
)

// poolLook is a worker pool at one look.
type poolLook struct {
	stands gardener.Summary
	others []engine.MoverView // who moves its nodes
	seen   *engine.Snapshot
	world  *world.World
	run    engine.Run // a picture of what Gardener does
}

// poolRules judge pods as Gardener's drains do.
var poolRules = strategy.Gardener{}

// lookAtPool reads a pool and its cluster once.
func (s *session) lookAtPool(ctx context.Context, at place) (poolLook, error) {
	v, err := s.look(ctx, at, nil)
	if err != nil {
		return poolLook{}, err
	}
	v.intake.Close()
	runs, err := s.runs(ctx)
	if err != nil {
		return poolLook{}, err
	}
	now := s.clock().Now()
	idle := engine.Idle(poolRules, now, v.world, engine.Run{}, nil)
	look := poolLook{stands: gardener.SummaryOf(v.world), seen: engine.View(poolRules, now, v.world, idle, engine.Look{}, nil), world: v.world, run: idle}
	var nodes []*world.Node
	for _, id := range look.stands.Members {
		if n := v.world.NodeOf(id); n != nil {
			nodes = append(nodes, n)
		}
	}
	look.others = others(nodes, runs[at.name])
	return look, nil
}

// writePool shows a pool.
func writePool(w io.Writer, l poolLook) {
	p := l.seen.Pool
	update := p.Update
	if update == "" {
		update = "its update strategy is not known from here"
	}
	fmt.Fprintf(w, "%s: a worker pool of Gardener, %s; %d of %s to be updated\n", l.stands.Name, update, l.stands.Outdated, plural(l.stands.Machines, "machine"))
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
	if text := p.Window(l.seen.At); text != "" {
		fmt.Fprintln(w, "  maintenance window: "+text)
	}
	fmt.Fprintln(w, "  limits: "+p.LimitsText())
	list(w, "  failed:", p.Failed)
	list(w, "  the Shoot says:", p.Notes)
	for _, m := range l.others {
		fmt.Fprintln(w, "  "+m.Text)
	}
	list(w, "  runs out:", l.countdowns())
	var held []string
	for _, b := range l.seen.Blockers {
		held = append(held, fmt.Sprintf("%s on %s: %s; %s", b.Pod, b.Node, b.Detail, b.WayOut))
	}
	list(w, "  held:", short(held))
	list(w, "  not known:", p.Unknown)
}

// zoneText is a zone in a line.
func zoneText(z engine.PoolZone) string {
	text := dash(z.Name) + ": " + z.Counts()
	if z.Deployment == "" {
		text += ", as their nodes tell"
	} else {
		text += fmt.Sprintf(", %d in all", z.Total)
	}
	if at := z.AtOnce(); at != "" {
		text += "; at a time " + at
	}
	return text + because(strings.Join(z.Standing(), "; "))
}

// countdowns are what runs out and what follows, a line each, the nearest first.
func (l poolLook) countdowns() (out []string) {
	for _, c := range l.status().Countdowns {
		if c.For == windowCloses {
			continue // it has a line of its own
		}
		about := ""
		if c.Estimate {
			about = "~"
		}
		name := c.Node
		if name == "" {
			name = c.Machine
		}
		if c.Pod != "" {
			name = c.Pod + " on " + name
		}
		out = append(out, fmt.Sprintf("%s: %s in %s%s (%s)", name, c.For, about, spans.Span(c.End.Sub(l.seen.At)), c.Basis))
	}
	return short(out)
}
