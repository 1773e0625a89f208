package sim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
)

// provider says whose group it is.
func (c *Script) provider(a *args) error {
	g := &c.Sim.group
	name, role := a.word("provider"), world.Role(a.word("role"))
	if name == "gardener" {
		return c.pool(a)
	}
	if name == "" && role == "" {
		return nil
	}
	if name != "kops" {
		return fmt.Errorf("only the groups of kops have a role")
	}
	if g.Role = role; role == "" {
		g.Role = world.RoleNode
	}
	g.Provider, g.Name = name, names[g.Role]
	return known(g.Role)
}

// names are what groups are called that have no name of their own, by their role.
var names = map[world.Role]string{
	world.RoleNode: "nodes", world.RoleControlPlane: "masters", world.RoleAPIServer: "apiservers", world.RoleBastion: "bastions",
}

func known(role world.Role) error {
	if names[role] == "" {
		return fmt.Errorf("there is no role %q", role)
	}
	return nil
}

// peer makes another group of the cluster:
//
//	peer masters role=control-plane nodes=3 [zones=a,b]
//	peer spot role=node nodes=2 karpenter   Karpenter launches its machines
//	peer later role=node nodes=0 missing    it has a spec, and no Auto Scaling group
func (c *Script) peer(a *args) error {
	s := c.Sim
	name, role := a.next(), world.Role(a.word("role"))
	zones := a.list("zones", strings.Join(s.group.Zones, ","))
	if s.group.Provider != "kops" {
		return fmt.Errorf("only a cluster of kops has other groups")
	}
	if name == s.group.Name || s.peer(name) != nil {
		return fmt.Errorf("there is a group %q already", name)
	}
	s.AddPeer(name, role, a.int("nodes", 1), zones...)
	p := s.peer(name)
	p.karpenter, p.Missing = a.flag("karpenter"), a.flag("missing")
	s.listMachines()
	return known(role)
}

// breaks lets a node not be Ready, a node have no network, or the container of a critical pod
// not be ready, or be so again.
func (c *Script) breaks(verb string, a *args) error {
	s := c.Sim
	if pod := a.word("pod"); pod != "" {
		p := s.byName("kube-system", pod)
		if p == nil {
			return fmt.Errorf("there is no critical pod %s", pod)
		}
		s.breakPod(p, verb == "breaks")
		return nil
	}
	name, network, span := a.next(), a.flag("network"), a.span("for", 0)
	if s.Truth.Node(name) == nil {
		return fmt.Errorf("there is no node %s", name)
	}
	if verb == "mends" {
		s.mend(name)
		return nil
	}
	s.breaks(name, network)
	if span > 0 {
		s.after(span, func() { s.mend(name) })
	}
	return nil
}

// kopsFault makes something go wrong that only a group of kops knows.
func (c *Script) kopsFault(what string, over bool, a *args) error {
	s := c.Sim
	span := a.span("for", 0)
	switch what {
	case "no-detach":
		m, err := c.machine(a.next())
		if err != nil {
			return err
		}
		s.group.keeps[m.ID] = !over
	case "balancer":
		s.balancer.takes = a.span("takes", s.balancer.takes)
		s.balancer.fails = a.flag("fails") && !over
	case "short":
		p := s.peer(a.next())
		if p == nil {
			return fmt.Errorf("there is no such peer")
		}
		s.short(p, span)
	case "outside":
		node := a.next()
		if p := s.peer(node[:max(strings.LastIndex(node, "-"), 0)]); p == nil || !s.leave(p, "i-"+node) {
			return fmt.Errorf("no peer has a machine %q", "i-"+node)
		}
	case "unjoined":
		node := a.next()
		i := strings.LastIndex(node, "-")
		p := s.peer(node[:max(i, 0)])
		number, err := strconv.Atoi(node[i+1:])
		if p == nil || err != nil {
			return fmt.Errorf("no peer has a node %q", node)
		}
		s.unjoin(p, number, span)
	case "flap":
		name := a.next()
		for _, w := range s.workloads {
			if w.Name == name {
				s.flap(w, a.span("every", 20*time.Second), a.span("for", time.Minute))
				return nil
			}
		}
		return fmt.Errorf("there is no workload %q", name)
	}
	return nil
}

// peer finds a peer, nil if there is none of that name.
func (s *Sim) peer(name string) *peer {
	for _, p := range s.peers {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// setKops reads the settings of kops's rolling update.
func (c *Script) setKops(a *args) error {
	k := &c.settings
	if c.rules.Name() == (strategy.EKS{}).Name() {
		if text := a.word("max-surge"); text != "" {
			var err error
			if k.Surge, k.MaxSurge, err = record.ParseSurge(text); err != nil {
				return err
			}
		}
	} else if surge, err := a.amount("max-surge"); err != nil {
		return err
	} else if surge != nil {
		k.MaxSurge = *surge
	}
	for name, v := range map[string]*time.Duration{
		"interval": &k.Interval, "validate-pause": &k.ValidatePause, "validate-retry": &k.ValidateRetry,
		"validate-timeout": &k.ValidateTimeout, "deregister-limit": &k.DeregisterLimit,
	} {
		*v = a.span(name, *v)
	}
	k.ValidateCount = a.int("validate-count", k.ValidateCount)
	for name, v := range map[string]*bool{"pass-invalid": &k.PassInvalid, "pass-drain": &k.PassDrain, "keep-old": &k.KeepOld, "allow-quorum-loss": &k.AllowQuorumLoss, "cloudonly": &k.CloudOnly} {
		*v = a.flag(name) || *v
	}
	return nil
}

// setGardener reads the settings of Gardener's updates.
func (c *Script) setGardener(a *args) {
	k := &c.settings
	k.EvictRetries = a.int("evict-retries", k.EvictRetries)
	for name, v := range map[string]*time.Duration{
		"misconfigured-retry": &k.MisconfiguredRetry, "health-timeout": &k.HealthTimeout, "update-timeout": &k.UpdateTimeout, "wait-for-start": &k.WaitForStart,
	} {
		*v = a.span(name, *v)
	}
}

// condition gives a node a condition, or takes it off.
func (c *Script) condition(over bool, a *args) error {
	s := c.Sim
	name, kind, span := a.next(), a.next(), a.span("for", 0)
	set := func(on bool) func(*world.Node) {
		return func(n *world.Node) {
			n.Conditions = slices.DeleteFunc(slices.Clone(n.Conditions), func(x world.Condition) bool { return x.Type == kind })
			if on {
				n.Conditions = append(n.Conditions, world.Condition{Type: kind, On: true, Since: s.now})
			}
		}
	}
	if span > 0 {
		s.after(span, func() { s.editNode(name, set(false)) })
	}
	return c.onNode(name, set(!over))
}

// pool makes the group a worker pool of Gardener that is updated in place.
func (c *Script) pool(a *args) error {
	s := c.Sim
	s.pool = pool{
		update: a.word("update"), drain: a.span("drain", gardenerDrain), takes: a.span("takes", 2*time.Minute), critical: a.span("critical", 5*time.Second),
		fails: map[string]string{}, hangs: map[string]bool{}, at: map[string]time.Time{},
	}
	if starts := a.word("shoot"); starts == "never" {
		s.pool.applied, s.pool.starts = true, -1
	} else if starts != "" {
		d, err := time.ParseDuration(starts)
		if err != nil {
			return fmt.Errorf("shoot=%s: the time until Gardener starts, or never", starts)
		}
		s.pool.applied, s.pool.starts = true, d
	}
	if !world.InPlace(s.pool.update) {
		return fmt.Errorf("a pool is simulated with update=%s or %s", world.ManualInPlaceUpdate, world.AutoInPlaceUpdate)
	}
	s.group.Provider, s.group.Name = "gardener", "pool"
	s.group.Pool = &world.Pool{Name: "pool", Update: s.pool.update, Limits: world.DefaultLimits(s.pool.update)}
	return nil
}

// updateFault decides what becomes of the next update of a node in place.
func (c *Script) updateFault(a *args) error {
	node := a.next()
	switch why := strings.ReplaceAll(a.word("why"), "-", " "); {
	case a.flag("hangs"):
		c.Sim.pool.hangs[c.Sim.names.node(node)] = true
	case a.flag("fails") && why != "":
		c.Sim.pool.fails[c.Sim.names.node(node)] = why
	default:
		return fmt.Errorf("an update fails, for a reason, or hangs")
	}
	return nil
}
