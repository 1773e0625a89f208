package gardener

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/drainboard/drainboard/lab/try"
)

// A gardenlet stands in for Gardener's gardenlet and worker extension: it makes the
// machine deployments of a Shoot as its spec says, whichever tool changes that, and keeps its
// status. What a change does to a pool is decided by a hash of what Gardener's hash covers.
type gardenlet struct {
	shoot  *Shoot
	events chan struct{} // at most one: something happened

	due        bool                   // a reconciliation is begun, and not all is deployed
	generation int64                  // of the Shoot that the machine deployments are made after
	kept       int64                  // a later one, which waits for the maintenance time window
	began      time.Time              // of the reconciliation
	preparing  int64                  // the generation whose control plane is seen to, or was last
	prepared   time.Time              // when that was begun
	operation  string                 // its type
	hashes     map[string]string      // by pool: of what is wanted
	settled    map[string]string      // by pool: of what all its machines were last
	rollouts   map[string]metav1.Time // by pool: when it was asked to be rolled as it is, until it is
	wrote      string                 // the status that was written last, without times
}

func newGardenlet(s *Shoot) *gardenlet {
	return &gardenlet{shoot: s, events: make(chan struct{}, 1), hashes: map[string]string{}, settled: map[string]string{}, rollouts: map[string]metav1.Time{}}
}

// run works until the context ends.
func (g *gardenlet) run(ctx context.Context) {
	s := g.shoot
	one := metav1.ListOptions{FieldSelector: "metadata.name=" + s.Name}
	go follow(ctx, g.happened, func() (watch.Interface, error) { return s.shoots.Watch(ctx, one) })
	go follow(ctx, g.happened, func() (watch.Interface, error) {
		return s.machines.MachineDeployments(s.ControlNamespace).Watch(ctx, metav1.ListOptions{})
	})
	tick := time.NewTicker(10 * time.Second) // of what waiting changes
	defer tick.Stop()
	for {
		if err := g.look(ctx); err != nil && ctx.Err() == nil {
			s.host.Log("gardenlet of %s: %v", s.Name, err)
			if !try.Sleep(ctx, 500*time.Millisecond) {
				return
			}
			g.happened()
		}
		select {
		case <-ctx.Done():
			return
		case <-g.events:
		case <-tick.C:
		}
	}
}

// happened has it look at the Shoot again.
func (g *gardenlet) happened() {
	select {
	case g.events <- struct{}{}:
	default:
	}
}

// follow calls happened for each event of a watch, and when it begins, until the context
// ends. Watches that break are begun again.
func follow(ctx context.Context, happened func(), begin func() (watch.Interface, error)) {
	for ctx.Err() == nil {
		w, err := begin()
		if err != nil {
			if !try.Sleep(ctx, 500*time.Millisecond) {
				return
			}
			continue
		}
		happened()
		for range w.ResultChan() {
			happened()
		}
		try.Sleep(ctx, 100*time.Millisecond)
	}
}

// Operations that a Shoot's annotation asks for. The others only have it reconciled.
const (
	rolloutWorkers = "rollout-workers="
	// forceUpdate has the API server take changes of pools that are pending. It stays until
	// none is.
	forceUpdate = "force-in-place-update"
)

// look reconciles the Shoot if it changed or that was asked for, and brings its status
// up to date.
func (g *gardenlet) look(ctx context.Context) error {
	if g.shoot.away.Load() {
		return nil
	}
	shoot, err := g.shoot.read(ctx)
	if err != nil {
		return err
	}
	asked := shoot.Annotations[operationKey]
	if asked != "" && asked != forceUpdate {
		if err := g.take(ctx, shoot, asked); err != nil {
			return err
		}
	}
	if g.confines(shoot) {
		g.kept = shoot.Generation
	} else if g.due || g.generation != shoot.Generation {
		if busy, err := g.prepare(ctx, shoot); busy || err != nil {
			return err
		}
		if err := g.reconcile(ctx, shoot); err != nil {
			return err
		}
	}
	return g.report(ctx, shoot)
}

// confines reports whether what has changed of the Shoot waits for the maintenance time window.
func (g *gardenlet) confines(shoot *shootObject) bool {
	return shoot.Spec.Maintenance.Confine && !g.shoot.window.Load() && g.generation != 0 && !g.due
}

// prepare begins a reconciliation with the control plane (see Shoot.PrepareFor). It reports
// whether that is under way.
func (g *gardenlet) prepare(ctx context.Context, shoot *shootObject) (busy bool, err error) {
	took := time.Duration(g.shoot.prepares.Load())
	if took == 0 || g.generation == 0 {
		return false, nil
	}
	if g.preparing != shoot.Generation {
		g.preparing, g.prepared = shoot.Generation, time.Now()
	}
	left := took - time.Since(g.prepared)
	if left <= 0 {
		return false, nil
	}
	time.AfterFunc(left, g.happened)
	status := shoot.Status
	status.ObservedGeneration = shoot.Generation
	status.LastOperation = &shootOperation{Type: "Reconcile", State: "Processing", Description: "Waiting until control plane has been reconciled", Progress: 10}
	return true, g.write(ctx, shoot, status)
}

// take takes an operation that is asked for off the Shoot.
func (g *gardenlet) take(ctx context.Context, shoot *shootObject, asked string) error {
	if err := g.shoot.patch(ctx, map[string]any{"metadata": map[string]any{"annotations": map[string]any{operationKey: nil}}}); err != nil {
		return err
	}
	g.due = g.due || asked != forceUpdate
	if pools, rolls := strings.CutPrefix(asked, rolloutWorkers); rolls {
		for _, w := range shoot.Spec.Provider.Workers {
			if pools == "*" || slices.Contains(strings.Split(pools, ","), w.Name) {
				g.rollouts[w.Name] = metav1.Now()
			}
		}
	}
	return nil
}

// reconcile makes secrets, machine classes and machine deployments as the Shoot says.
func (g *gardenlet) reconcile(ctx context.Context, shoot *shootObject) error {
	g.due = true
	hashes, images := map[string]string{}, map[string]nodeImage{}
	for _, w := range shoot.Spec.Provider.Workers {
		p := planned{shoot: g.shoot, object: shoot, worker: w, rollout: g.rollouts[w.Name]}
		for zone := range w.Zones {
			if err := p.deploy(ctx, zone); err != nil {
				return fmt.Errorf("pool %s: %w", w.Name, err)
			}
		}
		hashes[w.Name], images[w.Name] = p.hash(), p.image()
	}
	if err := g.removePools(ctx, shoot); err != nil {
		return err
	}
	if err := g.inform(ctx, shoot); err != nil {
		return err
	}
	g.shoot.agent.want(images)
	for name, hash := range hashes {
		// The change came before a report had seen the machines of the one before.
		if was := g.hashes[name]; was != "" && was != hash && g.settled[name] == "" {
			g.settled[name] = was
		}
	}
	g.operation = "Reconcile"
	if g.generation == 0 {
		g.operation = "Create"
	}
	g.hashes, g.generation, g.began, g.due = hashes, shoot.Generation, time.Now(), false
	g.shoot.host.Log("shoot %s: generation %d is deployed", g.shoot.Name, g.generation)
	return nil
}

// inform writes the ConfigMap by which those in the cluster know of its Shoot. In a lab
// with several Shoots it is of the first.
func (g *gardenlet) inform(ctx context.Context, shoot *shootObject) error {
	info := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "shoot-info", Namespace: metav1.NamespaceSystem}, Data: map[string]string{
		"shootName":         shoot.Name,
		"projectName":       strings.TrimPrefix(shoot.Namespace, "garden-"),
		"kubernetesVersion": shoot.Spec.Kubernetes.Version,
		"provider":          shoot.Spec.Provider.Type,
		"region":            shoot.Spec.Region,
		"maintenanceBegin":  shoot.Spec.Maintenance.TimeWindow.Begin,
		"maintenanceEnd":    shoot.Spec.Maintenance.TimeWindow.End,
	}}
	api := g.shoot.client.CoreV1().ConfigMaps(info.Namespace)
	_, err := api.Create(ctx, info, metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		return err
	}
	now, err := api.Get(ctx, info.Name, metav1.GetOptions{})
	if err != nil || now.Data["shootName"] != shoot.Name {
		return err
	}
	_, err = api.Update(ctx, info, metav1.UpdateOptions{})
	return err
}

// removePools deletes the machine deployments that the Shoot has no pool or zone for.
func (g *gardenlet) removePools(ctx context.Context, shoot *shootObject) error {
	wanted := map[string]bool{}
	for _, w := range shoot.Spec.Provider.Workers {
		for zone := range w.Zones {
			wanted[deploymentName(g.shoot, w, zone)] = true
		}
	}
	api := g.shoot.machines.MachineDeployments(g.shoot.ControlNamespace)
	list, err := api.List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, d := range list.Items {
		if !wanted[d.Name] && d.DeletionTimestamp == nil {
			if err := api.Delete(ctx, d.Name, metav1.DeleteOptions{}); err != nil {
				return err
			}
		}
	}
	return nil
}

// removeClasses deletes machine classes that neither a machine deployment nor a machine
// names any more, with their secrets.
func (g *gardenlet) removeClasses(ctx context.Context) error {
	s := g.shoot
	named := map[string]bool{}
	deployments, err := s.machines.MachineDeployments(s.ControlNamespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, d := range deployments.Items {
		named[d.Spec.Template.Spec.Class.Name] = true
	}
	sets, err := s.machines.MachineSets(s.ControlNamespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, set := range sets.Items {
		if set.Spec.Replicas > 0 {
			named[set.Spec.Template.Spec.Class.Name] = true
		}
	}
	machines, err := s.machines.Machines(s.ControlNamespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, m := range machines.Items {
		named[m.Spec.Class.Name] = true
	}
	classes, err := s.machines.MachineClasses(s.ControlNamespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	unused := map[string]bool{}
	for _, c := range classes.Items {
		if !named[c.Name] && c.DeletionTimestamp == nil {
			unused[c.Name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(unused)) {
		if err := try.IgnoreGone(s.machines.MachineClasses(s.ControlNamespace).Delete(ctx, name, metav1.DeleteOptions{})); err != nil {
			return err
		}
		if err := try.IgnoreGone(s.client.CoreV1().Secrets(s.ControlNamespace).Delete(ctx, name, metav1.DeleteOptions{})); err != nil {
			return err
		}
	}
	return nil
}
