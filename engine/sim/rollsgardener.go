package sim

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// gardenerRoll is what machine-controller-manager does with the machine deployments of a worker pool
// (pkg/controller/deployment_rolling.go and deployment_inplace.go), one for each zone, side by side.
type gardenerRoll struct {
	*Sim
	zones   []zoneRoll
	olds    map[string]bool // machines to be replaced; of a pool in place those whose nodes are candidates
	inPlace bool
	retried map[string]int // how often an eviction was refused, by the pod's UID, and when it was asked for last
	asked   map[string]time.Time
}

// zoneRoll is a machine deployment with what it may do at once.
type zoneRoll struct {
	name, zone           string
	size                 int
	surge, unavailable   int
	paused, frozen, ours bool // ours: machines are in it by their zone, as their objects are not read
}

// zoneRolls are those of a pool, none where its limits are not known.
func zoneRolls(p *world.Pool) (out []zoneRoll) {
	for i := range p.Deployments {
		d := &p.Deployments[i]
		out = append(out, zoneRoll{name: d.Name, zone: d.Zone, size: d.Desired, surge: d.MaxSurge, unavailable: d.MaxUnavailable, paused: d.Paused, frozen: d.Frozen})
	}
	if len(out) > 0 {
		return out
	}
	for _, z := range p.Shares {
		out = append(out, zoneRoll{name: p.Name + "-" + z.Zone, zone: z.Zone, size: -1, surge: z.MaxSurge, unavailable: z.MaxUnavailable, ours: true})
	}
	return out
}

// rollAsGardener has machine-controller-manager roll the pool of a world that it rolls, or is about to, and
// a pool in place have its nodes updated.
func (s *Sim) rollAsGardener(rules engine.Strategy, run record.Run, pace Pace) {
	p := *s.Group.Pool
	r := &gardenerRoll{Sim: s, zones: zoneRolls(&p), olds: outdated(rules, s.View, s.now, run), inPlace: world.InPlace(p.Update), retried: map[string]int{}, asked: map[string]time.Time{}}
	s.Group.self = rules.Follows() != nil
	for _, m := range s.machines {
		r.takeUp(m)
	}
	for i := range r.zones {
		z := &r.zones[i]
		if z.ours {
			z.size = len(r.of(z)) // surge nodes that are there go in the end
		}
		if z.surge+z.unavailable == 0 {
			z.unavailable = 1
		}
	}
	if over := len(s.Alive()) - s.Group.Sizes.Desired; over > 0 && len(r.zones) > 0 && r.zones[0].ours {
		for i := range over {
			r.zones[i%len(r.zones)].size--
		}
	}
	begins := s.now
	if progress := p.Progress; progress != nil {
		if progress.Confined && p.Opens.After(s.now) && progress.Observed < progress.Generation {
			begins = p.Opens
		}
		now := *progress
		now.Observed, now.State = now.Generation, "Processing"
		p.Progress = &now
	}
	p.Behind, p.Unmarked, p.Unread = nil, nil, ""
	s.Group.Pool = &p
	if r.inPlace {
		r.takeUpUpdates(p, pace)
	}
	s.controller = r.request
	s.After(begins.Sub(s.now), func() {
		r.mark()
		r.turn()
		s.every(controllerTurn, func() bool { r.turn(); return true })
	})
}

// takeUp gives a machine a Machine where none is read, as its node shows it to be.
func (r *gardenerRoll) takeUp(m *Machine) {
	if m.Managed != nil {
		return
	}
	m.Managed = &world.ManagedMachine{Name: m.Name, Phase: world.PhaseRunning, Since: r.now, Created: r.now, Priority: world.UsualPriority, Limits: r.Group.Pool.Limits}
	n := r.Truth.Node(m.Name)
	if n == nil {
		return
	}
	if m.Managed.Since, m.Managed.Created = n.Created, n.Created; n.Terminating().On {
		m.Managed.Phase, m.Managed.Deleted = world.PhaseTerminating, n.Terminating().Since
	}
}

// tend changes the Machine of a machine: what is shown of it is replaced.
func (r *gardenerRoll) tend(m *Machine, change func(*world.ManagedMachine)) {
	now := *m.Managed
	change(&now)
	m.Managed = &now
}

// takeUpUpdates continues with the updates in place that are under way.
func (r *gardenerRoll) takeUpUpdates(p world.Pool, pace Pace) {
	r.Sim.Pool = Pool{Update: p.Update, version: versionOf(p.Version), Drain: p.Limits.Drain, Takes: pace.Update, Critical: pace.PodReady, Fails: map[string]string{}, Hangs: map[string]bool{}, at: map[string]time.Time{}}
	for _, m := range r.Alive() {
		n := r.Truth.Node(m.Name)
		if n == nil {
			continue
		}
		switch is := n.InPlace(); {
		case is.Failed:
		case is.Step == world.GardenerSelected:
			r.Sim.Pool.begins(m.Name, cmp.Or(is.Since, r.now))
			r.drainForUpdate(m.Name)
		case is.Done:
			r.EditByOthers(m.Name, func(n *world.Node) { setStep(n, "UpdateSuccessful", r.now) }) // its label is there first
			r.After(controllerTurn, func() { r.finishUpdate(m.Name) })
		case is.Step == world.GardenerReady, is.Step == world.GardenerDrained:
			r.updateInPlace(m.Name, max(time.Second, pace.Update-r.now.Sub(cmp.Or(is.Since, r.now))))
		case is.Critical && !is.Candidate:
			r.criticalReady(m.Name)
		}
	}
	r.After(0, r.poolTurn)
}

// versionOf is a kubelet's version as its node has it, "" where it is not known.
func versionOf(version string) string {
	if version == "" {
		return ""
	}
	return "v" + strings.TrimPrefix(version, "v")
}

// mark marks the nodes that are to be replaced, or updated, when Gardener comes to the pool.
func (r *gardenerRoll) mark() {
	for _, m := range r.Alive() {
		if !r.olds[m.ID] {
			continue
		}
		r.EditByOthers(m.Name, func(n *world.Node) {
			if !n.HasTaint(oldTaint) {
				n.Taints = append(n.Taints, oldTaint)
			}
			if r.inPlace && n.Labels[CandidateLabel] == "" && StepOf(n) == "" {
				n.Labels[CandidateLabel] = "true"
				setStep(n, "CandidateForUpdate", r.now)
			}
		})
	}
}

// oldTaint is on the nodes of old machine sets.
var oldTaint = world.Taint{Key: world.GardenerTaint, Value: "True", Effect: "PreferNoSchedule"}

// request carries out what the run asks of machine-controller-manager, and of Gardener.
func (r *gardenerRoll) request(a record.Action) record.Outcome {
	switch a.Kind {
	case record.HoldRoll, record.LetRoll:
		for i := range r.zones {
			if r.zones[i].name == a.Object {
				r.zones[i].paused = a.Kind == record.HoldRoll
			}
		}
	case record.SetPace: // of a pool that is through: nothing depends on it any more
		p := *r.Group.Pool
		p.MaxSurge, p.MaxUnavailable = a.Pace.MaxSurge, a.Pace.MaxUnavailable
		r.Group.Pool = &p
	default:
		for _, m := range r.Alive() {
			if m.Managed.Name != a.Object {
				continue
			}
			r.tend(m, func(g *world.ManagedMachine) {
				if a.Kind == record.ForceMachine {
					g.Forced = true
				} else {
					g.Priority = a.Priority
				}
			})
		}
	}
	r.turn()
	return done
}

// of are the machines of a zone's deployment that are there, those that end among them.
func (r *gardenerRoll) of(z *zoneRoll) (out []*Machine) {
	for _, m := range r.machines {
		if z.ours && m.Zone == z.zone || !z.ours && m.Managed != nil && m.Managed.Deployment == z.name {
			out = append(out, m)
		}
	}
	slices.SortFunc(out, func(a, b *Machine) int {
		return cmp.Or(cmp.Compare(a.Managed.Priority, b.Managed.Priority), a.Managed.Created.Compare(b.Managed.Created), cmp.Compare(a.ID, b.ID))
	})
	return out
}

// old reports whether a machine is of an old machine set.
func (r *gardenerRoll) old(m *Machine) bool {
	if n := r.Truth.Node(m.Name); r.inPlace && n != nil {
		return n.Labels[CandidateLabel] != ""
	}
	return r.olds[m.ID]
}

// turn lets the machine deployments, and the drains of their machines, come further.
func (r *gardenerRoll) turn() {
	done := true
	r.adopts()
	for i := range r.zones {
		z := &r.zones[i]
		if r.Group.self {
			r.rolls(z)
		}
		done = r.count(z) && done
	}
	if p := r.Group.Pool; done && p.Progress != nil && p.Progress.State == "Processing" {
		r.editShoot(func(p *world.Pool) {
			p.Progress.State, p.Progress.Percent, p.Pending, p.Progress.Rollout = "Succeeded", 100, false, false
		})
	}
	r.ListMachines()
}

// adopts makes machines whose nodes are updated in place those of the newest machine set, and shows which ones are
// being updated.
func (r *gardenerRoll) adopts() {
	if !r.inPlace {
		return
	}
	for _, m := range r.Alive() {
		n, phase := r.Truth.Node(m.Name), m.Managed.Phase
		switch {
		case n == nil:
			continue
		case r.olds[m.ID] && !r.old(m):
			m.Template, r.olds[m.ID], phase = r.Group.Template, false, world.PhaseRunning
		case n.InPlace().Failed:
			phase = world.PhaseInPlaceFailed
		case n.InPlace().Out():
			phase = world.PhaseInPlaceUpdating
		}
		if phase != m.Managed.Phase {
			r.tend(m, func(g *world.ManagedMachine) { g.Phase, g.Since, g.Failed, g.Description = phase, r.now, false, "" })
		}
	}
}

// rolls lets a machine deployment launch, select and end machines, as far as it may.
func (r *gardenerRoll) rolls(z *zoneRoll) {
	var fresh, old []*Machine
	total, serve, selected, unready := 0, 0, 0, 0
	for _, m := range r.of(z) {
		total++
		if !m.Managed.Deleted.IsZero() {
			r.ends(m)
			continue
		}
		up := r.takesPods(m)
		if n := r.Truth.Node(m.Name); r.inPlace && n != nil && n.InPlace().Selected {
			selected++
			up = up && !n.InPlace().Out()
		}
		if up {
			serve++
		}
		if r.old(m) {
			old = append(old, m)
			continue
		}
		if fresh = append(fresh, m); !up {
			unready++
			r.givesUp(m)
		}
	}
	if z.paused || len(old) == 0 && len(fresh) == z.size {
		return
	}
	for n := min(z.size+z.surge-total, z.size-len(fresh)); n > 0 && !z.frozen; n-- {
		r.creates(z)
		total++
	}
	fewest := z.size - z.unavailable
	switch {
	case r.inPlace && len(fresh) >= z.size:
		for _, m := range old {
			r.deletes(m)
		}
	case r.inPlace:
		r.selects(old, min(serve-selected-fewest, z.size-len(fresh)-selected))
	default:
		r.scalesDown(old, len(fresh)+len(old)-fewest-unready, serve-fewest)
	}
}

// creates launches a machine of the newest machine set.
func (r *gardenerRoll) creates(z *zoneRoll) {
	if _, failure := r.launchIn(z.zone); failure != "" {
		return
	}
	for _, m := range r.machines {
		if m.Managed == nil {
			m.Managed = &world.ManagedMachine{Name: m.Name, Phase: world.PhasePending, Since: r.now, Created: r.now, Deployment: z.name, Priority: world.UsualPriority, Limits: r.Group.Pool.Limits}
		}
	}
}

// givesUp replaces a new machine that has not come in time.
func (r *gardenerRoll) givesUp(m *Machine) {
	if limit := m.Managed.Limits.Creation; limit > 0 && r.now.Sub(m.Managed.Created) >= limit && m.Managed.Phase == world.PhasePending {
		r.tend(m, func(g *world.ManagedMachine) { g.Phase, g.Since, g.Failed = world.PhaseFailed, r.now, true })
		r.deletes(m)
	}
}

// scalesDown ends old machines: those that are not well first, as many as may be missing, then others, as many as
// serve beyond the fewest that have to.
func (r *gardenerRoll) scalesDown(old []*Machine, most, spare int) {
	if most <= 0 {
		return
	}
	for _, m := range old {
		if most > 0 && !r.takesPods(m) {
			r.deletes(m)
			most--
		}
	}
	for _, m := range old {
		if most > 0 && spare > 0 && m.Managed.Deleted.IsZero() {
			r.deletes(m)
			most, spare = most-1, spare-1
		}
	}
}

// selects takes nodes of a pool in place out of service.
func (r *gardenerRoll) selects(old []*Machine, n int) {
	for _, m := range old {
		node := r.Truth.Node(m.Name)
		if n <= 0 {
			return
		}
		if node == nil || node.InPlace().Selected || !node.Ready {
			continue
		}
		r.EditByOthers(m.Name, func(n *world.Node) { n.Labels[SelectedLabel] = "true" })
		n--
	}
}

// deletes begins with the end of a machine: its node is drained.
func (r *gardenerRoll) deletes(m *Machine) {
	r.tend(m, func(g *world.ManagedMachine) {
		g.Phase, g.Since, g.Deleted, g.Operation, g.Description = world.PhaseTerminating, r.now, r.now, "DrainNode/Processing", "Initiate node drain"
	})
	r.EditByOthers(m.Name, func(n *world.Node) { Cordon(n, r.now) })
	r.ends(m)
}

// ends takes the end of a machine further: its pods are evicted, those that budgets refuse again after a while, and in the
// end past these.
func (r *gardenerRoll) ends(m *Machine) {
	if m.Leaving() {
		return
	}
	limits := m.Managed.Limits
	n := r.Truth.Node(m.Name)
	forced := m.Managed.Forced || limits.Drain > 0 && r.now.Sub(m.Managed.Deleted) >= limits.Drain || n != nil && !n.Ready && r.now.Sub(cmp.Or(n.Sick, n.Unreachable, n.Created)) > world.SickFor
	if forced {
		for _, p := range r.toDrain(m.Name) {
			r.Kill(p.UID, new(int64))
		}
	}
	empty := r.emptiesAs(m.Name, true, func(p *Pod) bool {
		due := r.now.Sub(r.asked[p.UID]) >= world.RetryEvery
		if due {
			r.asked[p.UID] = r.now
		}
		return due
	}, func(p *Pod) bool {
		r.retried[p.UID]++
		return limits.EvictRetries > 0 && r.retried[p.UID] > limits.EvictRetries
	})
	if n == nil || empty || forced {
		r.tend(m, func(g *world.ManagedMachine) { g.Description = "Initiate VM deletion" })
		r.EndByOthers(m)
	}
}

// count brings what the machine deployment tells up to date, and reports whether it is complete.
func (r *gardenerRoll) count(z *zoneRoll) bool {
	fresh, serve, total := 0, 0, 0
	for _, m := range r.of(z) {
		total++
		up := r.takesPods(m)
		if up && m.Managed.Phase == world.PhasePending {
			r.tend(m, func(g *world.ManagedMachine) { g.Phase, g.Since = world.PhaseRunning, r.now })
		}
		if m.Managed.Deleted.IsZero() && !r.old(m) {
			fresh++
		}
		if up && m.Managed.Deleted.IsZero() {
			serve++
		}
	}
	if d := r.Group.Pool.Deployment(z.name); d != nil {
		p := *r.Group.Pool
		p.Deployments = slices.Clone(p.Deployments)
		d = p.Deployment(z.name)
		d.Observed, d.Updated, d.Available, d.Total, d.Paused = d.Generation, fresh, serve, total, z.paused
		r.Group.Pool = &p
	}
	return fresh == z.size && total == z.size && serve >= z.size
}
