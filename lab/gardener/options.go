package gardener

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Update strategies of the worker pools of a Shoot.
const (
	AutoRollingUpdate   = "AutoRollingUpdate"
	AutoInPlaceUpdate   = "AutoInPlaceUpdate"
	ManualInPlaceUpdate = "ManualInPlaceUpdate"
)

// ShootVersion and ShootImage are what a Shoot's machines begin with.
const (
	FirstVersion = "1.32.4"
	FirstImage   = "1632.0.0"
)

// Options describe a Gardener cluster. The zero value is one of three pools of
// three machines, one for each update strategy.
type Options struct {
	Name    string // empty: demo
	Project string // empty: lab

	KubernetesVersion string // empty: ShootVersion
	ImageVersion      string // of the machine image; empty: ShootImage

	Pools []Pool // empty: DefaultShootPools
	Times Times

	// Begin and End are of the maintenance time window, as the Shoot has it: HHMMSS+ZZZZ.
	// Empty: the first six hours of the day, in UTC; no window is longer.
	Begin, End string
	// Confine has changes of the spec wait for that window (confineSpecUpdateRollout), which
	// is shut whatever the time is, until Shoot.OpenWindow.
	Confine bool
	// Flags are passed on to machine-controller-manager. See package mcm.
	Flags []string
}

// Pool is a worker pool.
type Pool struct {
	Name   string
	Size   int      // machines, evenly over the zones; 0: 3
	Zones  []string // empty: all of the lab's
	Update string   // strategy; empty: AutoRollingUpdate
	Type   string   // of the machines; empty: m5.large

	// MaxSurge and MaxUnavailable are numbers or percents, of the whole pool. Both empty:
	// as Gardener has it, 1 and 0 where machines are replaced, 0 and 1 where they are
	// updated in place by themselves, none for updates by hand.
	MaxSurge, MaxUnavailable string

	// Limits of machine-controller-manager. 0: not in the Shoot, so that its flags count.
	Drain, Health, Creation, InPlace time.Duration
	MaxEvictRetries                  int
	// GiveUp has machines that are updated in place given up and replaced if they are not
	// well for long, as others always are.
	GiveUp bool

	Labels map[string]string
	Taints []corev1.Taint
}

// Times are how long the stand-ins take. Zero means the default; a nanosecond means
// none.
type Times struct {
	Components time.Duration // from a node's being Ready to its critical components' being so; default 0.5 s
	Update     time.Duration // of a node in place; default 2 s
	Retry      time.Duration // from an update that failed to the next try; default 5 s
	// Wait is how long a reconciliation waits for machines before it fails and begins
	// again; default 5 min, as in Gardener.
	Wait time.Duration
}

// DefaultPools are the pools workers, inplace and manual, of a size each, over all
// zones. The second replaces none and has a machine more while it is updated.
func DefaultPools(size int) []Pool {
	return []Pool{
		{Name: "workers", Size: size},
		{Name: "inplace", Size: size, Update: AutoInPlaceUpdate},
		{Name: "manual", Size: size, Update: ManualInPlaceUpdate},
	}
}

func (o Options) withDefaults(zones []string) Options {
	o.Name, o.Project = cmp.Or(o.Name, "demo"), cmp.Or(o.Project, "lab")
	o.KubernetesVersion, o.ImageVersion = cmp.Or(o.KubernetesVersion, FirstVersion), cmp.Or(o.ImageVersion, FirstImage)
	o.Begin, o.End = cmp.Or(o.Begin, "000000+0000"), cmp.Or(o.End, "060000+0000")
	if len(o.Pools) == 0 {
		o.Pools = DefaultPools(3)
	}
	o.Pools = slices.Clone(o.Pools)
	for n := range o.Pools {
		p := &o.Pools[n]
		p.Size, p.Update, p.Type = cmp.Or(p.Size, 3), cmp.Or(p.Update, AutoRollingUpdate), cmp.Or(p.Type, "m5.large")
		if len(p.Zones) == 0 {
			p.Zones = zones
		}
		if p.MaxSurge == "" && p.MaxUnavailable == "" {
			switch p.Update {
			case AutoRollingUpdate:
				p.MaxSurge, p.MaxUnavailable = "1", "0"
			case AutoInPlaceUpdate:
				p.MaxSurge, p.MaxUnavailable = "0", "1"
			}
		}
	}
	t := &o.Times
	t.Components, t.Update = cmp.Or(t.Components, 500*time.Millisecond), cmp.Or(t.Update, 2*time.Second)
	t.Retry, t.Wait = cmp.Or(t.Retry, 5*time.Second), cmp.Or(t.Wait, 5*time.Minute)
	return o
}

// check finds what Gardener would not take either, or the lab cannot do.
func (o Options) check(zones []string) error {
	names := map[string]bool{}
	for _, p := range o.Pools {
		switch {
		case p.Name == "" || names[p.Name]:
			return fmt.Errorf("pool %q: no name, or one that is taken", p.Name)
		case !slices.Contains([]string{AutoRollingUpdate, AutoInPlaceUpdate, ManualInPlaceUpdate}, p.Update):
			return fmt.Errorf("pool %s: no update strategy %q", p.Name, p.Update)
		case p.Update == ManualInPlaceUpdate && p.MaxSurge+p.MaxUnavailable != "":
			return fmt.Errorf("pool %s: who updates by hand sets neither surge nor unavailable", p.Name)
		}
		for _, zone := range p.Zones {
			if !slices.Contains(zones, zone) {
				return fmt.Errorf("pool %s: no zone %q", p.Name, zone)
			}
		}
		names[p.Name] = true
	}
	return nil
}
