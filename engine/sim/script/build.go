package script

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim"
	"github.com/drainboard/drainboard/engine/world"
)

// cluster makes the group and its nodes.
func (c *Script) cluster(a *args) error {
	c.config.Slots = a.int("slots", c.config.Slots)
	c.config.CPU, c.config.Memory = a.int("cpu", c.config.CPU), a.int("memory", c.config.Memory)
	c.Sim = sim.New(c.config, a.list("zones", "a,b,c")...)
	s := c.Sim
	switch names := a.word("names"); names {
	case "":
	case "aws":
		s.Names = sim.NamesOfAWS()
	default:
		return fmt.Errorf("there are no names of %q", names)
	}
	s.Group.Spot, s.Group.Protects = a.flag("spot"), a.flag("protected")
	if err := c.provider(a); err != nil {
		return err
	}
	s.Group.NodeLabels = a.pairs("labels")
	s.AddNodes(a.int("nodes", 3), 1)
	s.AddDetached(a.int("detached", 0))
	s.Group.WarmSize = a.int("warm", 0)
	if a.flag("half-spot") {
		s.Group.NoLaunchInZone = "the group mixes On-Demand and Spot machines"
	}
	if s.Group.WarmSize > 0 {
		s.Group.NoLaunchInZone = "the group has a warm pool"
	}
	s.FillWarmPool()
	if max := a.int("max", 0); max > 0 {
		s.Group.Sizes.Max = max
	}
	s.Group.Sizes.Min = a.int("min", 0)
	version := int64(a.int("template", 2))
	if s.Pool.Update == world.ManualInPlaceUpdate { // its machines stay
		version = 1
	}
	switch {
	case s.Pool.Applied:
		s.ApplyShoot(s.Pool.Starts)
	case s.Pool.Update != "":
		s.BeginPool()
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
		s.Group.Overrides = append(s.Group.Overrides, world.Template{ID: fmt.Sprintf("lt-%d", i+1), Version: n})
		s.Group.Mixed = true
	}
	if name := a.word("name"); name != "" {
		s.Group.Name = name
	}
	s.Advance(s.Now().Add(3 * time.Second))
	return nil
}

func (c *Script) workload(a *args) error {
	kinds := map[string]string{"": sim.Deployment, "statefulset": sim.StatefulSet, "daemonset": sim.DaemonSet, "bare": sim.Bare, "mirror": sim.Mirror, "job": sim.Job}
	kind, ok := kinds[a.word("kind")]
	if !ok {
		return fmt.Errorf("there is no such kind of workload")
	}
	shape := sim.Shape{
		Ready: a.span("ready", 3*time.Second), Grace: a.span("grace", 30*time.Second), Stop: a.span("stop", 2*time.Second),
		NeverReady: a.flag("never-ready"), Gated: a.flag("gated"), EmptyDir: a.flag("empty-dir"), ToleratesAll: a.flag("tolerates-all"),
		Zone: a.word("zone"), Node: c.Sim.Names.NodeName(a.word("node")), Finalizers: a.list("finalizers", ""), Finalized: a.span("finalized", 0),
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
	held := sim.Held{Recreate: a.flag("recreate"), Holder: strings.ReplaceAll(a.word("holder"), "_", " "), Denied: a.flag("scale-denied")}
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
