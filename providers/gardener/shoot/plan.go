package shoot

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/world"
)

// Change is a change of a Shoot.
type Change struct {
	// Old is the Shoot as it is, New as it is to be (Apply, WithKubernetes, WithImage,
	// WithOperation).
	Old, New *Shoot
	// Profile is what is offered, nil if it is not known.
	Profile *Profile
	Now     time.Time
}

// Plan is what a change will do.
type Plan struct {
	Shoot string
	AsOf  time.Time
	// Refused: Gardener's API takes nothing of the change, for the reasons in Refusals.
	Refused  bool
	Refusals []Refusal
	Start    Start
	// Window is the maintenance time window, nil where the Shoot has none that can be read.
	Window *WindowAt
	Pools  []Pool
	// Beside are other fields of the spec that change. They are not judged.
	Beside []string
	Notes  []string
}

// Pool is what a change does to one pool.
type Pool struct {
	Name     string
	Strategy string
	// Effect is the gravest of its causes'. If the change is refused it is what would happen
	// without the refusal of another pool.
	Effect Effect
	Causes []Cause
	Switch *Switch
	// Pending: an update in place is not finished. Forced: it takes changes all the same.
	Pending bool
	Forced  bool
	// Minimum and Maximum are how many nodes the pool may have, Zones over which.
	Minimum int
	Maximum int
	Zones   []string
	// Pace is how the nodes are taken, nil if none is.
	Pace  *Pace
	Notes []string
}

// Cause is a field that changes, and what that does.
type Cause struct {
	Field  string
	Old    string
	New    string
	Effect Effect
	Why    string
	// Rule is set where the effect is Forbidden.
	Rule Rule
	// Seed is what Gardener's document says instead.
	Seed string

	row string // of the table
}

// Start is when a change is rolled out.
type Start struct {
	// When is now, window or never.
	When string
	// Opens and Closes are of the window that is waited for.
	Opens  time.Time
	Closes time.Time
	Why    string
}

// WindowAt is a window with when it is open next, or now.
type WindowAt struct {
	Window
	Open   bool
	Opens  time.Time
	Closes time.Time
}

// Values of Start.When.
const (
	StartNow    = "now"
	StartWindow = "window"
	StartNever  = "never"
)

// Plan works out what the change will do.
func (c Change) Plan() Plan {
	p := Plan{Shoot: c.Old.Ref(), AsOf: c.Now}
	completed := c.complete()
	c, a := c.operate()
	p.Notes = append(completed, a.notes...)
	p.refuse(c.shootRefusals()...)
	p.refuse(a.refusals...)
	for i := range c.New.Spec.Provider.Workers {
		new, _ := c.New.pool(c.New.Spec.Provider.Workers[i].Name)
		old, known := c.Old.pool(new.Name)
		if known {
			p.Pools = append(p.Pools, c.changed(&p, a, old, new))
		} else {
			p.Pools = append(p.Pools, c.added(&p, new))
		}
	}
	for i := range c.Old.Spec.Provider.Workers {
		old, _ := c.Old.pool(c.Old.Spec.Provider.Workers[i].Name)
		if _, still := c.New.pool(old.Name); !still {
			p.Pools = append(p.Pools, removed(old))
		}
	}
	p.renamed(c)
	p.offers(c)
	p.Beside = beside(c.Old.object, c.New.object)
	p.Refused = len(p.Refusals) > 0
	p.window(c)
	p.start(c, a)
	if v, err := versionOf(c.New.Spec.Kubernetes.Version); err == nil && !v.whole && !p.Refused {
		p.Notes = append(p.Notes, fmt.Sprintf("Gardener uses the latest patch version of Kubernetes %s in the CloudProfile", world.Clean(c.New.Spec.Kubernetes.Version)))
	}
	switch was, is := c.Old.Spec.Hibernation.Enabled, c.New.Spec.Hibernation.Enabled; {
	case is && !was:
		p.hibernates()
	case is:
		p.Notes = append(p.Notes, "the Shoot hibernates: it has no nodes now, nodes created at wake-up have the change")
	}
	for _, why := range c.Old.Status.stalls() {
		p.Notes = append(p.Notes, "now "+strings.TrimRight(world.Clean(why), " ."))
	}
	if c.Profile == nil {
		p.Notes = append(p.Notes, "not checked without a CloudProfile: whether it offers the versions, and in-place updates to the machine image")
	}
	return p
}

// hibernates adds to a plan that the Shoot is put to sleep: whatever else changes, all nodes go.
func (p *Plan) hibernates() {
	p.Notes = append(p.Notes, "hibernation: all nodes of all pools go, and nothing runs until the Shoot is woken up: is that meant?")
	for i := range p.Pools {
		pool := &p.Pools[i]
		if pool.Effect == Removed || pool.Effect == Forbidden {
			continue
		}
		pool.Causes = append(pool.Causes, Cause{Field: "spec.hibernation.enabled", Old: "false", New: "true", Effect: Removed, Why: "the Shoot hibernates: all nodes go"})
		pool.Effect = gravest(pool.Causes)
	}
}

// renamed adds to a plan which pools that come look like pools that go under another name.
func (p *Plan) renamed(c Change) {
	for _, was := range c.Old.Spec.Provider.Workers {
		old, _ := c.Old.pool(was.Name)
		if _, still := c.New.pool(was.Name); still {
			continue
		}
		for _, is := range c.New.Spec.Provider.Workers {
			new, _ := c.New.pool(is.Name)
			if _, there := c.Old.pool(is.Name); !there && text(unnamed(old.raw)) == text(unnamed(new.raw)) {
				p.Notes = append(p.Notes, fmt.Sprintf("pool %s differs from pool %s by its name alone, probably a rename: all nodes of %s are drained and go, new ones come", show(is.Name), show(was.Name), show(was.Name)))
			}
		}
	}
}

// unnamed is a pool without its name.
func unnamed(worker map[string]any) any { return less(worker, "name") }

// refuse adds refusals, each once.
func (p *Plan) refuse(list ...Refusal) {
	for _, r := range list {
		if !slices.ContainsFunc(p.Refusals, func(o Refusal) bool {
			return o.Rule == r.Rule && o.Field == r.Field && (o.Why == r.Why || r.Field == fieldVersion)
		}) {
			p.Refusals = append(p.Refusals, r)
		}
	}
}

// sized is a pool with what does not depend on the change.
func sized(v view) Pool {
	p := Pool{Name: world.Clean(v.Name), Strategy: world.Clean(v.UpdateStrategy), Effect: Nothing, Minimum: v.Minimum, Maximum: v.Maximum}
	for _, z := range v.Zones {
		p.Zones = append(p.Zones, world.Clean(z))
	}
	return p
}

func (c Change) changed(p *Plan, a asked, old, new view) Pool {
	pool := sized(new)
	pool.Switch = switched(old.UpdateStrategy, new.UpdateStrategy)
	pool.Pending, pool.Forced = old.pending(), old.pending() && a.forced
	for _, r := range triggers {
		if cause := r.judge(old, new); cause != nil {
			pool.Causes = append(pool.Causes, *cause)
		}
	}
	if slices.Contains(a.rollout, new.Name) {
		pool.Causes = append(pool.Causes, Cause{Field: "metadata.annotations[" + operationKey + "]", New: show(c.New.Metadata.Annotations[operationKey]), Effect: Rolling, Seed: rolloutSeed, row: fieldRollout})
	}
	refusals := c.poolRefusals(&old, new, a.forced)
	for _, r := range a.refusals {
		if r.Pool == pool.Name {
			refusals = append(refusals, r)
		}
	}
	for i := range pool.Causes {
		if cause := &pool.Causes[i]; cause.Effect == Forbidden && cause.Rule == "" && cause.row != fieldDNS { // that is the Shoot's
			refusals = append(refusals, Refusal{Rule: RuleFixed, Pool: pool.Name, Field: cause.Field, Old: cause.Old, New: cause.New, Why: "cannot be changed in a pool with in-place updates"})
		}
	}
	for _, r := range p.Refusals {
		if r.Rule == RuleDNS && old.inPlace() && old.needsDNS() {
			pool.forbid(r)
		}
	}
	for _, r := range refusals {
		pool.forbid(r)
	}
	p.refuse(refusals...)
	pool.Effect = gravest(pool.Causes)
	pool.explain(c, old, new)
	return pool
}

// forbid marks the cause that a refusal is about, or makes one.
func (p *Pool) forbid(r Refusal) {
	for i := range p.Causes {
		if cause := &p.Causes[i]; cause.Field == r.Field {
			cause.Effect, cause.Rule, cause.Why, cause.Seed = Forbidden, r.Rule, r.Why, r.seed()
			return
		}
	}
	p.Causes = append(p.Causes, Cause{Field: r.Field, Old: r.Old, New: r.New, Effect: Forbidden, Rule: r.Rule, Why: r.Why, Seed: r.seed(), row: r.row()})
}

// seed is what Gardener's document says instead, "" if it agrees.
func (r Refusal) seed() string {
	if r.Rule == RuleManualLimits {
		return "sets both in its example"
	}
	return ""
}

// row is the row of the table that a refusal stands in for, "" for none.
func (r Refusal) row() string {
	if r.Rule == RuleRolloutInPlace {
		return fieldRollout
	}
	return ""
}

// judge is what the change of one field does in a pool, nil if it does not change.
func (r row) judge(old, new view) *Cause {
	was, is := r.value(old), r.value(new)
	if was == is || r.speaks != nil && !r.speaks(old, new) {
		return nil
	}
	before, after := apart(was, is)
	cause := &Cause{Field: inPool(r.field, new.Name), Old: show(before), New: show(after), Effect: r.rolling, row: r.field}
	if old.inPlace() {
		cause.Effect = r.inPlace
	}
	if r.seed != "" && (r.against == nil || r.against(old, new)) {
		cause.Seed = r.seed
	}
	switch same := r.key != nil && r.key(old) == r.key(new); {
	case r.field == fieldStrategy:
		s := switched(was, is)
		if cause.Effect, cause.Why = Nothing, s.Why; !s.Allowed {
			cause.Effect, cause.Rule = Forbidden, RuleSwitch
		}
	case r.field == fieldDNS && old.inPlace() && !old.needsDNS(): // the API checks the old Shoot
		cause.Effect, cause.Why = Nothing, r.otherwise
	case r.field == fieldDNS && old.inPlace():
	case r.field == fieldArchitecture: // whether it is refused others know
		cause.Effect, cause.Why = Nothing, r.otherwise
	case same:
		cause.Effect, cause.Why = Nothing, r.otherwise
	case cause.Effect == Nothing:
		cause.Why = r.otherwise
	case cause.Effect == Unknown && r.extension != nil:
		cause.Effect, cause.Why = r.decide(old, new)
	case cause.Effect == Unknown:
		cause.Why = r.when
	case cause.Effect == Forbidden && old.inPlace() && new.inPlace() && old.UpdateStrategy != new.UpdateStrategy:
		cause.Effect = Unknown
		cause.Why, cause.Seed = "Gardener's API does not check it while the update strategy is switched: switch in a separate change", "is forbidden"
	}
	return cause
}

// apart leaves of two maps, as text, what differs. Of other values it is all.
func apart(was, is string) (before, after string) {
	var a, b map[string]any
	if json.Unmarshal([]byte(was), &a) != nil || json.Unmarshal([]byte(is), &b) != nil {
		return was, is
	}
	differ(a, b)
	return text(less(a)), text(less(b))
}

// differ takes out of two maps what is the same in both.
func differ(a, b map[string]any) {
	for key, x := range a {
		y, there := b[key]
		under, one := x.(map[string]any)
		over, two := y.(map[string]any)
		switch {
		case !there:
		case text(x) == text(y):
			delete(a, key)
			delete(b, key)
		case one && two:
			differ(under, over)
		}
	}
}

// gravity orders effects.
var gravity = []Effect{Nothing, Unknown, InPlace, Rolling, Removed, Added, Forbidden}

func gravest(causes []Cause) Effect {
	most := Nothing
	for _, c := range causes {
		if slices.Index(gravity, c.Effect) > slices.Index(gravity, most) {
			most = c.Effect
		}
	}
	return most
}

// explain adds to a pool how its nodes are taken, and what else is to be known.
func (p *Pool) explain(c Change, old, new view) {
	p.pace(old, new)
	if p.Pending && !p.Forced && p.Effect == Nothing {
		p.Notes = append(p.Notes, "an in-place update has not finished")
	}
	if p.Forced && len(p.Causes) > 0 {
		p.Notes = append(p.Notes, "an in-place update has not finished; the change is forced: nodes left by the last update stay until they are repaired")
	}
	for _, r := range []struct {
		rotation
		what string
	}{{c.New.Status.Credentials.Rotation.CertificateAuthorities, "of the CA"}, {c.New.Status.Credentials.Rotation.ServiceAccountKey, "of the service account key"}} {
		if r.pending(new.Name) {
			p.Notes = append(p.Notes, "its nodes are not yet part of the rotation "+r.what+": "+operationKey+"="+opRotateRollout+p.Name)
		}
	}
}

func (c Change) added(p *Plan, v view) Pool {
	pool := sized(v)
	pool.Causes = []Cause{{Field: "spec.provider.workers[" + pool.Name + "]", New: "added", Effect: Added}}
	for _, r := range c.poolRefusals(nil, v, false) {
		pool.forbid(r)
		p.refuse(r)
	}
	if v.inPlace() {
		pool.Notes = append(pool.Notes, "a new pool with in-place updates needs the feature gate InPlaceNodeUpdates of Gardener's API")
	}
	pool.Effect = gravest(pool.Causes)
	return pool
}

func removed(v view) Pool {
	pool := sized(v)
	pool.Effect = Removed
	pool.Causes = []Cause{{Field: "spec.provider.workers[" + pool.Name + "]", New: "removed", Effect: Removed}}
	pool.Pace = &Pace{Timeouts: drainLimits(v)}
	return pool
}

func (p *Plan) window(c Change) {
	was, errWas := c.Old.Window()
	is, errIs := c.New.Window()
	confined := c.Old.Spec.Maintenance.ConfineSpecUpdateRollout
	w, err := is, errIs
	if errWas == nil && confined && was != is {
		w, err = was, nil
		p.Notes = append(p.Notes, "the new maintenance window applies after the next maintenance")
	}
	if err != nil {
		if !errors.Is(err, ErrNoWindow) && errWas == nil {
			w = was
		} else {
			return
		}
	}
	opens, closes, open := w.At(c.Now)
	p.Window = &WindowAt{w, open, opens, closes}
}

// start says when the change is rolled out.
func (p *Plan) start(c Change, a asked) {
	same := text(c.Old.object["spec"]) == text(c.New.object["spec"])
	switch {
	case p.Refused:
		p.Start = Start{When: StartNever, Why: "Gardener's API refuses the change"}
	case same && !a.now:
		p.Start = Start{When: StartNever, Why: "nothing changes"}
	case a.now:
		p.Start = Start{When: StartNow, Why: "the operation starts at once"}
	case !c.New.Spec.Maintenance.ConfineSpecUpdateRollout:
		p.Start = Start{When: StartNow, Why: "spec.maintenance.confineSpecUpdateRollout is off"}
	case c.Old.Spec.Hibernation.Enabled != c.New.Spec.Hibernation.Enabled:
		p.Start = Start{When: StartNow, Why: "hibernation and wake-up are never confined"}
	case p.Window == nil:
		p.Start = Start{When: StartWindow, Why: "spec.maintenance.confineSpecUpdateRollout is on, the window is unknown"}
	default:
		p.Start = Start{When: StartWindow, Opens: p.Window.Opens, Closes: p.Window.Closes, Why: "spec.maintenance.confineSpecUpdateRollout is on"}
		if p.Window.Open {
			p.Notes = append(p.Notes, "the window is open: if Gardener already reconciled the Shoot in it, the change waits for the next one")
		}
	}
	if p.Start.When == StartWindow && p.Window != nil {
		p.Notes = append(p.Notes, "a started roll continues after the window has closed")
	}
	if op := c.New.Metadata.Annotations["maintenance.gardener.cloud/operation"]; op != "" && op != c.Old.Metadata.Annotations["maintenance.gardener.cloud/operation"] {
		p.Notes = append(p.Notes, fmt.Sprintf("operation %q waits for the maintenance window; its effect is not part of this plan", show(op)))
	}
}

// judged are fields of the spec that the table and the rules speak of.
var judged = []string{"spec.provider.workers", fieldVersion, "spec.kubernetes.kubelet", "spec.kubernetes.kubeProxy.mode", "spec.systemComponents.nodeLocalDNS", "spec.region", "spec.provider.type",
	"spec.networking.type", "spec.maintenance.timeWindow", "spec.maintenance.confineSpecUpdateRollout", "spec.hibernation.enabled"}

// beside are the fields of the spec that change and that nothing here speaks of, two levels
// deep.
func beside(old, new map[string]any) []string {
	var out []string
	var walk func(path string, depth int, was, is any)
	walk = func(path string, depth int, was, is any) {
		if text(was) == text(is) || slices.Contains(judged, path) {
			return
		}
		before, a := was.(map[string]any)
		after, b := is.(map[string]any)
		within := slices.ContainsFunc(judged, func(j string) bool { return strings.HasPrefix(j, path+".") })
		if !a && !b || depth == 0 && !within {
			out = append(out, show(path))
			return
		}
		keys := map[string]bool{}
		for k := range before {
			keys[k] = true
		}
		for k := range after {
			keys[k] = true
		}
		for k := range keys {
			walk(path+"."+k, max(depth-1, 0), before[k], after[k])
		}
	}
	walk("spec", 2, old["spec"], new["spec"])
	slices.Sort(out)
	return out
}

// Only is the plan with some of its pools, all if none is named.
func (p Plan) Only(pools []string) Plan {
	if len(pools) > 0 {
		p.Pools = slices.DeleteFunc(slices.Clone(p.Pools), func(pool Pool) bool { return !slices.Contains(pools, pool.Name) })
	}
	return p
}
