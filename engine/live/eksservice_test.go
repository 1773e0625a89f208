package live

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// eksService is EKS and the API server as those meet them who have EKS start updates: an eksWorker that is asked for
// updates and configurations, one at a time, with tokens; evictions, deletions and scales of Deployments.
type eksService struct {
	*eksWorker
	rand    *rand.Rand // of what is around the worker
	broken  func(format string, args ...any)
	updates []*eksRequest // the newest first
	tokens  map[string]string
	config  world.UpdateConfig
	// was is the configuration that users have set last.
	was         world.UpdateConfig
	configuring *eksRequest          // under way
	configFails int                  // one in so many updates of the configuration fails, 0 for none
	before      world.Sizes          // before the latest update
	earlier     map[string]time.Time // nodes that updates before have picked: what leaves them may look like this one's
	lowers      bool                 // a failed update takes its raise back, and its marks
	apps        map[string]*eksApp
}

// eksRequest is an update that EKS has begun.
type eksRequest struct {
	world.ManagedUpdate
	ours bool
	over time.Time // when it ended
	// Of one of the configuration: what it leads to, and when it ends.
	next world.UpdateConfig
	ends time.Time
}

// eksApp is a Deployment.
type eksApp struct {
	replicas int
	ours     bool // Drainboard has set its replicas last
	user     int  // what a user has set last
	holder   string
	recreate bool
}

func newEKSService(seed uint64, start time.Time, seen func(func(*world.World)), broken func(string, ...any)) *eksService {
	k := newEKSWorker(seed, start, seen)
	e := &eksService{eksWorker: k, rand: rand.New(rand.NewPCG(seed, 29)), broken: broken, tokens: map[string]string{}, apps: map[string]*eksApp{}, earlier: map[string]time.Time{}}
	k.window = time.Minute + time.Duration(e.rand.Int64N(int64(3*time.Minute)))
	k.join = min(k.join, 4*time.Minute)
	k.retried = false
	e.config = world.UpdateConfig{MaxUnavailable: fmt.Sprint(1 + e.rand.IntN(2)), Strategy: world.NewFirst}
	if e.rand.IntN(3) == 0 {
		e.config.Strategy = world.OldFirst
	}
	e.was = e.config
	if e.rand.IntN(4) == 0 {
		e.configFails = 2 + e.rand.IntN(2)
	}
	e.lowers = e.rand.IntN(2) == 0
	for _, p := range k.pods {
		if name := p.Labels["app"]; name != "" {
			if e.apps[name] == nil {
				e.apps[name] = &eksApp{}
			}
			e.apps[name].replicas++
		}
	}
	for i := range 1 + e.rand.IntN(2) { // single replicas under a PDB that needs them
		e.single(fmt.Sprint("single", i))
	}
	for _, a := range e.apps {
		a.user = a.replicas
	}
	k.count()
	return e
}

func (e *eksService) single(name string) {
	a := &eksApp{replicas: 1}
	switch e.rand.IntN(8) {
	case 0:
		a.holder = "Argo CD"
	case 1:
		a.recreate = true
	}
	e.apps[name] = a
	e.place(name, true)
	e.budgets = append(e.budgets, &world.Budget{Namespace: "shop", Name: name, Expression: "minAvailable 1", Desired: 1, Expected: 1, Selector: labels.SelectorFromSet(labels.Set{"app": name})})
}

// advance takes everything one tick further.
func (e *eksService) advance() {
	before := e.status
	e.eksWorker.advance()
	if u := e.latest(); u != nil && u.Status == world.UpdateRuns && e.status != before && e.status != world.UpdateRuns {
		e.close(u)
	}
	if c := e.configuring; c != nil && !e.now.Before(c.ends) {
		c.Status, e.configuring = world.UpdateSucceeded, nil
		if e.configFails > 0 && e.rand.IntN(e.configFails) == 0 {
			c.Status = world.UpdateFailed
			c.Errors = []world.ManagedIssue{{Code: "Unknown", Message: "in EKS's words"}}
		} else {
			if e.config = c.next; !c.ours {
				e.was = c.next
			}
		}
		c.over = e.now
	}
	for _, name := range slices.Sorted(maps.Keys(e.apps)) {
		e.reconcile(name, e.apps[name])
	}
	e.count()
}

// close ends an update of the nodes as the worker has ended it.
func (e *eksService) close(u *eksRequest) {
	u.Status, u.Errors, u.over = e.status, e.errors, e.now
	if u.Status == world.UpdateSucceeded {
		return
	}
	if !e.lowers {
		return
	}
	e.desired, e.most = e.before.Desired, e.before.Max
	for _, m := range e.machines {
		if m.marked && m.node != nil && !m.Leaving() {
			m.marked = false
			e.show(m, func(n *world.Node) {
				n.Taints = slices.DeleteFunc(n.Taints, func(t world.Taint) bool { return t.Key == eksGroupLabel })
				n.Unschedulable, n.Tainted = false, nil
				delete(n.Labels, eksExclude)
			})
		}
	}
}

// reconcile is what the Deployment and its ReplicaSet do.
func (e *eksService) reconcile(name string, a *eksApp) {
	var there []*world.Pod
	for _, p := range e.pods {
		if p.Labels["app"] == name && !p.Terminating() {
			there = append(there, p)
		}
	}
	for n := len(there); n < a.replicas; n++ {
		e.place(name, false)
	}
	slices.SortStableFunc(there, func(x, y *world.Pod) int { // those that are not Ready go first, then the younger ones
		if x.Ready != y.Ready {
			return map[bool]int{true: 1, false: -1}[x.Ready]
		}
		return y.Created.Compare(x.Created)
	})
	for i := range len(there) - a.replicas {
		p := there[i]
		e.edit(p.UID, func(p *world.Pod) { p.Ends = e.now.Add(p.Grace) })
		e.after(time.Second, func() { e.gone(p.UID) })
	}
	for i, b := range e.budgets {
		if b.Name == name && b.Expected != a.replicas {
			next := *b
			next.Expected, next.Current = a.replicas, false
			e.budgets[i] = &next
		}
	}
}

// latest is the latest update of the nodes, nil for none.
func (e *eksService) latest() *eksRequest {
	for _, u := range e.updates {
		if u.Kind == world.VersionUpdate {
			return u
		}
	}
	return nil
}

// busy is the update that is under way, nil for none.
func (e *eksService) busy() *eksRequest {
	for _, u := range e.updates {
		if u.Status == world.UpdateRuns {
			return u
		}
	}
	return nil
}

// underWay says what is under way.
func (e *eksService) underWay() string {
	u := e.busy()
	if u == nil {
		return "nothing"
	}
	return fmt.Sprintf("%s %s to %s%s, ours: %v", u.Kind, u.ID, u.Release, u.Config, u.ours)
}

func (e *eksService) request(kind string, ours bool) *eksRequest {
	e.numbers++
	u := &eksRequest{ManagedUpdate: world.ManagedUpdate{ID: fmt.Sprint("u-", e.numbers), Kind: kind, Status: world.UpdateRuns, Since: e.now}, ours: ours}
	e.updates = append([]*eksRequest{u}, e.updates...)
	return u
}

func refusedWith(why record.Refusal, message string) record.Outcome {
	return record.Outcome{Verdict: record.Refused, Refusal: why, Message: message}
}

var accepted = record.Outcome{Verdict: record.Done}

// start begins an update of the nodes.
func (e *eksService) start(token string, r record.UpdateRequest, ours bool) record.Outcome {
	if id := e.tokens[token]; id != "" {
		return record.Outcome{Verdict: record.Done, Update: id}
	}
	if e.busy() != nil {
		return refusedWith(record.RefusedConflict, "ResourceInUseException: Nodegroup web cannot be updated as it is currently not in Active State")
	}
	u := e.request(world.VersionUpdate, ours)
	u.Release, u.Version = r.Release, r.Kubernetes
	if u.Release == "" {
		u.Release = "1.32.1-9"
	}
	e.tokens[token] = u.ID
	if e.endStep != nil {
		e.endStep()
	}
	e.errors, e.phases = nil, nil
	maps.Copy(e.earlier, e.picked)
	e.picked, e.olds = map[string]time.Time{}, map[string]time.Time{}
	e.force, e.minimal, e.settle = r.Force, e.config.Strategy == world.OldFirst, time.Minute
	if e.minimal {
		e.settle = 0
	}
	fmt.Sscan(e.config.MaxUnavailable, &e.atOnce)
	e.before = world.Sizes{Desired: e.desired, Max: e.most}
	e.begin()
	return record.Outcome{Verdict: record.Done, Update: u.ID}
}

// configure begins an update of the configuration.
func (e *eksService) configure(token string, from *world.UpdateConfig, to world.UpdateConfig, ours bool) record.Outcome {
	if from != nil && e.config != *from {
		return refusedWith(record.RefusedConflict, "the update configuration is "+e.config.String())
	}
	if id := e.tokens[token]; id != "" {
		return record.Outcome{Verdict: record.Done, Update: id}
	}
	if e.busy() != nil {
		return refusedWith(record.RefusedConflict, "ResourceInUseException")
	}
	u := e.request("ConfigUpdate", ours)
	u.Config, u.next, u.ends = to, to.Over(e.config), e.now.Add(time.Duration(e.rand.Int64N(int64(20*time.Second))))
	e.tokens[token], e.configuring = u.ID, u
	return record.Outcome{Verdict: record.Done, Update: u.ID}
}

// newer is the first update of a kind after another one, nil for none.
func (e *eksService) newer(kind, last string, is func(*eksRequest) bool) (found *eksRequest) {
	for _, u := range e.updates {
		if u.ID == last {
			break
		}
		if u.Kind == kind && is(u) {
			found = u
		}
	}
	return found
}

// carryOut does what Drainboard asks for.
func (e *eksService) carryOut(a record.Action) record.Outcome {
	p := e.pod(a.UID)
	switch a.Kind {
	case record.StartUpdate:
		return e.start(a.Token, *a.Update, true)
	case record.SetUpdateConfig:
		return e.configure(a.Token, a.FromConfig, a.Update.Config, true)
	case record.CheckEffect:
		return e.looksUp(*a.Of)
	case record.LookAtOwner:
		if p == nil {
			return refusedWith(record.RefusedGone, "not found")
		}
		app := e.apps[p.Labels["app"]]
		o := accepted
		o.Deployment = &world.Deployment{Name: p.Labels["app"], UID: "d-" + p.Labels["app"], Replicas: app.replicas, Recreate: app.recreate, Holder: app.holder}
		return o
	case record.Scale:
		return e.scaleTo(a)
	case record.Evict:
		switch {
		case p == nil:
			return refusedWith(record.RefusedGone, "not found")
		case p.Terminating():
			return accepted
		case e.held(p):
			return refusedWith(record.RefusedBudget, "Cannot evict pod as it would violate the pod's disruption budget.")
		}
		e.goes(p, true)
		e.moved = e.now
		return accepted
	case record.Delete:
		switch {
		case p == nil:
			return refusedWith(record.RefusedGone, "not found")
		case !p.Terminating():
			e.goes(p, false)
		case a.Grace != nil:
			e.gone(p.UID)
		}
		e.moved = e.now
		return accepted
	}
	e.broken("it asks for %s, which is EKS's to do: %+v", a.Kind, a)
	return refusedWith(record.RefusedInvalid, "no")
}

func (e *eksService) scaleTo(a record.Action) record.Outcome {
	app := e.apps[a.Object]
	if app == nil || a.UID != "d-"+a.Object {
		return refusedWith(record.RefusedGone, "not found")
	}
	switch {
	case app.replicas == max(a.Replicas, a.FromReplicas) && !app.ours:
		return refusedWith(record.RefusedConflict, "another user has set them")
	case app.replicas == a.Replicas:
		return accepted
	case app.replicas != a.FromReplicas:
		return refusedWith(record.RefusedConflict, "it has others")
	}
	app.replicas, app.ours = a.Replicas, true
	e.reconcile(a.Object, app)
	e.count()
	return accepted
}

// goesTo reports whether an update goes where a request asks for. It compares by itself, not as the run does; the
// number of "$Latest" is not known.
func goesTo(u *eksRequest, asked *record.UpdateRequest) bool {
	for _, where := range [][2]string{{asked.Kubernetes, u.Version}, {asked.Release, u.Release}, {asked.TemplateVersion, u.TemplateVersion}} {
		if named := where[0] != "" && where[0][0] != '$'; named && where[1] != "" && where[0] != where[1] {
			return false
		}
	}
	return true
}

// looksUp answers a direct read: did a request happen?
func (e *eksService) looksUp(of record.Action) record.Outcome {
	o := accepted
	switch p := e.pod(of.UID); of.Kind {
	case record.StartUpdate:
		if u := e.newer(world.VersionUpdate, of.Last, func(u *eksRequest) bool { return goesTo(u, of.Update) }); u != nil {
			o.Happened, o.Update = true, u.ID
		}
	case record.SetUpdateConfig:
		if u := e.newer("ConfigUpdate", of.Last, func(u *eksRequest) bool { return u.Config == of.Update.Config }); u != nil {
			o.Happened, o.Update = true, u.ID
		}
	case record.Scale:
		app := e.apps[of.Object]
		o.Happened = app.replicas == of.Replicas && (app.ours || of.Replicas < of.FromReplicas)
	case record.Evict:
		o.Happened = p == nil || p.Terminating()
	case record.Delete:
		o.Happened = p == nil || p.Terminating() && of.Grace == nil
	}
	return o
}
