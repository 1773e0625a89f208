package gardener

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/drainboard/drainboard/engine/assess/blockers"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/strategy"
	spans "github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/gardener/names"
	theShoot "github.com/drainboard/drainboard/providers/gardener/shoot"
)

// scene is the pool web as its control cluster, its Shoot and its own cluster have it, one
// line an object, and as those see it who may read one of them only.
type scene struct {
	objects map[string]map[string]any // of the control cluster, by kind and name
	order   []string
	shoot   map[string]any
	info    *shootInfo
	nodes   map[string]*world.Node
	views   map[string]*viewpoint
	seen    map[string]bool // countdowns
}

// viewpoint is what is seen from one side, and what was seen last.
type viewpoint struct {
	world *world.World
	run   record.Run
	last  *snapshot.Snapshot
}

// The sides, as the scenarios name them, with what they say.
var sides = []struct{ name, says string }{{"control", "with the control cluster"}, {"shoot", "with the Shoot"}, {"nodes", "from the nodes alone"}}

func newScene() *scene {
	s := &scene{objects: map[string]map[string]any{}, nodes: map[string]*world.Node{}, views: map[string]*viewpoint{}, seen: map[string]bool{}}
	for _, side := range sides {
		s.views[side.name] = &viewpoint{world: world.New()}
	}
	return s
}

// words splits a line at its spaces, but for those within quotes.
func words(line string) (out []string) {
	quoted, word := false, strings.Builder{}
	for _, r := range line + " " {
		switch {
		case r == '"':
			quoted = !quoted
		case r == ' ' && !quoted:
			if word.Len() > 0 {
				out = append(out, word.String())
			}
			word.Reset()
		default:
			word.WriteRune(r)
		}
	}
	return out
}

// given takes lines in: a kind, a name, and what it has.
func (s *scene) given(text string) error {
	for line := range strings.Lines(text) {
		w := words(strings.TrimSpace(line))
		if len(w) == 0 {
			continue
		}
		do := map[string]func(string, fields) error{
			"shoot": s.giveShoot, "info": s.giveInfo, "deployment": s.giveDeployment, "machine": s.giveMachine,
			"node": s.giveNode, "pod": s.givePod, "budget": s.giveBudget, "gone": s.gone,
		}[w[0]]
		if do == nil || len(w) < 2 {
			return fmt.Errorf("what is %q", line)
		}
		f := fields{}
		for _, word := range w[2:] {
			key, value, _ := strings.Cut(word, "=")
			f[key] = value
		}
		if err := do(w[1], f); err != nil {
			return fmt.Errorf("%s: %w", strings.TrimSpace(line), err)
		}
		for key := range f {
			return fmt.Errorf("%s: what is %s", strings.TrimSpace(line), key)
		}
	}
	return nil
}

// fields are what an object has; each is taken once.
type fields map[string]string

func (f fields) take(key string) string {
	v := f[key]
	delete(f, key)
	return v
}

func (f fields) has(key string) bool {
	_, has := f[key]
	delete(f, key)
	return has
}

func (f fields) number(key string) int64 {
	n, _ := strconv.ParseInt(f.take(key), 10, 64)
	return n
}

// clock is a time of the scenarios' day, zero for "".
func clock(hhmm string) time.Time {
	if hhmm == "" {
		return time.Time{}
	}
	for _, form := range []string{"15:04", "15:04:05"} {
		if t, err := time.Parse(form, hhmm); err == nil {
			return noon.Truncate(24 * time.Hour).Add(time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute + time.Duration(t.Second())*time.Second)
		}
	}
	panic("no time: " + hhmm)
}

// stamp is such a time as the API has it, "" for none.
func stamp(hhmm string) string {
	if hhmm == "" {
		return ""
	}
	return clock(hhmm).Format(time.RFC3339)
}

// put puts a value into an object, unless it is "".
func put(o map[string]any, value any, path ...string) {
	if value != "" && value != int64(0) && value != false {
		_ = unstructured.SetNestedField(o, value, path...)
	}
}

func (s *scene) giveShoot(name string, f fields) error {
	worker := map[string]any{"name": "web", "minimum": int64(1), "maximum": int64(6), "machineControllerManager": map[string]any{}}
	put(worker, f.take("update"), "updateStrategy")
	put(worker, f.take("surge"), "maxSurge")
	put(worker, f.take("unavailable"), "maxUnavailable")
	for key, path := range map[string]string{"drain": "machineDrainTimeout", "health": "machineHealthTimeout", "creation": "machineCreationTimeout", "inplace": "inPlaceUpdateTimeout"} {
		put(worker, f.take(key), "machineControllerManager", path)
	}
	put(worker, f.number("retries"), "machineControllerManager", "maxEvictRetries")
	var zones []any
	for _, z := range strings.Split(cmp.Or(f.take("zones"), "a"), ",") {
		zones = append(zones, z)
	}
	worker["zones"] = zones
	s.shoot = map[string]any{"apiVersion": "core.gardener.cloud/v1beta1", "kind": "Shoot", "metadata": map[string]any{"name": name, "namespace": "garden-dev"}, "spec": map[string]any{"kubernetes": map[string]any{"version": "1.33.1"}, "provider": map[string]any{"workers": []any{worker}}}}
	if begin, end, both := strings.Cut(f.take("window"), ","); both {
		put(s.shoot, begin, "spec", "maintenance", "timeWindow", "begin")
		put(s.shoot, end, "spec", "maintenance", "timeWindow", "end")
	}
	return unknown("core.Shoot", s.shoot)
}

func (s *scene) giveInfo(name string, f fields) error {
	if why := f.take("unread"); why != "" {
		s.info = &shootInfo{is: world.ShootInfo{Unread: why}}
		return nil
	}
	begin, end, _ := strings.Cut(f.take("window"), ",")
	window, err := theShoot.WindowOf(begin, end)
	s.info = &shootInfo{is: world.ShootInfo{Name: name, Project: "dev", Version: "1.33.1"}, window: &window}
	return err
}

// unknown says which name of an object Gardener's API does not have.
func unknown(kind string, o map[string]any) error {
	if list := names.Kind(kind).Unknown(o); len(list) > 0 || !names.Kind(kind).Known() {
		return fmt.Errorf("%s has no %q", kind, list)
	}
	return nil
}

// kinds are those of the control cluster, by their names in scenarios.
var kinds = map[string]string{"deployment": "machine.MachineDeployment", "set": "machine.MachineSet", "machine": "machine.Machine"}

func (s *scene) keep(kind, name string, o map[string]any) error {
	key := kind + " " + name
	if s.objects[key] == nil {
		s.order = append(s.order, key)
	}
	s.objects[key] = o
	return unknown(kinds[kind], o)
}

func (s *scene) giveDeployment(name string, f fields) error {
	o := map[string]any{"metadata": map[string]any{"name": "web-" + name, "labels": map[string]any{world.GardenerPool: "web"}}}
	put(o, f.number("desired"), "spec", "replicas")
	put(o, f.has("paused"), "spec", "paused")
	if f.has("frozen") {
		put(o, "True", "metadata", "labels", "freeze")
	}
	kind, block := "RollingUpdate", "rollingUpdate"
	if update := f.take("update"); world.InPlace(update) {
		kind, block = "InPlaceUpdate", "inPlaceUpdate"
		if update == world.ManualInPlaceUpdate {
			put(o, "Manual", "spec", "strategy", block, "orchestrationType")
		}
	}
	put(o, kind, "spec", "strategy", "type")
	put(o, cmp.Or(f.take("surge"), "1"), "spec", "strategy", block, "maxSurge")
	put(o, cmp.Or(f.take("unavailable"), "0"), "spec", "strategy", block, "maxUnavailable")
	put(o, cmp.Or(f.take("zone"), "a"), "spec", "template", "spec", "nodeTemplate", "metadata", "labels", "topology.kubernetes.io/zone")
	for key, path := range map[string]string{"updated": "updatedReplicas", "available": "availableReplicas", "total": "replicas"} {
		put(o, f.number(key), "status", path)
	}
	if failed, why, is := strings.Cut(f.take("failed"), ": "); is {
		_ = unstructured.SetNestedSlice(o, []any{map[string]any{"name": failed, "lastOperation": map[string]any{"description": why}}}, "status", "failedMachines")
	}
	if why := f.take("progress"); why != "" {
		_ = unstructured.SetNestedSlice(o, []any{map[string]any{"type": "Progressing", "reason": why}}, "status", "conditions")
	}
	if err := s.keep("deployment", name, o); err != nil {
		return err
	}
	for i, age := range []string{"old", "new"} {
		if err := s.keep("set", name+"-"+age, map[string]any{"metadata": map[string]any{
			"name": "web-" + name + "-" + age, "annotations": map[string]any{revision: strconv.Itoa(i + 1)},
			"ownerReferences": []any{map[string]any{"apiVersion": "v1", "kind": "MachineDeployment", "name": "web-" + name, "uid": "u"}},
		}}); err != nil {
			return err
		}
	}
	return nil
}

func (s *scene) giveMachine(name string, f fields) error {
	of, age := cmp.Or(f.take("of"), "z1"), "old"
	if f.has("new") {
		age = "new"
	}
	o := map[string]any{"metadata": map[string]any{
		"name": name, "labels": map[string]any{"name": "web-" + of},
		"ownerReferences": []any{map[string]any{"apiVersion": "v1", "kind": "MachineSet", "name": "web-" + of + "-" + age, "uid": "u"}},
	}}
	put(o, cmp.Or(stamp(f.take("made")), stamp("11:00")), "metadata", "creationTimestamp")
	put(o, stamp(f.take("deleted")), "metadata", "deletionTimestamp")
	put(o, f.take("node"), "metadata", "labels", "node")
	for _, label := range []string{world.ForceDeletion, forceDrain} {
		if f.has(label) {
			put(o, "True", "metadata", "labels", label)
		}
	}
	put(o, f.take("priority"), "metadata", "annotations", world.MachinePriority)
	put(o, f.take("effective-creation-timeout"), "metadata", "annotations", "machine.sapcloud.io"+effectiveCreation)
	for key, path := range map[string]string{"drain": "drainTimeout", "health": "healthTimeout", "creation": "creationTimeout", "inplace": "inPlaceUpdateTimeout"} {
		put(o, f.take(key), "spec", path)
	}
	put(o, f.number("retries"), "spec", "maxEvictRetries")
	put(o, f.has("no-health"), "spec", "disableHealthTimeout")
	put(o, f.take("phase"), "status", "currentStatus", "phase")
	put(o, stamp(f.take("since")), "status", "currentStatus", "lastUpdateTime")
	put(o, stamp(f.take("preserved")), "status", "currentStatus", "preserveExpiryTime")
	put(o, f.take("says"), "status", "lastOperation", "description")
	var conditions []any
	if at := stamp(f.take("not-ready")); at != "" {
		conditions = append(conditions, map[string]any{"type": "Ready", "status": "False", "lastTransitionTime": at})
	}
	if at := stamp(f.take("read-only")); at != "" {
		conditions = append(conditions, map[string]any{"type": "ReadonlyFilesystem", "status": "True", "lastTransitionTime": at})
	}
	_ = unstructured.SetNestedSlice(o, conditions, "status", "conditions")
	put(o, f.take("state"), "status", "lastOperation", "state")
	return s.keep("machine", name, o)
}

func (s *scene) giveNode(name string, f fields) error {
	n := &world.Node{Name: name, Machine: f.take("machine"), Zone: cmp.Or(f.take("zone"), "a"), Version: "v1.32.4", Ready: true, Created: noon.Add(-time.Hour), Labels: map[string]string{world.GardenerPool: "web"}, Annotations: map[string]string{}}
	if f.has("new") {
		n.Version = "v1.33.1"
	}
	if at := clock(f.take("joined")); !at.IsZero() {
		n.Created = at
	}
	if f.has("old") {
		n.Taints = []world.Taint{{Key: world.GardenerTaint, Value: "True", Effect: "PreferNoSchedule"}}
	}
	if n.Unschedulable = f.has("cordoned"); n.Unschedulable {
		n.Tainted = map[string]time.Time{"node.kubernetes.io/unschedulable": noon}
	}
	if at := clock(f.take("not-ready")); !at.IsZero() {
		n.Ready, n.Sick, n.Trouble = false, at, "not ready: KubeletNotReady"
	}
	for _, kind := range []string{"Terminating", world.GardenerInPlace, "ReadonlyFilesystem", "DiskPressure"} {
		if value := f.take(kind); value != "" {
			reason, at, _ := strings.Cut(value, "@")
			n.Conditions = append(n.Conditions, world.Condition{Type: kind, Reason: reason, On: true, Since: clock(at)})
			if world.HealthCondition(kind) {
				n.Trouble = kind + ": " + reason
			}
			if kind == "ReadonlyFilesystem" {
				n.Sick = clock(at)
			}
		}
	}
	n.Preserved = clock(f.take("preserved"))
	const prefix = "node.machine.sapcloud.io/"
	for _, label := range []string{"candidate-for-update", "selected-for-update"} {
		if f.has(label) {
			n.Labels[prefix+label] = "true"
		}
	}
	if result := f.take("update-result"); result != "" {
		n.Labels[prefix+"update-result"] = result
	}
	if why := f.take("why"); why != "" {
		n.Annotations[prefix+"update-failed-reason"] = why
	}
	for _, v := range s.views {
		v.world.SetNode(n)
	}
	return nil
}

func (s *scene) givePod(name string, f fields) error {
	p := &world.Pod{
		UID: name, Namespace: "shop", Name: name, Node: f.take("on"), Phase: world.PodRunning, Ready: true, Grace: 30 * time.Second,
		Owner: world.Owner{Kind: "ReplicaSet", Name: name, UID: name + "-rs"}, Labels: map[string]string{"app": name}, Volume: f.has("volume"), Ends: clock(f.take("ends")),
	}
	for _, v := range s.views {
		v.world.SetPod(p)
	}
	return nil
}

func (s *scene) giveBudget(name string, f fields) error {
	selector, err := labels.Parse("app=" + name)
	desired := int(f.number("desired"))
	b := &world.Budget{
		Namespace: "shop", Name: name, Selector: selector, Expression: fmt.Sprint("minAvailable ", desired), Current: true,
		Allowed: int(f.number("allows")), Healthy: int(f.number("healthy")), Desired: desired, Expected: int(f.number("of")),
	}
	for _, v := range s.views {
		v.world.SetBudget(b)
	}
	return err
}

func (s *scene) gone(kind string, f fields) error {
	name := f.take("name")
	delete(s.objects, kind+" "+name)
	for _, v := range s.views {
		switch kind {
		case "node":
			v.world.DeleteNode(name)
		case "pod":
			v.world.DeletePod(name)
		}
	}
	return nil
}

// look is what is seen from a side at a time; all adds what is known of the pool as a whole.
func (s *scene) look(side string, now time.Time, all bool) string {
	v := s.views[side]
	f := (*Client)(nil).Feed("web", FeedOptions{Now: func() time.Time { return now }})
	f.info = s.info
	switch {
	case side == "control":
		f.control.used = true
		for _, key := range s.order {
			o := s.objects[key]
			if o == nil {
				continue
			}
			u := &unstructured.Unstructured{Object: o}
			switch kind, _, _ := strings.Cut(key, " "); kind {
			case "deployment":
				f.deployments = append(f.deployments, toDeployment(u))
			case "set":
				f.sets = append(f.sets, toSet(u))
			case "machine":
				f.machines = append(f.machines, toMachine(u))
			}
		}
	case side == "shoot" && s.shoot != nil:
		f.shoots, f.info = []*found{toShoot(&unstructured.Unstructured{Object: s.shoot})}, nil
	}
	v.world.SetHealth(world.Cluster, world.Health{Fresh: now})
	v.world.SetHealth(world.Cloud, world.Health{Fresh: now})
	group, members := f.picture(v.world)
	v.world.SetGroup(group)
	v.world.SetMachines(members)
	v.run = snapshot.Idle(strategy.Gardener{}, now, v.world, v.run, nil)
	v.last = snapshot.View(strategy.Gardener{}, now, v.world, v.run, snapshot.Look{}, v.last)
	return s.tell(v.last, all)
}

// tell writes what is seen: a line for each machine, what it waits for, and what that rests on.
func (s *scene) tell(v *snapshot.Snapshot, all bool) string {
	var out strings.Builder
	for _, z := range v.Zones {
		for _, r := range z.Rows {
			fmt.Fprintf(&out, "  %s: %s", cmp.Or(r.Name, r.ID), r.Stage)
			if r.Pods > 0 {
				fmt.Fprintf(&out, " %d/%d", r.PodsLeft, r.Pods)
			}
			if r.Note != "" {
				fmt.Fprintf(&out, ", %s", r.Note)
			}
			out.WriteString("\n" + s.wait(r.Wait, v.At, "    "))
		}
	}
	for _, b := range v.Blockers {
		fmt.Fprintf(&out, "  %s is held: %s\n    way out: %s\n", b.Pod, b.Detail, b.WayOut)
		if b.Deadline != nil && b.Deadline.For == blockers.UntilPodForced {
			out.WriteString(s.wait(b.Deadline, v.At, "    "))
		}
	}
	if all {
		s.tellPool(&out, v)
	}
	return out.String()
}

// wait is a countdown in a line, with ~ before an estimate.
func (s *scene) wait(w *record.Wait, now time.Time, indent string) string {
	if w == nil {
		return ""
	}
	s.seen[w.For] = true
	about := ""
	if w.Guess {
		about = "~"
	}
	return fmt.Sprintf("%s%s in %s%s: %s\n", indent, w.For, about, spans.Span(w.End.Sub(now)), w.Basis)
}

func (s *scene) tellPool(out *strings.Builder, v *snapshot.Snapshot) {
	p := v.Pool
	fmt.Fprintf(out, "  pool: %s, limits %s\n", p.Strategy(), p.LimitsText())
	for _, z := range p.Zones {
		fmt.Fprintf(out, "  zone %s: %d updated, %d available, %d in all", z.Name, z.Updated, z.Available, z.Total)
		for _, part := range []struct {
			is   bool
			text string
		}{{z.AtOnce() != "", z.AtOnce()}, {z.Paused, "paused"}, {z.Frozen, "frozen"}, {z.Progress != "", z.Progress}} {
			if part.is {
				out.WriteString("; " + part.text)
			}
		}
		out.WriteString("\n")
	}
	if text := p.InPlaceText(); text != "" {
		out.WriteString("  in place: " + text + "\n")
	}
	if !p.Closes.IsZero() {
		s.seen["window closes"] = true
		fmt.Fprintf(out, "  window closes in %s: %s\n", spans.Span(p.Closes.Sub(v.At)), p.Window(v.At))
	}
	for _, text := range p.Failed {
		out.WriteString("  failed: " + text + "\n")
	}
	for _, text := range p.Unknown {
		out.WriteString("  not known: " + text + "\n")
	}
}
