package sim

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// Kinds of workloads.
const (
	Deployment  = "Deployment"
	StatefulSet = "StatefulSet"
	DaemonSet   = "DaemonSet"
	Bare        = "bare"   // pods that no controller replaces
	Mirror      = "mirror" // static pods, one on every node that is there
	Job         = "job"    // pods that have run to their end
)

// Shape is what the pods of a workload are like.
type Shape struct {
	// Ready is how long a pod takes to be Ready once it has a node; Stop how long
	// to stop, at most its Grace.
	Ready, Stop, Grace time.Duration
	// NeverReady: they run and are never Ready.
	NeverReady bool
	// Gated: their containers get ready, they do not.
	Gated        bool
	EmptyDir     bool
	ToleratesAll bool
	Tolerates    []string // keys of taints
	Finalizers   []string
	// Finalized is how long after a pod's end a user serves its finalizers, 0 for never.
	Finalized time.Duration
	// CPU (in thousandths) and Memory (in MiB) are what a pod asks for.
	CPU, Memory int
	// Service: a Service leads to the pods, also for a while after they are gone.
	Service bool
	// Volume: each pod of the name has a disk, of the zone where it was first placed.
	Volume bool
	// Apart keeps two pods off one "host" or one "zone" (required anti-affinity).
	Apart string
	// CrashesOn is the first version of a node on which they crash-loop, "" for none.
	CrashesOn string
	// Zone is the only zone that they may run in, "" for any.
	Zone string
	// Node is the only node that they may run on, "" for any.
	Node string
	// Critical is the priority class of pods that the cluster cannot do without.
	Critical string
	// fit is what else they ask of their node, as the world tells it of which a Sim was made.
	fit *fit
}

// Workload keeps a number of pods alive.
type Workload struct {
	// Kind is one of those above; UID is that of the owner of its pods.
	Kind, Namespace, Name, UID string
	// Replicas is how many pods it wants, Shape what they are like.
	Replicas int
	Shape    Shape
	// Ours: of a Deployment, the driver has set its Replicas last, as managedFields tells.
	Ours    bool
	list    string            // of its pods
	labels  map[string]string // of its pods, which share them
	like    *Pod              // what its pods are like, nil if its Shape tells
	since   time.Time         // DaemonSet: on nodes that were made since
	needs   *world.Needs
	held    Held            // Deployment
	scale   string          // Deployment: the UID by which a run knows it that was found, where UID is its ReplicaSet's
	down    bool            // none of its pods can be Ready now
	changes *int            // of its list, nil where they are not counted
	inOrder state           // when nothing was to do
	there   map[string]bool // DaemonSet: nodes with a pod, when it looked last
}

// AddWorkload makes a workload. Its pods carry the label app=name.
func (s *Sim) AddWorkload(kind, namespace, name string, replicas int, shape Shape) {
	w := &Workload{Kind: kind, Namespace: namespace, Name: name, UID: kind + "/" + name, Replicas: replicas, Shape: shape, list: appList(namespace, name), labels: map[string]string{"app": name}}
	s.workloads = append(s.workloads, w)
	if kind == DaemonSet || kind == Mirror {
		s.roomForOneMore()
	}
	switch kind {
	case DaemonSet:
		s.knowDaemons()
	case Bare, Job:
		for i := range replicas {
			p := s.newPod(w, name+"-"+strconv.Itoa(i+1))
			p.Owner, p.owner = world.Owner{}, nil
			if n := s.Truth.Node(shape.Node); n != nil {
				s.bind(p, n)
			}
			if kind == Job {
				p.Owner = world.Owner{Kind: "Job", Name: name, UID: w.UID}
				p.Phase = world.PodSucceeded
				s.setPod(p)
			}
		}
	}
	s.Touch()
}

// Hold says what keeps others from scaling the Deployment that was added last.
func (s *Sim) Hold(h Held) { s.workloads[len(s.workloads)-1].held = h }

// Scale changes how many pods a workload wants.
func (s *Sim) Scale(name string, replicas int) error {
	for _, w := range s.workloads {
		if w.Name == name {
			if w.Replicas != replicas {
				w.Ours = false
				s.gossip(fmt.Sprintf("a user scaled %s from %d to %d", name, w.Replicas, replicas))
			}
			w.Replicas = replicas
			s.Touch()
			return nil
		}
	}
	return fmt.Errorf("there is no workload %q", name)
}

// DaemonSets are the UIDs of all DaemonSets.
func (s *Sim) DaemonSets() (uids []string) {
	for _, w := range s.workloads {
		if w.Kind == DaemonSet {
			uids = append(uids, w.UID)
		}
	}
	return uids
}

func (s *Sim) knowDaemons() {
	uids := s.DaemonSets()
	s.Truth.SetDaemonSets(uids)
	s.watch(func(w *world.World) { w.SetDaemonSets(uids) })
}

// newPod makes a pod that waits for a node.
func (s *Sim) newPod(w *Workload, name string) *Pod {
	p := &Pod{owner: w, Shape: w.Shape}
	kind := w.Kind
	if kind == Deployment {
		kind = "ReplicaSet"
	}
	p.Namespace, p.Name, p.Phase, p.Created = w.Namespace, name, world.PodPending, s.now
	p.UID = uid(w.Namespace, name, s.number("uid/"+name))
	if w.like != nil {
		s.makeLike(p, w.like)
		return p
	}
	p.Owner = world.Owner{Kind: kind, Name: w.Name, UID: w.UID}
	p.Labels = w.labels
	p.Grace, p.EmptyDir, p.ToleratesAll, p.Finalizers = w.Shape.Grace, w.Shape.EmptyDir, w.Shape.ToleratesAll, w.Shape.Finalizers
	p.Critical, p.Volume = w.Shape.Critical, w.Shape.Volume
	if w.needs == nil {
		w.needs = needsOf(w)
	}
	if p.Needs = w.needs; w.needs.Nothing() {
		p.Needs = nil
	}
	s.setPod(p)
	return p
}

// needsOf is what the pods of a workload ask of their node, as the API would tell it.
func needsOf(w *Workload) *world.Needs {
	shape := &w.Shape
	out := &world.Needs{Room: world.Room{CPU: shape.CPU, Memory: shape.Memory}}
	for _, key := range shape.Tolerates {
		out.Tolerations = append(out.Tolerations, world.Toleration{Key: key, Exists: true})
	}
	for key, value := range map[string]string{ZoneLabel: shape.Zone, hostLabel: shape.Node} {
		if value != "" {
			out.Nodes = [][]world.Requirement{{{Key: key, Operator: "In", Values: []string{value}}}}
		}
	}
	if topology := map[string]string{"zone": ZoneLabel, "host": hostLabel}[shape.Apart]; topology != "" {
		out.Apart = []world.Near{{Topology: topology, Selector: []world.Requirement{{Key: "app", Operator: "In", Values: []string{w.Name}}}}}
	}
	return out
}

// makeLike makes a new pod after another one of its workload.
func (s *Sim) makeLike(p, like *Pod) {
	q := like.Pod
	q.Name, q.UID, q.Created = p.Name, p.UID, p.Created
	q.Starting = 0
	q.Phase, q.Ready, q.Node, q.Unplaced, q.Crashing, q.Ends = world.PodPending, false, "", "", false, time.Time{}
	p.Pod, p.lists, p.changes = q, like.lists, like.changes
	s.setPod(p)
}

// uid is that of the nth pod of a name.
func uid(namespace, name string, n int) string { return fmt.Sprintf("%s/%s#%d", namespace, name, n) }

// controllers lets every controller look at the Truth once.
func (s *Sim) controllers() {
	for _, w := range s.workloads {
		switch w.Kind {
		case Deployment, StatefulSet:
			s.replicate(w)
		case DaemonSet, Mirror:
			s.onEveryNode(w)
		}
	}
	s.schedule()
	if s.refs == nil {
		s.refs = sortedKeys(s.budgets)
	}
	for _, ref := range s.refs {
		s.recount(s.budgets[ref])
	}
	s.balance()
}

// replicate keeps a workload's pods at their number. A Deployment replaces a pod
// as soon as it is asked to go; a StatefulSet when it is gone, under its name.
func (s *Sim) replicate(w *Workload) {
	now := stateOf(w.changes, w.Replicas)
	if w.inOrder.known(now) {
		return
	}
	alive := 0
	for _, p := range s.pods.of(w.list) {
		if w.keeps(p) {
			alive++
		}
	}
	if alive == w.Replicas {
		w.inOrder = now
		return
	}
	for n := alive; n < w.Replicas; n++ {
		name := ""
		if w.Kind == Deployment {
			name = s.namePod(w.Name)
		} else {
			for i := range w.Replicas {
				if free := w.Name + "-" + strconv.Itoa(i); s.PodOfApp(w.Namespace, free) == nil {
					name = free
					break
				}
			}
			if name == "" {
				return // the old one is still there
			}
		}
		s.newPod(w, name)
	}
	if alive > w.Replicas {
		s.reduce(w)
	}
}

// keeps reports whether a pod is one of those that a workload keeps at their number.
func (w *Workload) keeps(p *Pod) bool { return p.owner == w && !p.Terminating() && !p.Finished() }

// reduce ends the pods that a workload has too many: unplaced and young ones go first.
func (s *Sim) reduce(w *Workload) {
	alive := slices.DeleteFunc(slices.Clone(s.pods.of(w.list)), func(p *Pod) bool { return !w.keeps(p) })
	slices.SortStableFunc(alive, func(a, b *Pod) int {
		return cmp.Or(cmp.Compare(placed(a), placed(b)), b.Created.Compare(a.Created))
	})
	for _, p := range alive[:len(alive)-w.Replicas] {
		s.Kill(p.UID, nil)
	}
}

// ReadyPods counts the Ready pods of each workload.
func (s *Sim) ReadyPods() map[string]int {
	out := map[string]int{}
	for _, w := range s.workloads {
		out[w.Name] = 0
	}
	for _, p := range s.pods.byUID {
		if p.owner != nil && p.Ready && !p.Terminating() {
			out[p.owner.Name]++
		}
	}
	return out
}

func placed(p *Pod) int {
	if p.Node == "" {
		return 0
	}
	return 1
}

// onEveryNode keeps one pod of a workload on every Ready node.
func (s *Sim) onEveryNode(w *Workload) {
	now := stateOf(w.changes, 0)
	if nodes := s.Truth.Nodes(); len(nodes) > 0 {
		now.nodes = &nodes[0]
	}
	if w.inOrder.known(now) {
		return
	}
	w.inOrder = now // what it makes now changes its list
	if w.there == nil {
		w.there = map[string]bool{}
	}
	clear(w.there)
	for _, p := range s.pods.of(w.list) {
		if p.owner == w {
			w.there[p.Node] = true
		}
	}
	for _, n := range s.Truth.Nodes() {
		if !n.Ready || w.there[n.Name] || n.Created.Before(w.since) || w.Shape.fit != nil && !w.Shape.fit.selects(n) {
			continue
		}
		p := s.newPod(w, w.Name+"-"+n.Name)
		p.Mirror = w.Kind == Mirror
		if p.Mirror {
			p.Owner = world.Owner{Kind: "Node", Name: n.Name, UID: n.Name}
		}
		s.bind(p, n)
	}
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// Held is what keeps others from scaling a Deployment.
type Held struct {
	Recreate bool
	Holder   string // who else decides on its replicas, "" for nobody
	Denied   bool   // nobody may scale it
}

// Deployment is a Deployment by its UID, nil if there is none.
func (s *Sim) Deployment(uid string) *Workload {
	for _, w := range s.workloads {
		if (w.UID == uid || w.scale == uid && uid != "") && w.Kind == Deployment {
			return w
		}
	}
	return nil
}

// lookAtOwner answers the reads of a pod's ReplicaSet, its Deployment and what scales that.
func (s *Sim) lookAtOwner(a record.Action) record.Outcome {
	p := s.pods.byUID[a.UID]
	if p == nil {
		return Refuse(record.RefusedGone, "pods %q not found", a.Pod)
	}
	o := record.Outcome{Verdict: record.Done}
	if w := p.owner; w != nil && w.Kind == Deployment {
		o.Deployment = &world.Deployment{Name: w.Name, UID: w.UID, Replicas: w.Replicas, Recreate: w.held.Recreate, Holder: s.hostile(w.held.Holder)}
	}
	return o
}

// scaleTo answers an update of a Deployment's scale.
func (s *Sim) scaleTo(a record.Action) record.Outcome {
	switch w := s.Deployment(a.UID); {
	case w == nil:
		return Refuse(record.RefusedGone, "deployments.apps %q not found", a.Object)
	case w.held.Denied:
		return Refuse(record.RefusedForbidden, "this user may not update deployments/scale")
	case w.Replicas == max(a.Replicas, a.FromReplicas) && !w.Ours:
		return Refuse(record.RefusedConflict, "another user has set %d replicas", w.Replicas)
	case w.Replicas == a.Replicas:
		return done
	case w.Replicas != a.FromReplicas:
		return Refuse(record.RefusedConflict, "it has %d replicas, not %d", w.Replicas, a.FromReplicas)
	default:
		w.Replicas, w.Ours = a.Replicas, true
		s.Scaled[w.UID] = a.Replicas
		return done
	}
}
