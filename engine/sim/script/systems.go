package script

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
)

// provider says whose group it is.
func (c *Script) provider(a *args) error {
	g := &c.Sim.Group
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
	zones := a.list("zones", strings.Join(s.Group.Zones, ","))
	if s.Group.Provider != "kops" {
		return fmt.Errorf("only a cluster of kops has other groups")
	}
	if name == s.Group.Name || s.Peer(name) != nil {
		return fmt.Errorf("there is a group %q already", name)
	}
	s.AddPeer(name, role, a.int("nodes", 1), zones...)
	p := s.Peer(name)
	p.Karpenter, p.Missing = a.flag("karpenter"), a.flag("missing")
	s.ListMachines()
	return known(role)
}

// breaks lets a node not be Ready, have no network or no static pods, or the container of a critical pod
// not be ready, or be so again.
func (c *Script) breaks(verb string, a *args) error {
	s := c.Sim
	if pod := a.word("pod"); pod != "" {
		p := s.PodOfApp("kube-system", pod)
		if p == nil {
			return fmt.Errorf("there is no critical pod %s", pod)
		}
		s.BreakPod(p, verb == "breaks")
		return nil
	}
	name, network, static, span := a.next(), a.flag("network"), a.flag("static"), a.span("for", 0)
	if s.Truth.Node(name) == nil {
		return fmt.Errorf("there is no node %s", name)
	}
	if verb == "mends" {
		s.MendNode(name)
		return nil
	}
	if static {
		s.StopControlPlane(name)
	} else {
		s.BreakNode(name, network)
	}
	if span > 0 {
		s.After(span, func() { s.MendNode(name) })
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
		s.Group.Keeps[m.ID] = !over
	case "balancer":
		s.Balancer.Takes = a.span("takes", s.Balancer.Takes)
		s.Balancer.Fails = a.flag("fails") && !over
	case "short":
		p := s.Peer(a.next())
		if p == nil {
			return fmt.Errorf("there is no such peer")
		}
		s.LosePeerMachine(p, span)
	case "outside":
		node := a.next()
		if p := s.Peer(node[:max(strings.LastIndex(node, "-"), 0)]); p == nil || !s.LeavePeer(p, "i-"+node) {
			return fmt.Errorf("no peer has a machine %q", "i-"+node)
		}
	case "unjoined":
		node := a.next()
		i := strings.LastIndex(node, "-")
		p := s.Peer(node[:max(i, 0)])
		number, err := strconv.Atoi(node[i+1:])
		if p == nil || err != nil {
			return fmt.Errorf("no peer has a node %q", node)
		}
		s.LosePeerNode(p, number, span)
	case "flap":
		name := a.next()
		for _, w := range s.Workloads() {
			if w.Name == name {
				s.Flap(w, a.span("every", 20*time.Second), a.span("for", time.Minute))
				return nil
			}
		}
		return fmt.Errorf("there is no workload %q", name)
	}
	return nil
}

// setKops reads the settings of kops's rolling update.
func (c *Script) setKops(a *args) error {
	k := &c.Settings
	if c.Rules.Name() == (strategy.EKS{}).Name() {
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
	k := &c.Settings
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
				n.Conditions = append(n.Conditions, world.Condition{Type: kind, On: true, Since: s.Now()})
			}
		}
	}
	if span > 0 {
		s.After(span, func() { s.EditNode(name, set(false)) })
	}
	return c.onNode(name, set(!over))
}

// pool makes the group a worker pool of Gardener that is updated in place.
func (c *Script) pool(a *args) error {
	s := c.Sim
	s.Pool = sim.Pool{
		Update: a.word("update"), Drain: a.span("drain", sim.GardenerDrain), Takes: a.span("takes", 2*time.Minute), Critical: a.span("critical", 5*time.Second),
		Fails: map[string]string{}, Hangs: map[string]bool{},
	}
	if starts := a.word("shoot"); starts == "never" {
		s.Pool.Applied, s.Pool.Starts = true, -1
	} else if starts != "" {
		d, err := time.ParseDuration(starts)
		if err != nil {
			return fmt.Errorf("shoot=%s: the time until Gardener starts, or never", starts)
		}
		s.Pool.Applied, s.Pool.Starts = true, d
	}
	if !world.InPlace(s.Pool.Update) {
		return fmt.Errorf("a pool is simulated with update=%s or %s", world.ManualInPlaceUpdate, world.AutoInPlaceUpdate)
	}
	s.Group.Provider, s.Group.Name = "gardener", "pool"
	s.Group.Pool = &world.Pool{Name: "pool", Update: s.Pool.Update, Limits: world.DefaultLimits(s.Pool.Update)}
	return nil
}

// updateFault decides what becomes of the next update of a node in place.
func (c *Script) updateFault(a *args) error {
	node := a.next()
	switch why := strings.ReplaceAll(a.word("why"), "-", " "); {
	case a.flag("hangs"):
		c.Sim.Pool.Hangs[c.Sim.Names.NodeName(node)] = true
	case a.flag("fails") && why != "":
		c.Sim.Pool.Fails[c.Sim.Names.NodeName(node)] = why
	default:
		return fmt.Errorf("an update fails, for a reason, or hangs")
	}
	return nil
}
