package sim

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// cluster makes the group and its nodes.
func (c *Script) cluster(a *args) error {
	c.config.Slots = a.int("slots", c.config.Slots)
	c.config.CPU, c.config.Memory = a.int("cpu", c.config.CPU), a.int("memory", c.config.Memory)
	c.Sim = New(c.config, a.list("zones", "a,b,c")...)
	s := c.Sim
	switch names := a.word("names"); names {
	case "":
	case "aws":
		s.names = namesOfAWS()
	default:
		return fmt.Errorf("there are no names of %q", names)
	}
	s.group.spot, s.group.protects = a.flag("spot"), a.flag("protected")
	if err := c.provider(a); err != nil {
		return err
	}
	s.AddNodes(a.int("nodes", 3), 1)
	s.addDetached(a.int("detached", 0))
	s.group.warm = a.int("warm", 0)
	if a.flag("half-spot") {
		s.group.NoLaunchInZone = "the group mixes On-Demand and Spot machines"
	}
	if s.group.warm > 0 {
		s.group.NoLaunchInZone = "the group has a warm pool"
	}
	s.fillPool()
	if max := a.int("max", 0); max > 0 {
		s.group.Sizes.Max = max
	}
	s.group.Sizes.Min = a.int("min", 0)
	version := int64(a.int("template", 2))
	if s.pool.update == world.ManualInPlaceUpdate { // its machines stay
		version = 1
	}
	switch {
	case s.pool.applied:
		s.applyShoot(s.pool.starts)
	case s.pool.update != "":
		s.beginPool()
	}
	spec := a.word("spec")
	if spec == "" {
		spec = fmt.Sprint(version)
	}
	s.SetTemplate(version, spec)
	if n := a.int("new", 0); n > 0 {
		s.AddNodes(n, version)
	}
	for i, v := range a.list("overrides", "") {
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil {
			return err
		}
		s.group.Overrides = append(s.group.Overrides, world.Template{ID: fmt.Sprintf("lt-%d", i+1), Version: n})
		s.group.Mixed = true
	}
	s.group.labels = a.pairs("labels")
	if name := a.word("name"); name != "" {
		s.group.Name = name
	}
	s.Advance(s.now.Add(3 * time.Second))
	return nil
}

func (c *Script) workload(a *args) error {
	kinds := map[string]string{"": Deployment, "statefulset": StatefulSet, "daemonset": DaemonSet, "bare": Bare, "mirror": Mirror, "job": Job}
	kind, ok := kinds[a.word("kind")]
	if !ok {
		return fmt.Errorf("there is no such kind of workload")
	}
	shape := Shape{
		Ready: a.span("ready", 3*time.Second), Grace: a.span("grace", 30*time.Second), Stop: a.span("stop", 2*time.Second),
		NeverReady: a.flag("never-ready"), Gated: a.flag("gated"), EmptyDir: a.flag("empty-dir"), ToleratesAll: a.flag("tolerates-all"),
		Zone: a.word("zone"), Node: c.Sim.names.node(a.word("node")), Finalizers: a.list("finalizers", ""), Finalized: a.span("finalized", 0),
		CPU: a.int("cpu", 0), Memory: a.int("memory", 0), Volume: a.flag("volume"), Apart: a.word("apart"), CrashesOn: a.word("crashes-on"), Service: a.flag("service"),
	}
	namespace := "app"
	switch class := a.word("critical"); class {
	case "":
	case "cluster", "node":
		namespace, shape.Critical = "kube-system", "system-"+class+"-critical"
	default:
		return fmt.Errorf("a workload is critical for the cluster or for its node")
	}
	held := Held{Recreate: a.flag("recreate"), Holder: strings.ReplaceAll(a.word("holder"), "_", " "), Denied: a.flag("scale-denied")}
	c.Sim.AddWorkload(kind, namespace, a.next(), a.int("replicas", 1), shape)
	c.Sim.Hold(held)
	return nil
}

func (c *Script) budget(a *args) error {
	name := a.next()
	app := a.word("app")
	if app == "" {
		app = name
	}
	low, high, err := rule(a)
	if err != nil {
		return err
	}
	c.Sim.AddBudget("app", name, app, low, high, a.flag("always-allow"))
	return nil
}

// rule reads what a budget asks for.
func rule(a *args) (low, high *record.Amount, err error) {
	if low, err = a.amount("min"); err != nil {
		return nil, nil, err
	}
	if high, err = a.amount("max"); err == nil && (low == nil) == (high == nil) {
		err = fmt.Errorf("a budget has either min= or max=")
	}
	return low, high, err
}

// timing says how fast the world is.
func (c *Script) timing(a *args) error {
	k := &c.config
	if c.Sim != nil {
		k = &c.Sim.Config
	}
	for name, v := range map[string]*time.Duration{
		"boot": &k.Boot, "launch": &k.Launch, "ready": &k.NodeReady, "terminate": &k.Terminate,
		"cluster-lag": &k.ClusterLag, "cloud-lag": &k.CloudLag, "cloud-every": &k.CloudEvery,
		"cluster-latency": &k.ClusterLatency, "cloud-latency": &k.CloudLatency, "controllers": &k.Controllers, "sync": &k.Sync, "detach": &k.Detach, "routes": &k.Routes, "notice": &k.Notice, "unlisted": &k.Unlisted,
	} {
		*v = a.span(name, *v)
	}
	if j := a.word("jitter"); j != "" {
		var err error
		k.Jitter, err = strconv.ParseFloat(j, 64)
		return err
	}
	return nil
}
