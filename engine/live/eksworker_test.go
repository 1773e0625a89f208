package live

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"regexp"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// eksWorker is EKS with a managed node group, its cluster and its Auto Scaling group: what
// the user guide says in "Understand each phase of node updates", with times and luck of a
// seed. It shares nothing with what follows it. What can be seen of it is told to seen, as
// the Kubernetes API tells it at once and AWS when it is asked.
type eksWorker struct {
	rand *rand.Rand
	now  time.Time
	seen func(live func(*world.World)) // a change that the Kubernetes API tells

	// What the seed has drawn.
	minimal, taints, sliding, force, retried bool
	recommended                              bool // the update goes to the recommended release, whose AMI is known
	atOnce, zones                            int
	window, settle, join                     time.Duration
	noCapacity                               bool
	churn                                    int // users delete one pod in so many steps, 0 for never
	rebalances                               int // AZRebalance ends one machine in so many steps, 0 for never
	end                                      string

	template              int64
	desired, most, raised int
	machines              []*eksMachine
	pods                  []*world.Pod
	budgets               []*world.Budget
	closed                map[string]bool // budgets that never allow a disruption
	numbers               int
	soon                  []eksSoon
	nextLaunch            time.Time
	activities            []world.Activity

	began   time.Time
	phase   string
	phases  []eksPhase
	status  string
	errors  []world.ManagedIssue
	picked  map[string]time.Time // nodes, by when the worker began to drain them
	ending  map[string]bool      // nodes whose machine the Auto Scaling group or a user ends
	olds    map[string]time.Time // machines to replace when the update began, by when they were gone
	why     map[string]world.EndCause
	moved   time.Time // when a pod was evicted last, or a node came further
	evicted time.Time // when the update has evicted a pod last
	awaits  bool      // it is at no node: it waits for new ones, or marks
	step    func() (struct{}, bool)
	endStep func()
}

type eksPhase struct {
	name       string
	start, end time.Time
}

type eksSoon struct {
	at time.Time
	do func()
}

type eksMachine struct {
	world.Machine
	node   *world.Node // nil before it joins and after it has left
	marked bool
	never  bool // it never gets Ready
	hooked bool // its lifecycle hook waits for its drain
}

// eksTick is how far apart the worker's steps are.
const eksTick = 500 * time.Millisecond

const (
	eksGroupLabel = "eks.amazonaws.com/nodegroup"
	eksImageLabel = "eks.amazonaws.com/nodegroup-image"
	eksExclude    = "node.kubernetes.io/exclude-from-external-load-balancers"
)

func (k *eksWorker) chance(n int) bool { return k.rand.IntN(n) == 0 }

func (k *eksWorker) span(least, most time.Duration) time.Duration {
	return least + time.Duration(k.rand.Int64N(int64(most-least+1)))
}

func newEKSWorker(seed uint64, start time.Time, seen func(func(*world.World))) *eksWorker {
	k := &eksWorker{rand: rand.New(rand.NewPCG(seed, 19)), now: start, seen: seen, template: 4, picked: map[string]time.Time{}, ending: map[string]bool{}, closed: map[string]bool{}, olds: map[string]time.Time{}, why: map[string]world.EndCause{}, settle: time.Minute}
	k.minimal, k.taints, k.sliding, k.force, k.retried = k.chance(3), k.chance(3), k.chance(4), k.chance(4), k.chance(4)
	k.zones, k.atOnce = 1+k.rand.IntN(3), 1+k.rand.IntN(3)
	k.window, k.join = k.span(time.Minute, 16*time.Minute), k.span(5*time.Minute, 15*time.Minute)
	if k.minimal {
		k.settle = 0
	}
	if k.chance(2) {
		k.churn = 20 + k.rand.IntN(400)
	}
	k.noCapacity, k.recommended = k.chance(10), k.chance(2)
	if k.zones > 1 && k.chance(3) {
		k.rebalances = 100 + k.rand.IntN(1000)
	}
	sick := rand.New(rand.NewPCG(seed, 0x51c)) // takes its chances elsewhere
	nodes := 1 + k.rand.IntN(8)
	k.desired, k.most = nodes, nodes+k.rand.IntN(3)
	for i := range nodes {
		m := k.launch(i % k.zones)
		m.State = world.MachineInService
		if k.retried && k.chance(3) { // a failed update has come this far
			m.Template.Version = 3
		} else {
			m.Template.Version = 1
		}
		k.joins(m, start.Add(-k.span(time.Hour, 24*time.Hour)))
		k.ready(m)
		if sick.IntN(8) == 0 { // EKS's node repair may replace it
			k.show(m, func(n *world.Node) {
				n.Conditions = []world.Condition{{Type: "KernelReady", Off: true, Reason: "SoftLockup"}}
			})
		}
	}
	apps := 1 + k.rand.IntN(4)
	for app := range apps {
		name, replicas := fmt.Sprintf("app%d", app), 1+k.rand.IntN(2*nodes)
		for range replicas {
			k.place(name, true)
		}
		if k.chance(3) {
			continue
		}
		keep := max(0, replicas-k.rand.IntN(2))
		b := &world.Budget{Namespace: "shop", Name: name, Expression: fmt.Sprint("minAvailable ", keep), Desired: keep, Expected: replicas, Selector: labels.SelectorFromSet(labels.Set{"app": name})}
		k.budgets = append(k.budgets, b)
	}
	k.count()
	return k
}

// launch makes a machine of the template of now.
func (k *eksWorker) launch(zone int) *eksMachine {
	k.numbers++
	m := &eksMachine{Machine: world.Machine{ID: fmt.Sprintf("i-%d", k.numbers), Zone: fmt.Sprintf("z%d", zone), State: world.MachinePending, Template: world.Template{ID: "lt", Version: k.template}}}
	k.machines = append(k.machines, m)
	if !k.began.IsZero() {
		k.acts(world.Activity{Launches: m.ID})
	}
	return m
}

// acts is an activity of the Auto Scaling group.
func (k *eksWorker) acts(a world.Activity) {
	k.numbers++
	a.ID, a.At = fmt.Sprint("a", k.numbers), k.now
	k.activities = append([]world.Activity{a}, k.activities...)
}

// ends is the activity of a machine's end.
func (k *eksWorker) ends(m *eksMachine, why world.EndCause) {
	k.why[m.ID] = why
	k.acts(world.Activity{Ends: m.ID, Zone: m.Zone, Why: why})
}

// image is the AMI that a version of the template has: 1 is the former one, and each update makes
// a version of its own.
func image(version int64) string {
	if version == 1 {
		return "ami-old"
	}
	return "ami-new"
}

func (k *eksWorker) joins(m *eksMachine, at time.Time) {
	m.node = &world.Node{Name: "node-" + m.ID, Machine: m.ID, Zone: m.Zone, Created: at.Truncate(time.Second), Version: "v1.32.0", Labels: map[string]string{eksGroupLabel: "web", eksImageLabel: image(m.Template.Version)}}
	k.show(m, func(*world.Node) {})
	k.pods = append(k.pods, &world.Pod{UID: "agent-" + m.ID, Namespace: "kube-system", Name: "agent-" + m.ID, Node: m.node.Name, Phase: world.PodRunning, Ready: true, Owner: world.Owner{Kind: "DaemonSet", Name: "agent", UID: "agent"}, Created: at})
	k.showPod(k.pods[len(k.pods)-1])
}

// show changes a machine's node, and tells it.
func (k *eksWorker) show(m *eksMachine, change func(*world.Node)) {
	n := *m.node
	n.Labels, n.Taints = map[string]string{}, slices.Clone(n.Taints)
	for key, value := range m.node.Labels {
		n.Labels[key] = value
	}
	change(&n)
	m.node = &n
	k.seen(func(w *world.World) { w.SetNode(&n) })
}

func (k *eksWorker) ready(m *eksMachine) {
	k.show(m, func(n *world.Node) { n.Ready = true })
	if !m.Leaving() {
		m.State = world.MachineInService
	}
}

func (k *eksWorker) showPod(p *world.Pod) {
	k.seen(func(w *world.World) { w.SetPod(p) })
}

// place makes a pod of an app, on a node that takes one if there is any.
func (k *eksWorker) place(app string, ready bool) {
	k.numbers++
	p := &world.Pod{UID: fmt.Sprintf("uid-%d", k.numbers), Namespace: "shop", Name: fmt.Sprintf("%s-%d", app, k.numbers), Phase: world.PodPending, Labels: map[string]string{"app": app}, Owner: world.Owner{Kind: "ReplicaSet", Name: app, UID: app}, Created: k.now, Grace: k.span(5*time.Second, 30*time.Second)}
	k.pods = append(k.pods, p)
	k.bind(p, ready)
	k.showPod(k.pod(p.UID))
}

// bind places a pod that has no node.
func (k *eksWorker) bind(p *world.Pod, ready bool) {
	var free []*eksMachine
	for _, m := range k.machines {
		if m.node != nil && m.node.Ready && !m.marked && !m.Leaving() {
			free = append(free, m)
		}
	}
	if len(free) == 0 {
		return
	}
	on := free[k.rand.IntN(len(free))].node.Name
	k.edit(p.UID, func(p *world.Pod) {
		p.Node = on
		if ready {
			p.Phase, p.Ready = world.PodRunning, true
		}
	})
	if !ready {
		k.after(k.span(2*time.Second, 40*time.Second), func() {
			k.edit(p.UID, func(p *world.Pod) {
				if !p.Terminating() {
					p.Phase, p.Ready = world.PodRunning, true
				}
			})
		})
	}
}

func (k *eksWorker) pod(uid string) *world.Pod {
	if i := slices.IndexFunc(k.pods, func(p *world.Pod) bool { return p.UID == uid }); i >= 0 {
		return k.pods[i]
	}
	return nil
}

func (k *eksWorker) edit(uid string, change func(*world.Pod)) {
	i := slices.IndexFunc(k.pods, func(p *world.Pod) bool { return p.UID == uid })
	if i < 0 {
		return
	}
	p := *k.pods[i]
	change(&p)
	k.pods[i] = &p
	k.showPod(&p)
}

func (k *eksWorker) after(d time.Duration, do func()) {
	k.soon = append(k.soon, eksSoon{k.now.Add(d), do})
}

// count does what the disruption controller does.
func (k *eksWorker) count() {
	for i, b := range k.budgets {
		healthy := 0
		for _, p := range k.pods {
			if p.Labels["app"] == b.Name && p.Ready && !p.Terminating() {
				healthy++
			}
		}
		allowed := max(0, healthy-b.Desired)
		if b.Current && b.Healthy == healthy && b.Allowed == allowed {
			continue
		}
		next := *b
		if (allowed > 0) != (b.Allowed > 0) {
			next.Since = k.now.Truncate(time.Second)
		}
		next.Healthy, next.Allowed, next.Current = healthy, allowed, true
		k.budgets[i] = &next
		k.seen(func(w *world.World) { w.SetBudget(&next) })
	}
}

// budget is that of a pod, nil for none.
func (k *eksWorker) budget(p *world.Pod) *world.Budget {
	for _, b := range k.budgets {
		if b.Name == p.Labels["app"] {
			return b
		}
	}
	return nil
}

// held reports whether the eviction of a pod would be refused now.
func (k *eksWorker) held(p *world.Pod) bool {
	b := k.budget(p)
	return p.Phase != world.PodPending && b != nil && b.Allowed == 0 && (p.Ready || b.Healthy < b.Desired || b.Desired == 0)
}

// goes lets a pod terminate; its owner puts another one in its place.
func (k *eksWorker) goes(p *world.Pod, evicted bool) {
	app := p.Labels["app"]
	k.edit(p.UID, func(p *world.Pod) { p.Ends, p.Evicted = k.now.Add(p.Grace), evicted })
	k.after(k.span(2*time.Second, p.Grace), func() { k.gone(p.UID) })
	k.place(app, false)
	k.count()
}

func (k *eksWorker) gone(uid string) {
	k.pods = slices.DeleteFunc(k.pods, func(p *world.Pod) bool { return p.UID == uid })
	k.seen(func(w *world.World) { w.DeletePod(uid) })
}

// leaving are the pods of a node that have to leave it.
func (k *eksWorker) leaving(node string) (out []*world.Pod) {
	for _, p := range k.pods {
		if p.Node == node && p.Owner.Kind != "DaemonSet" {
			out = append(out, p)
		}
	}
	return out
}

// advance takes everything one tick further.
func (k *eksWorker) advance() {
	k.now = k.now.Add(eksTick)
	for i := 0; i < len(k.soon); i++ {
		if s := k.soon[i]; !s.at.After(k.now) {
			k.soon = slices.Delete(k.soon, i, i+1)
			i--
			s.do()
		}
	}
	k.scale()
	for _, p := range slices.Clone(k.pods) {
		if p.Node == "" {
			k.bind(p, false)
		}
	}
	if k.churn > 0 && k.chance(k.churn) {
		if p := k.pods[k.rand.IntN(len(k.pods))]; p.Owner.Kind != "DaemonSet" && !p.Terminating() {
			k.goes(p, false)
		}
	}
	k.count()
	if k.step != nil {
		k.step()
	}
}

// scale is the Auto Scaling group.
func (k *eksWorker) scale() {
	var there []*eksMachine
	inZone := map[string]int{}
	for _, m := range k.machines {
		if !m.Leaving() {
			there, inZone[m.Zone] = append(there, m), inZone[m.Zone]+1
		}
	}
	switch {
	case len(there) < k.desired && !k.now.Before(k.nextLaunch):
		k.nextLaunch = k.now.Add(k.span(500*time.Millisecond, 8*time.Second))
		if k.noCapacity {
			k.acts(world.Activity{Failed: true, Message: "We currently do not have sufficient capacity"})
			k.nextLaunch = k.now.Add(20 * time.Second)
			return
		}
		zone := 0
		for z := range k.zones {
			if inZone[fmt.Sprint("z", z)] < inZone[fmt.Sprint("z", zone)] {
				zone = z
			}
		}
		m := k.launch(zone)
		m.never = k.chance(60)
		k.after(k.span(5*time.Second, 40*time.Second), func() {
			k.joins(m, k.now)
			k.after(k.span(time.Second, 20*time.Second), func() {
				if !m.never && m.node != nil {
					k.ready(m)
				}
			})
		})
	case len(there) > k.desired:
		slices.SortStableFunc(there, func(a, b *eksMachine) int { return inZone[b.Zone] - inZone[a.Zone] })
		k.hook(there[0], world.EndScaledIn)
	case k.rebalances > 0 && !k.noCapacity && k.template > 4 && len(there) > 0 && k.chance(k.rebalances):
		k.hook(there[k.rand.IntN(len(there))], world.EndRebalance)
	}
}

// hook ends a machine that the Auto Scaling group has chosen: EKS drains it before it goes.
func (k *eksWorker) hook(m *eksMachine, why world.EndCause) {
	m.State, m.hooked = world.MachineTerminating, true
	k.ends(m, why)
	if m.node == nil {
		k.vanish(m)
		return
	}
	k.ending[m.node.Name] = true
	k.mark(m)
	limit := k.now.Add(5 * time.Minute)
	var drain func()
	drain = func() {
		left := k.leaving(m.node.Name)
		if len(left) == 0 || k.now.After(limit) {
			k.vanish(m)
			return
		}
		k.evict(left)
		k.after(2*time.Second, drain)
	}
	k.after(time.Second, drain)
}

// evict evicts what is not held, and reports whether anything was.
func (k *eksWorker) evict(pods []*world.Pod) (some bool) {
	for _, p := range pods {
		if !p.Terminating() && !k.held(p) {
			k.goes(p, true)
			k.moved, some = k.now, true
		}
	}
	return some
}

// nothingEvicted is what is said of how long the update has evicted nothing.
var nothingEvicted = regexp.MustCompile(`nothing was evicted for (\S+) and`)

// wrongQuiet says what is wrong with how long an event says that nothing was evicted, "" for nothing: the update has picked no node
// before its upgrade began, and what it has evicted while the watch lasts was seen. Where an update before has left its marks
// nothing tells exactly when the upgrade began.
func (k *eksWorker) wrongQuiet(e record.Event, watched time.Time, marksLeft bool) string {
	m := nothingEvicted.FindStringSubmatch(e.Message)
	if m == nil || len(k.phases) == 0 {
		return ""
	}
	quiet, err := time.ParseDuration(m[1])
	if err != nil {
		return err.Error()
	}
	var since time.Time
	if k.evicted.After(watched) {
		since = k.evicted
	}
	for _, ph := range k.phases {
		if ph.name == "upgrade" && ph.start.After(since) {
			since = ph.start
		}
	}
	slack := late
	switch {
	case marksLeft && since.IsZero(): // they look as if it had begun
		return ""
	case marksLeft:
		slack += 30 * time.Second
	case since.IsZero():
		return "its upgrade has not begun"
	}
	if is := k.now.Sub(since); quiet > is+slack && is > 3*time.Second { // an eviction of just now is not seen yet
		return fmt.Sprintf("it is so for %s", is)
	}
	return ""
}

// podOf is a pod that is told with its owner: its Deployment is in its name.
var podOf = regexp.MustCompile(`\bshop/(\S+)-[0-9]+ of (\S+)`)

// wrongOwner says which pod an event names with another owner than its own, "" for none.
func wrongOwner(e record.Event) string {
	for _, m := range podOf.FindAllStringSubmatch(e.Message, -1) {
		if m[1] != m[2] {
			return fmt.Sprintf("%q is of another owner", m[0])
		}
	}
	return ""
}

// vanish lets a machine that ends be gone after a while, with its node and what ran there.
func (k *eksWorker) vanish(m *eksMachine) {
	m.State = world.MachineTerminating
	node := func() {
		if m.node == nil {
			return
		}
		name := m.node.Name
		m.node = nil
		k.seen(func(w *world.World) { w.DeleteNode(name) })
		for _, p := range slices.Clone(k.pods) {
			if p.Node == name {
				k.gone(p.UID)
				if p.Owner.Kind != "DaemonSet" && !p.Terminating() {
					k.place(p.Labels["app"], false)
				}
			}
		}
	}
	ends := k.span(2*time.Second, time.Minute)
	k.after(ends, func() {
		k.machines = slices.DeleteFunc(k.machines, func(o *eksMachine) bool { return o == m })
		if _, old := k.olds[m.ID]; old {
			k.olds[m.ID] = k.now
		}
		k.moved = k.now
	})
	k.after(max(time.Second, ends+k.span(-20*time.Second, 30*time.Second)), node)
}

// mark keeps new pods off a node.
func (k *eksWorker) mark(m *eksMachine) {
	m.marked = true
	k.show(m, func(n *world.Node) {
		if k.taints {
			n.Taints = append(n.Taints, world.Taint{Key: eksGroupLabel, Value: "unschedulable", Effect: "NoSchedule"})
			return
		}
		n.Unschedulable, n.Labels[eksExclude] = true, "true"
		n.Tainted = map[string]time.Time{"node.kubernetes.io/unschedulable": k.now.Truncate(time.Second)}
	})
}

// begin starts the update.
func (k *eksWorker) begin() {
	k.began, k.status = k.now, world.UpdateRuns
	for _, m := range k.old() {
		k.olds[m.ID] = time.Time{}
	}
	k.step, k.endStep = iter.Pull(func(yield func(struct{}) bool) {
		k.update(func(d time.Duration) bool {
			for end := k.now.Add(d); ; {
				if !yield(struct{}{}) {
					return false
				}
				if !k.now.Before(end) {
					return true
				}
			}
		})
		for yield(struct{}{}) {
		}
	})
	k.step()
}

func (k *eksWorker) enter(phase string) {
	if n := len(k.phases); n > 0 {
		k.phases[n-1].end = k.now
	}
	k.phase, k.phases, k.moved = phase, append(k.phases, eksPhase{name: phase, start: k.now}), k.now
}

// over is the end of the update.
func (k *eksWorker) over(status, code string, resources ...string) {
	k.status, k.end = status, code
	if code != "" {
		k.errors = []world.ManagedIssue{{Code: code, Message: "in EKS's words", Resources: resources}}
	}
	k.phases[len(k.phases)-1].end = k.now
}

// old are the machines that the update is to replace: those whose nodes have the former AMI.
func (k *eksWorker) old() (out []*eksMachine) {
	for _, m := range k.machines {
		if image(m.Template.Version) == "ami-old" && !m.Leaving() {
			out = append(out, m)
		}
	}
	return out
}

// update is one update from its beginning to its end.
func (k *eksWorker) update(wait func(time.Duration) bool) {
	k.awaits = true
	k.enter("setup")
	if !wait(k.span(time.Second, 40*time.Second)) {
		return
	}
	k.template++
	if !k.minimal {
		k.enter("scale up")
		k.raised = max(2*k.zones, k.atOnce)
		k.desired, k.most = k.desired+k.raised, k.most+k.raised
		if !k.await(wait, k.covered) {
			return
		}
	}
	for _, m := range k.old() {
		if m.node == nil || m.Leaving() {
			continue
		}
		if k.chance(2) && !wait(k.span(eksTick, 3*time.Second)) {
			return
		}
		if m.node != nil && !m.Leaving() {
			k.mark(m)
		}
	}
	k.enter("upgrade") // that all are marked is what can be seen of it
	if !k.upgrade(wait) {
		return
	}
	if !k.minimal {
		k.enter("scale down")
		k.awaits = true
		if k.chance(8) { // the autoscaler is raising it
			k.desired++
			wait(10 * time.Second)
		} else {
			for range k.raised {
				k.desired, k.most = k.desired-1, k.most-1
				if !wait(k.span(time.Second, 20*time.Second)) {
					return
				}
			}
		}
	}
	if k.chance(20) {
		k.over(world.UpdateFailed, "Unknown")
		return
	}
	k.over(world.UpdateSucceeded, "")
}

// covered: each zone with an old node has a new one that is Ready, and every new node is.
func (k *eksWorker) covered() bool {
	zones := map[string]bool{}
	for _, m := range k.machines {
		if m.Template.Version == k.template && m.node != nil && m.node.Ready {
			zones[m.Zone] = true
		}
	}
	for _, m := range k.machines {
		if image(m.Template.Version) == "ami-old" && !zones[m.Zone] || m.Template.Version == k.template && m.node != nil && !m.node.Ready {
			return false
		}
	}
	return true
}

// await waits for new nodes, and ends the update if they do not come.
func (k *eksWorker) await(wait func(time.Duration) bool, come func() bool) bool {
	for late := k.now.Add(k.join); !come(); {
		if k.now.After(late) {
			k.over(world.UpdateFailed, "NodeCreationFailure", "eks-web")
			return false
		}
		if !wait(eksTick) {
			return false
		}
	}
	return true
}

// eksDrain is a node that the worker is at.
type eksDrain struct {
	m       *eksMachine
	began   time.Time
	emptied time.Time
	asked   bool
}

// upgrade replaces the old nodes, round after round or slot by slot. It reports whether all are.
func (k *eksWorker) upgrade(wait func(time.Duration) bool) bool {
	var at []*eksDrain
	for {
		at = slices.DeleteFunc(at, func(d *eksDrain) bool { return !slices.Contains(k.machines, d.m) })
		busy := func(m *eksMachine) bool { return slices.ContainsFunc(at, func(d *eksDrain) bool { return d.m == m }) }
		left := slices.DeleteFunc(k.old(), busy)
		if len(at) == 0 && len(left) == 0 {
			return true
		}
		if len(at) == 0 && k.minimal && len(k.picked) > 0 {
			k.awaits = true
			if !k.await(wait, func() bool { return k.serving() >= k.desired }) {
				return false
			}
		}
		if len(at) == 0 || k.sliding && !k.minimal {
			k.rand.Shuffle(len(left), func(i, j int) { left[i], left[j] = left[j], left[i] })
			for _, m := range left[:min(len(left), max(0, k.atOnce-len(at)))] {
				at = append(at, &eksDrain{m: m, began: k.now})
				k.awaits = false
				if m.node != nil {
					k.picked[m.node.Name], k.moved = k.now, k.now
				}
			}
		}
		if failed := k.drain(at); len(failed) > 0 {
			k.over(world.UpdateFailed, "PodEvictionFailure", failed...)
			return false
		}
		if !wait(k.span(eksTick, 2*time.Second)) {
			return false
		}
	}
}

// serving is how many nodes are Ready and stay.
func (k *eksWorker) serving() (n int) {
	for _, m := range k.machines {
		if m.node != nil && m.node.Ready && !m.Leaving() {
			n++
		}
	}
	return n
}

// drain takes the nodes of a round further, and returns those that the worker gives up.
func (k *eksWorker) drain(at []*eksDrain) (failed []string) {
	for _, d := range at {
		if d.asked || d.m.Leaving() {
			continue
		}
		var left []*world.Pod
		if d.m.node != nil {
			left = k.leaving(d.m.node.Name)
		}
		switch {
		case len(left) > 0 && k.force && k.now.Sub(d.began) > k.window:
			for _, p := range left {
				if !p.Terminating() {
					k.goes(p, false)
				}
			}
		case len(left) > 0 && !k.force && k.now.Sub(d.began) > 3*k.window:
			failed = append(failed, d.m.node.Name)
		case len(left) > 0:
			if k.evict(left) {
				k.evicted = k.now
			}
		case d.emptied.IsZero():
			d.emptied, k.moved = k.now, k.now
		case k.now.Sub(d.emptied) >= k.settle:
			d.asked = true
			k.ends(d.m, world.EndRequested)
			k.vanish(d.m)
		}
	}
	return failed
}
