package accuracy

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"time"
)

// Kind is the fault of a cluster.
type Kind string

// Kinds. The View shows the cause of the first ones before the run begins, of the others only once
// it takes effect.
const (
	NoFault    Kind = "no fault"
	ClosedPDB  Kind = "PDB that never opens"
	TwoPDBs    Kind = "pod under two PDBs"
	CrashLoop  Kind = "pods crash-loop"
	Tight      Kind = "tight capacity"
	NewCrash   Kind = "pods crash-loop on new nodes"
	NoLaunch   Kind = "launches fail"
	NeverJoins Kind = "new nodes do not join"
)

// Kinds lists all kinds, those that can be known at the start first.
var Kinds = []Kind{NoFault, ClosedPDB, TwoPDBs, CrashLoop, Tight, NewCrash, NoLaunch, NeverJoins}

// weights are how often kinds are drawn, in the order of Kinds.
var weights = []int{35, 10, 5, 10, 16, 9, 8, 7}

// Known reports whether the View shows the cause before the run begins.
func (k Kind) Known() bool { return k != NewCrash && k != NoLaunch && k != NeverJoins }

// Cluster is a random cluster: the strategy that rolls it and the simulator's script that makes it.
type Cluster struct {
	Seed     uint64
	Kind     Kind
	Strategy string
	Script   string
	// Fault is a line for after the start, "" for none.
	Fault string
}

// drawing is a cluster that is being drawn.
type drawing struct {
	*rand.Rand
	Cluster
	lines strings.Builder
	slots int
	zones string
	nodes int
}

// Draw returns the cluster of a seed.
func Draw(seed uint64) Cluster {
	d := &drawing{Rand: rand.New(rand.NewPCG(seed, 0x41dde2)), Cluster: Cluster{Seed: seed}}
	d.Kind = d.kind()
	d.Strategy = d.pick("eks", "eks", "eks", "eks-minimal", "kops", "gardener")
	d.group()
	d.workloads()
	d.fault()
	d.settings()
	d.Script = d.lines.String()
	return d.Cluster
}

func (d *drawing) say(format string, args ...any) { fmt.Fprintf(&d.lines, format+"\n", args...) }

func (d *drawing) pick(of ...string) string { return of[d.IntN(len(of))] }

// span is a duration between two, each factor as likely as any other.
func (d *drawing) span(least, most time.Duration) time.Duration {
	return time.Duration(float64(least) * math.Pow(float64(most)/float64(least), d.Float64())).Round(100 * time.Millisecond)
}

func (d *drawing) kind() Kind {
	sum := 0
	for _, w := range weights {
		sum += w
	}
	n := d.IntN(sum)
	for i, w := range weights {
		if n -= w; n < 0 {
			return Kinds[i]
		}
	}
	return NoFault
}

// group draws the nodes and how long they take.
func (d *drawing) group() {
	d.say("seed %d", d.Seed)
	d.say("timing launch=%s boot=%s ready=%s terminate=%s detach=%s",
		d.span(2*time.Second, 30*time.Second), d.span(8*time.Second, 4*time.Minute), d.span(4*time.Second, time.Minute), d.span(8*time.Second, 5*time.Minute), d.span(2*time.Second, 30*time.Second))
	d.zones, d.nodes, d.slots = d.pick("a", "a,b", "a,b,c"), 3+d.IntN(8), 40
	if d.Kind == Tight {
		d.slots = 4 + d.IntN(5)
	}
	of := fmt.Sprintf("zones=%s nodes=%d slots=%d", d.zones, d.nodes, d.slots)
	if d.Strategy == "kops" {
		d.say("cluster provider=kops role=node name=ig %s", of)
		d.say("peer masters role=control-plane nodes=1")
		return
	}
	d.say("cluster %s", of)
}

// workloads draws what runs there, and PDBs that open in time.
func (d *drawing) workloads() {
	room := d.nodes * d.slots
	if d.Kind == Tight {
		d.say("workload full replicas=%d ready=%s stop=%s", room-d.IntN(2*d.slots), d.span(2*time.Second, 40*time.Second), d.span(time.Second, 10*time.Second))
		d.say("budget full max=%s", d.pick("1", "2", "20%"))
		return
	}
	for i := range 1 + d.IntN(3) {
		name, replicas := fmt.Sprintf("w%d", i), 1+d.IntN(3*d.nodes)
		more := d.pick("", "", "", "", "kind=statefulset", "kind=statefulset volume", "apart=host")
		if more == "apart=host" {
			replicas = 1 + d.IntN(d.nodes)
		}
		d.say("workload %s replicas=%d ready=%s stop=%s %s", name, replicas, d.span(2*time.Second, 90*time.Second), d.span(time.Second, 25*time.Second), more)
		if replicas > 1 && d.IntN(3) > 0 {
			d.say("budget %s %s", name, d.pick("max=1", "max=1", "max=2", "max=34%", "min=50%", fmt.Sprintf("min=%d", replicas-1)))
		}
	}
	d.say("workload logs kind=daemonset")
}

// fault draws what goes wrong.
func (d *drawing) fault() {
	n := 2 + d.IntN(2*d.nodes)
	switch d.Kind {
	case ClosedPDB:
		d.say("workload shut replicas=%d ready=5s\nbudget shut %s", n, d.pick("max=0", fmt.Sprintf("min=%d", n), "min=100%"))
	case TwoPDBs:
		d.say("workload twice replicas=%d ready=5s\nbudget twice max=1\nbudget second app=twice max=1", n)
	case CrashLoop:
		d.say("workload sick replicas=%d never-ready\nbudget sick %s", n, d.pick("max=1", "min=1", "min=50%", "max=1 always-allow"))
	case NewCrash:
		d.say("workload picky replicas=%d ready=5s crashes-on=v1.32\nbudget picky %s", n, d.pick("max=1", "min=1", "min=50%"))
	case NoLaunch:
		d.Fault = d.pick("fault quota n="+fmt.Sprint(d.nodes+d.IntN(2)), "fault no-room zone="+strings.Split(d.zones, ",")[0]+" room="+fmt.Sprint(d.IntN(3)))
	case NeverJoins:
		d.Fault = "fault " + d.pick("never-join", "not-ready", "never-join count=1", "not-ready count=1", "never-join count=1 replaced=4m")
	}
}

// settings draws what the user asks for.
func (d *drawing) settings() {
	d.say("settings strategy=%s post-drain-wait=10s drain-timeout=%s on-drain-timeout=%s", d.Strategy, d.pick("5m", "10m", "15m"), d.pick("fail", "fail", "fail", "fail", "skip", "force", "wait"))
	if d.Strategy != "kops" {
		d.say("settings max-unavailable=%s", d.pick("1", "1", "2", "3"))
	}
	if d.Strategy == "gardener" {
		d.say("settings max-surge=1")
	}
	d.say("wait for=12m")
}
