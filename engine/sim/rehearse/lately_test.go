package rehearse

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/learn"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim/script"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
)

// A group whose launches have failed for want of room or quota is foreseen not to get its machines,
// and why; where room is left, and once a launch has come to a machine, it is not.
func TestLaunchesThatFailAreForeseen(t *testing.T) {
	const (
		room  = "We currently do not have sufficient m5.large capacity in the Availability Zone you requested (a)."
		quota = "You have requested more vCPU capacity than your current vCPU limit of 32 allows for the instance bucket."
	)
	for _, c := range []struct {
		name, strategy string
		before         []world.Activity // the newest first
		well           bool
		cause          string
	}{
		{"no room", "eks", []world.Activity{{Failed: true, Zone: "a", Message: room}, {Failed: true, Zone: "b", Message: room}}, false, room},
		{"no room in a zone, which EKS wants one in", "eks", []world.Activity{{Failed: true, Zone: "a", Message: room}}, false, room},
		{"no room in a zone, the other one does", "eks-minimal", []world.Activity{{Failed: true, Zone: "a", Message: room}}, true, ""},
		{"room again", "eks", []world.Activity{{Launched: true, Zone: "a"}, {Launched: true, Zone: "b"}, {Failed: true, Zone: "a", Message: room}, {Failed: true, Zone: "b", Message: room}}, true, ""},
		{"quota", "eks", []world.Activity{{Failed: true, Zone: "b", Message: quota}}, false, quota},
		{"quota, no surge", "eks-minimal", []world.Activity{{Failed: true, Zone: "b", Message: quota}}, true, ""},
		{"quota raised", "eks", []world.Activity{{Launched: true, Zone: "a"}, {Failed: true, Zone: "b", Message: quota}}, true, ""},
		{"another reason", "eks", []world.Activity{{Failed: true, Zone: "b", Message: "The key pair 'x' does not exist"}}, true, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := script.New()
			if out, err := s.Do("cluster zones=a,b nodes=4\nworkload web replicas=8\nsettings strategy=" + c.strategy + "\nstart"); err != nil || s.Driver == nil {
				t.Fatal(err, out)
			}
			rules, err := strategy.Named(c.strategy)
			if err != nil {
				t.Fatal(err)
			}
			for i := range c.before {
				c.before[i].At = s.Sim.Now().Add(-time.Duration(i+1) * time.Minute)
			}
			g := s.Sim.View.Group
			g.Lately = &world.Lately{Launched: g.Lately.Launched, Launches: c.before}
			s.Sim.View.SetGroup(g)
			f := Foresee(context.Background(), rules, s.Sim.View, s.Sim.Now(), s.Driver.Run)
			if well := f.Outlook == record.EndsWell; well != c.well || c.cause != "" && !strings.HasSuffix(f.Cause, c.cause) {
				t.Errorf("%s: %q; %+v", f.Outlook, f.Cause, f.Rehearsal)
			}
			if !c.well && (!f.Rehearsal.Causes[0].NoLaunch || f.Rehearsal.Load.Moves > 0) {
				t.Errorf("%+v", f.Rehearsal)
			}
			g.Lately = &world.Lately{Launches: c.before}
			for i := range c.before {
				c.before[i].At = s.Sim.Now().Add(-2 * time.Hour)
			}
			s.Sim.View.SetGroup(g)
			if f := Foresee(context.Background(), rules, s.Sim.View, s.Sim.Now(), s.Driver.Run); f.Outlook != record.EndsWell {
				t.Errorf("of two hours ago: %s: %q", f.Outlook, f.Cause)
			}
		})
	}
}

// How long machines take to join and to end is known before the first run: by when they were
// launched, and by the ends of others before.
func TestHistoryTellsDurations(t *testing.T) {
	s := script.New()
	if out, err := s.Do("timing launch=7s boot=4m\ncluster zones=a,b nodes=4\nworkload web replicas=8\nstart"); err != nil || s.Driver == nil {
		t.Fatal(err, out)
	}
	w := s.Sim.View
	g := w.Group
	g.Lately = &world.Lately{Launched: g.Lately.Launched, Ends: []time.Duration{5 * time.Minute, 6 * time.Minute, 30 * time.Minute}}
	w.SetGroup(g)
	known := learn.Of(w, &s.Driver.Run)
	if j := known.Join; j.Takes.Round(time.Second) != 247*time.Second || j.Of != 4 || j.From != snapshot.FromLaunches {
		t.Errorf("join: %+v", j)
	}
	if e := known.End; e.Takes != 6*time.Minute || e.Of != 3 || e.From != snapshot.FromActivities {
		t.Errorf("end: %+v", e)
	}
	s.Driver.Run.Earlier = record.Measured{record.TimeEnd: {time.Minute}, record.TimeJoin: {2 * time.Minute}} // what runs measured is nearer
	if known := learn.Of(w, &s.Driver.Run); known.Join.Takes != 2*time.Minute || known.End.Takes != time.Minute {
		t.Errorf("%+v, %+v", known.Join, known.End)
	}
	g.Lately.Launched = map[string]time.Time{"i-else": s.Sim.Now()}
	s.Driver.Run.Earlier = nil
	w.SetGroup(g)
	if j := learn.Of(w, &s.Driver.Run).Join; !j.Guessed() {
		t.Errorf("join: %+v", j)
	}
}
