package sim_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/selfdriven"
	"github.com/drainboard/drainboard/engine/sim"
	"github.com/drainboard/drainboard/engine/sim/script"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
)

// toy is a second controller that drives its groups by itself, as far from the first as can be:
// it has no objects of its own but the group, whose tags tell how far it is and hold a pause, and
// labels on nodes. It takes one node after the other, and ends a drain by force.
type toy struct{}

const (
	toyMover   world.Mover = "Toy"
	toyWanted              = "toy.io/generation" // tags of the group
	toySeen                = "toy.io/observed"
	toyLeft                = "toy.io/left"
	toyPaused              = "toy.io/paused"
	toyStep                = "toy.io/step"  // labels of a node: waits, drains
	toySince               = "toy.io/since" // in seconds since 1970
	toyDrain               = 3 * time.Minute
	toyDrained             = 5 * time.Second // between two tries
)

func init() { selfdriven.Register(toy{}) }

func (toy) ID() string                    { return "toy" }
func (toy) Mover() world.Mover            { return toyMover }
func (toy) Drives(g *world.Group) bool    { return g.Provider == "toy" }
func (toy) Controls(*world.Group) bool    { return true }
func (toy) Namespace(*world.Group) string { return "" }
func (toy) AtOnce(*world.Group) int       { return 1 }
func (toy) Turns() selfdriven.Turns       { return selfdriven.Turns{} }
func (toy) Words() selfdriven.Words {
	return selfdriven.Words{Part: "group", Where: "its API", Back: "ask Toy for the version before"}
}

func (toy) Limits(*world.Group, *world.Machine) selfdriven.Limits {
	return selfdriven.Limits{Drain: toyDrain}
}

func (toy) Told(_ *world.Machine, n *world.Node) []world.Move {
	if n == nil {
		return nil
	}
	m := world.Move{By: toyMover, Roll: true, Mark: "label " + toyStep + "=" + n.Labels[toyStep]}
	switch n.Labels[toyStep] {
	case "waits":
		m.Step, m.Means = world.MoveForeseen, "Toy is going to replace it"
	case "drains":
		m.Step, m.Since, m.Means = world.MoveDraining, toyBegan(n), "Toy drains it"
	default:
		return nil
	}
	return []world.Move{m}
}

func toyBegan(n *world.Node) time.Time {
	at, _ := strconv.ParseInt(n.Labels[toySince], 10, 64)
	return time.Unix(at, 0).UTC()
}

func (toy) Next(s selfdriven.Sight) selfdriven.Sight {
	if s.Stage == selfdriven.Draining && s.Node != nil {
		began := toyBegan(s.Node)
		s.Deadline = &selfdriven.Deadline{For: "drain forced", Start: began, End: began.Add(toyDrain), Basis: "its label " + toySince}
	}
	return s
}

func (toy) Kept(selfdriven.Kept) selfdriven.Outlook { return selfdriven.Outlook{Forces: true} }

func (toy) Passes(selfdriven.Kept) selfdriven.Passing { return selfdriven.Passing{} }

func (toy) InTurn(*world.World, string) ([]*world.Pod, string) { return nil, "" }

func (toy) Object(*world.Machine) (selfdriven.Object, bool) { return selfdriven.Object{}, false }

func (toy) Unfinished(g *world.Group) (out []world.Unfinished) {
	if g.Tags[toySeen] != g.Tags[toyWanted] {
		out = append(out, world.Unfinished{Kind: world.UnfinishedGeneration, Text: "Toy has not started generation " + g.Tags[toyWanted]})
	} else if g.Tags[toyLeft] != "0" {
		out = append(out, world.Unfinished{Kind: world.UnfinishedOperation, Text: g.Tags[toyLeft] + " machines are left"})
	}
	return out
}

func (toy) Proof(*world.Group) string                { return "" }
func (toy) Unproven(*world.Group) []world.Unfinished { return nil }

func (toy) Unstarted(left []world.Unfinished) bool {
	return len(left) > 0 && left[0].Kind == world.UnfinishedGeneration
}

func (toy) Parts(g *world.Group) []selfdriven.Part {
	return []selfdriven.Part{{Name: g.Name, Paused: g.Tags[toyPaused] == "true", Complete: g.Tags[toyLeft] == "0"}}
}

func (toy) Refuses(_ *world.Group, kind selfdriven.Kind) string {
	if kind == selfdriven.Turn {
		return "Toy takes the nodes by name"
	}
	return ""
}

func (toy) Describe(r selfdriven.Request) (what, command string) {
	if r.Kind == selfdriven.Resume {
		return "let " + r.Object + " continue", "kubectl toy resume " + r.Object
	}
	return "pause " + r.Object, "kubectl toy pause " + r.Object
}

// toyFollow follows it.
type toyFollow struct{ strategy.Follow }

func (toyFollow) Name() string                   { return "toy-follow" }
func (toyFollow) Follows() selfdriven.Controller { return toy{} }

func (toyFollow) Defaults() record.Settings {
	d := record.Common()
	d.NodeReadyTimeout, d.WaitForStart, d.Approve = 10*time.Minute, 5*time.Minute, record.ApproveNone
	d.Unmanaged, d.EmptyDir = true, true
	return d
}

func (toyFollow) Abilities() []record.Ability {
	return []record.Ability{{Kind: record.CmdApprove, Answer: record.No, How: "Toy asks nobody"}}
}

// toyRoll is what Toy does with the group of a Sim.
type toyRoll struct{ *sim.Sim }

// driveByToy makes the group of a script one that Toy drives, and that it begins to roll after
// so long.
func driveByToy(c *script.Script, starts time.Duration) {
	r := toyRoll{c.Sim}
	r.Group.Provider = "toy"
	r.tag(map[string]string{toyWanted: "2", toySeen: "1", toyLeft: "0"})
	r.SetController(func(a record.Action) record.Outcome {
		if a.Controller != "toy" || a.Object != r.Group.Name {
			return sim.Refuse(record.RefusedInvalid, "%s %s is not Toy's", a.Kind, a.Object)
		}
		r.tag(map[string]string{toyPaused: fmt.Sprint(a.Kind == record.HoldRoll)})
		return record.Outcome{Verdict: record.Done}
	})
	r.After(starts, func() {
		r.tag(map[string]string{toySeen: "2", toyLeft: strconv.Itoa(len(r.old()))})
		for _, m := range r.old() {
			r.step(m, "waits")
		}
		r.Turns(toyDrained, r.turn)
	})
	c.Use(toyFollow{})
}

// tag changes the group's tags.
func (r toyRoll) tag(set map[string]string) {
	tags := map[string]string{}
	for k, v := range r.Group.Tags {
		tags[k] = v
	}
	for k, v := range set {
		tags[k] = v
	}
	r.Group.Tags = tags
	r.ListMachines()
}

func (r toyRoll) step(m *sim.Machine, step string) {
	r.EditByOthers(m.Name, func(n *world.Node) {
		n.Labels[toyStep], n.Labels[toySince] = step, strconv.FormatInt(r.Now().Unix(), 10)
		n.Unschedulable = step == "drains"
	})
}

// old lists the machines that are to be replaced.
func (r toyRoll) old() (out []*sim.Machine) {
	for _, m := range r.Alive() {
		if m.Template != r.Group.Template {
			out = append(out, m)
		}
	}
	return out
}

// turn continues with the node that is drained, or begins with the next one when all is well. It
// reports whether there is more to do.
func (r toyRoll) turn() bool {
	old, ready := r.old(), 0
	for _, m := range r.Alive() {
		n := r.Truth.Node(m.Name)
		if n != nil && n.Labels[toyStep] == "drains" {
			r.drain(m, n)
			return true
		}
		if n != nil && n.Ready {
			ready++
		}
	}
	left := len(old) + r.Group.Sizes.Desired - ready
	r.tag(map[string]string{toyLeft: strconv.Itoa(left)})
	if left == len(old) && left > 0 && r.Group.Tags[toyPaused] != "true" {
		r.step(old[0], "drains")
	}
	return left > 0
}

func (r toyRoll) drain(m *sim.Machine, n *world.Node) {
	if r.Emptied(m) {
		r.EndByOthers(m)
		return
	}
	if r.Now().Sub(toyBegan(n)) < toyDrain {
		return
	}
	for _, p := range r.Leaving(m.Name) {
		r.Kill(p.UID, new(int64))
	}
}

// A system that nobody has heard of is followed by the engine as it is: what is known of it is in
// this file.
func TestFollowASecondController(t *testing.T) {
	datadriven.Walk(t, "testdata/toy", func(t *testing.T, path string) {
		c := script.New()
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			text := d.FullCmd()
			if d.Cmd == "given" {
				text = d.Input
			}
			out, err := c.Do(text)
			if err != nil {
				t.Errorf("%s: %s\n%v", d.Pos, out, err)
			}
			if d.Cmd == "given" {
				starts := 30 * time.Second
				if d.HasArg("starts") {
					var given string
					d.ScanArgs(t, "starts", &given)
					if starts, err = time.ParseDuration(given); err != nil {
						t.Fatal(err)
					}
				}
				driveByToy(c, time.Minute+starts) // a script plans after a minute
			}
			return out
		})
	})
}
