package engine_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
)

// The clusters that decisions and snapshots are measured on.
const (
	benchPods       = 30 // on each node
	benchDaemons    = 3  // of these
	benchNamespaces = 100
	benchReplicas   = 9
	benchBudgets    = 300
	benchLimit      = 100
)

// middle is a run of a cluster in the middle of its upgrade: half of the
// nodes are replaced, 100 in work, of which 50 drain, ten of them held by budgets.
type middle struct {
	w   *world.World
	run record.Run
	in  engine.Inputs
	now time.Time
	// flips are pods that change in turn, one between two decisions.
	flips []string
	next  int
}

// newMiddle makes the world and the run, and lets the run come to rest. With a
// slot free and the gate shut, every decision looks at the gate.
func newMiddle(tb testing.TB, nodes, slots int) *middle {
	m := &middle{w: world.New(), now: time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)}
	g := &m.w.Group
	g.Name, g.Provider, g.Zones = "ng", "asg", []string{"a", "b", "c"}
	before, after := world.Template{ID: "lt", Version: 1}, world.Template{ID: "lt", Version: 2}
	g.Template, g.TemplateSpec = after, "2"
	g.Sizes = world.Sizes{Max: nodes, Desired: nodes}
	g.Suspended = []string{"AZRebalance"}

	settings := strategy.EKS{}.Defaults()
	settings.Approve, settings.MaxUnavailable = record.ApproveNone, record.Amount{N: benchLimit}
	m.run = engine.Start(assess.NewRun(strategy.EKS{}, "bench", 1, m.w, settings, record.Target{Templates: []world.Template{after}}), m.now, "bench")
	r := &m.run
	r.Limit, r.Raise, r.Raised = benchLimit, benchLimit, true
	r.MaxSet = nodes + benchLimit
	r.Suspended = []string{"AZRebalance"}
	g.Sizes = world.Sizes{Max: r.MaxSet, Desired: r.MaxSet}
	r.Marks = map[string][]record.Mark{}
	for i := range r.Phases[:3] {
		r.Phases[i].Start = m.now
		if i < 2 {
			r.Phases[i].End = m.now
		}
	}

	var machines []world.Machine
	taint := world.Taint{Key: "eks.amazonaws.com/nodegroup", Value: "unschedulable", Effect: "NoSchedule"}
	budgets := 0
	for ns := range benchNamespaces {
		for range benchBudgets / benchNamespaces {
			m.w.SetBudget(&world.Budget{
				Namespace: namespace(ns), Name: fmt.Sprintf("budget-%d", budgets/benchNamespaces), Current: true,
				Selector:   labels.SelectorFromSet(labels.Set{"app": app(budgets / benchNamespaces)}),
				Expression: "minAvailable 9", Healthy: benchReplicas, Desired: benchReplicas, Expected: benchReplicas,
			})
			budgets++
		}
	}
	pods := 0
	member := func(i int, t world.Template) (id, name, zone string) {
		zone = g.Zones[i%3]
		id, name = fmt.Sprintf("i-%08d", i), fmt.Sprintf("ip-10-0-%d-%d", i/250, i%250)
		machines = append(machines, world.Machine{ID: id, Zone: zone, State: world.MachineInService, Detail: "InService", Template: t, Type: "m5.large"})
		n := &world.Node{Name: name, Machine: id, Zone: zone, Version: "v1.31", Ready: true, Labels: map[string]string{"zone": zone}, Created: m.now.Add(-time.Hour)}
		if t == before {
			n.Taints = []world.Taint{taint}
			put := record.TaintOf(id, name, taint)
			r.Marks[id] = []record.Mark{{Put: put}}
		}
		m.w.SetNode(n)
		return id, name, zone
	}
	pod := func(node string) *world.Pod {
		at := pods % (nodes * (benchPods - benchDaemons))
		set := at / benchReplicas
		p := &world.Pod{
			UID: fmt.Sprintf("pod-%d", pods), Namespace: namespace(set), Name: fmt.Sprintf("%s-%d", app(set/benchNamespaces), pods), Node: node,
			Owner:  world.Owner{Kind: "ReplicaSet", Name: app(set / benchNamespaces), UID: fmt.Sprintf("set-%d", set)},
			Labels: map[string]string{"app": app(set / benchNamespaces)},
			Phase:  world.PodRunning, Ready: true, Created: m.now.Add(-time.Hour), Grace: 30 * time.Second,
		}
		pods++
		return p
	}
	daemons := func(node string) {
		for d := range benchDaemons {
			m.w.SetPod(&world.Pod{
				UID: fmt.Sprintf("daemon-%d-%s", d, node), Namespace: "kube-system", Name: fmt.Sprintf("agent-%d-%s", d, node), Node: node,
				Owner: world.Owner{Kind: "DaemonSet", Name: fmt.Sprintf("agent-%d", d), UID: fmt.Sprintf("set-%d", d)},
				Phase: world.PodRunning, Ready: true, Created: m.now.Add(-time.Hour),
			})
		}
	}
	for i := range nodes {
		if i < nodes/2-benchLimit { // replaced
			id := fmt.Sprintf("i-%08d", i)
			r.Nodes = r.Nodes.With(id, record.Node{Name: fmt.Sprintf("old-%d", i), Zone: g.Zones[i%3], Stage: record.Replaced, Since: m.now, Old: "v1.30"})
			continue
		}
		id, name, zone := member(i, before)
		daemons(name)
		n := record.Node{Name: name, Zone: zone, Stage: record.Queued, Since: m.now, Old: "v1.30", Batch: 1}
		at, blocked := i-(nodes/2-benchLimit), false
		switch {
		case at < 50-slots:
			n.Stage, n.Pods, blocked = record.Draining, benchPods-benchDaemons, at < 10
			n.Wait = &record.Wait{For: "drain deadline", Start: m.now, End: m.now.Add(time.Hour), Needs: []world.Source{world.Cluster}}
		case at < 50:
		case at < 70:
			n.Stage, n.Wait = record.Settling, &record.Wait{For: "settling", Start: m.now, End: m.now.Add(time.Hour)}
		case at < 100:
			n.Stage, n.Wait = record.Terminating, &record.Wait{For: "terminating", Start: m.now, End: m.now.Add(time.Hour), Needs: []world.Source{world.Cloud}}
			machines[len(machines)-1].State = world.MachineTerminating
		}
		r.Nodes = r.Nodes.With(id, n)
		switch {
		case blocked:
			for range 2 {
				p := pod(name)
				p.Namespace, p.Labels = namespace(at), map[string]string{"app": app(at % 3)}
				m.w.SetPod(p)
			}
		case n.Stage == record.Draining:
			for range 3 {
				p := pod(name)
				p.Ends = m.now.Add(time.Hour)
				m.w.SetPod(p)
			}
		case n.Stage == record.Queued:
			for range benchPods - benchDaemons {
				m.w.SetPod(pod(name))
			}
		}
	}
	for i := range nodes / 2 {
		id, name, zone := member(nodes+i, after)
		daemons(name)
		r.Nodes = r.Nodes.With(id, record.Node{Name: name, Zone: zone, Stage: record.Ready, Since: m.now, Old: "v1.31", New: true})
	}
	for i := 0; pods+benchDaemons*len(machines) < nodes*benchPods; i++ {
		p := pod(machineName(machines[len(machines)-1-i%(nodes/2)].ID, m.w))
		m.w.SetPod(p)
		m.flips = append(m.flips, p.UID)
	}
	m.w.SetMachines(machines)
	for i := range nodes {
		r.Order = append(r.Order, fmt.Sprintf("i-%08d", i))
	}
	if slots > 0 {
		p := pod("")
		p.Phase, p.Ready, p.Unplaced = world.PodPending, false, "no room"
		m.w.SetPod(p)
		r.Evicted = map[string]bool{p.Owner.UID: true}
	}
	r.Workloads = map[string]record.Workload{} // of every tenth a pod was moved
	for set := 0; set < pods/benchReplicas; set += 10 {
		r.Workloads[fmt.Sprintf("set-%d", set)] = record.Workload{Namespace: namespace(set), Kind: "ReplicaSet", Name: app(set / benchNamespaces), Moved: 1, Since: m.now.Add(-2 * time.Hour)}
	}
	for range 260 { // until the first evictions are answered and nothing but time passes
		m.step(tb)
	}
	if n := m.inWork(); n != benchLimit-slots {
		tb.Fatalf("%d nodes are in work, not %d", n, benchLimit-slots)
	}
	return m
}

func (m *middle) inWork() (count int) {
	for _, n := range m.run.Nodes.All() {
		if n.Stage == record.Draining || n.Stage == record.Settling || n.Stage == record.Terminating {
			count++
		}
	}
	return count
}

func namespace(i int) string { return fmt.Sprintf("team-%d", i%benchNamespaces) }

func app(i int) string { return fmt.Sprintf("app-%d", i) }

func machineName(id string, w *world.World) string { return w.NodeOf(id).Name }

// change is what happens between two decisions: 20 ms, and one pod's event.
func (m *middle) change() {
	m.now = m.now.Add(20 * time.Millisecond)
	m.w.Health[world.Cluster], m.w.Health[world.Cloud] = world.Health{Fresh: m.now}, world.Health{Fresh: m.now}
	p := *m.w.Pod(m.flips[m.next%len(m.flips)])
	p.Ready = !p.Ready
	m.w.SetPod(&p)
	m.next++
}

// step is one change and one decision. The budgets refuse every eviction; other
// changes are granted.
func (m *middle) step(tb testing.TB) {
	m.change()
	d := engine.Decide(strategy.EKS{}, m.now, m.w, m.run, m.in)
	m.run, m.in = d.Run, engine.Inputs{}
	for _, a := range d.Actions {
		o := record.Outcome{Key: a.Key, At: m.now, Verdict: record.Done}
		if a.Kind == record.Evict {
			o.Verdict, o.Refusal, o.Message = record.Refused, record.RefusedBudget, "it would violate the budget"
		}
		m.in.Outcomes = append(m.in.Outcomes, o)
	}
	if m.run.State != record.Running {
		tb.Fatal("the run ended:", m.run.Why)
	}
}

// BenchmarkDecide is one decision for 500, 5,000 and 50,000 nodes with 30 pods each when one
// pod has changed since the last one, and one when a node has as well. median-ns is the
// median: among the decisions are some that hear answers, or ask for something.
func BenchmarkDecide(b *testing.B) {
	for _, nodes := range []int{500, 5000, 50000} {
		for _, c := range []struct {
			name  string
			slots int
			node  bool
		}{{"quiet", 0, false}, {"gate", 1, false}, {"node", 0, true}} {
			b.Run(fmt.Sprintf("%s/%d", c.name, nodes), func(b *testing.B) {
				m := newMiddle(b, nodes, c.slots)
				var took []time.Duration
				b.ReportAllocs()
				for b.Loop() {
					if c.node {
						m.changeNode()
					}
					start := time.Now()
					m.step(b)
					took = append(took, time.Since(start))
				}
				slices.Sort(took)
				b.ReportMetric(float64(took[len(took)/2].Nanoseconds()), "median-ns")
			})
		}
	}
}

// BenchmarkChange is one decision that changes one node of the run, in small and large clusters: a user gives a
// node that drains more time.
func BenchmarkChange(b *testing.B) {
	for _, nodes := range []int{500, 5000} {
		b.Run(fmt.Sprint(nodes), func(b *testing.B) {
			m := newMiddle(b, nodes, 0)
			drains := fmt.Sprintf("i-%08d", nodes/2-benchLimit+20)
			var took []time.Duration
			b.ReportAllocs()
			for b.Loop() {
				m.in.Commands = []record.Command{{Kind: record.CmdExtend, Node: machineName(drains, m.w), By: "bench", At: m.now}}
				start := time.Now()
				m.step(b)
				took = append(took, time.Since(start))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Nanoseconds()), "median-ns")
		})
	}
}

// changeNode is a change of a node's condition.
func (m *middle) changeNode() {
	machines := m.w.Machines()
	n := *m.w.NodeOf(machines[m.next%len(machines)].ID)
	n.Trouble = fmt.Sprint("DiskPressure ", m.next)
	m.w.SetNode(&n)
}

// BenchmarkView is one snapshot for 5,000 nodes and 150,000 pods, when one pod has changed since the
// last one.
func BenchmarkView(b *testing.B) {
	m := newMiddle(b, 5000, 0)
	before := snapshot.View(strategy.EKS{}, m.now, m.w, m.run, snapshot.Look{}, nil)
	b.ReportAllocs()
	for b.Loop() {
		m.change()
		before = snapshot.View(strategy.EKS{}, m.now, m.w, m.run, snapshot.Look{}, before)
	}
}
