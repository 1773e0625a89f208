package lab

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/lab/vms"
)

// NeverJoin makes the next n machines of a pool run without a node ever coming of them;
// 0 ends that for those made from then on.
func (s *Shoot) NeverJoin(pool string, n int) { s.vms.NeverJoin(pool, n) }

// RefuseCreate has the next n machines of a pool refused, with a code that
// machine-controller-manager's drivers know, such as ResourceExhausted; 0 ends that.
func (s *Shoot) RefuseCreate(pool string, n int, code, message string) {
	s.vms.RefuseCreate(pool, n, vms.Error{Code: code, Message: message})
}

// HangDelete lets no machine of a pool come to its end, until it is told false.
func (s *Shoot) HangDelete(pool string, hang bool) { s.vms.HangDelete(pool, hang) }

// Kill ends the machine of a node by itself: the provider forgets it, its node goes. It
// reports whether the node is of the Shoot.
func (s *Shoot) Kill(node string) bool { return s.vms.Kill(node) }

// StopGardenlet has nobody reconcile the Shoot or write its status, until it is told false:
// changes of it stay as they are applied. The machines are seen to as before.
func (s *Shoot) StopGardenlet(stop bool) { s.away.Store(stop) }

// PrepareFor is how long a reconciliation sees to the control plane before it comes to the
// machine deployments, as in Gardener, where that takes minutes: meanwhile the Shoot is
// Processing, and nothing tells of its machines. 0 ends that.
func (s *Shoot) PrepareFor(d time.Duration) { s.prepares.Store(int64(d)) }

// OpenWindow begins the maintenance time window that the changes of a Shoot wait for, see
// ShootOptions.Confine. It does not end.
func (s *Shoot) OpenWindow() { s.window.Store(true) }

// Constrain has Gardener tell of a constraint of the Shoot's that is not kept, such as
// MaintenancePreconditionsSatisfied; an empty kind ends all that were.
func (s *Shoot) Constrain(kind, reason, message string) {
	var now []shootCondition
	if was := s.troubles.Load(); was != nil && kind != "" {
		now = slices.Clone(*was)
	}
	if kind != "" {
		now = append(now, shootCondition{Type: kind, Status: "False", Reason: reason, Message: message})
	}
	s.troubles.Store(&now)
}

// FailUpdates makes updates in place of a pool's nodes fail, until MendUpdates.
func (s *Shoot) FailUpdates(pool string, fault UpdateFault) {
	s.agent.mu.Lock()
	defer s.agent.mu.Unlock()
	s.agent.broken[pool] = &fault
}

// MendUpdates ends what FailUpdates made. Where the system was rolled back the next try
// comes when the annotation of the node agent is taken away.
func (s *Shoot) MendUpdates(pool string) {
	s.agent.mu.Lock()
	defer s.agent.mu.Unlock()
	delete(s.agent.broken, pool)
}

// SlowUpdates makes updates in place of a pool's nodes take so long, those that begin
// from now on; -1 ends that.
func (s *Shoot) SlowUpdates(pool string, d time.Duration) {
	s.agent.mu.Lock()
	defer s.agent.mu.Unlock()
	if d < 0 {
		delete(s.agent.slow, pool)
	} else {
		s.agent.slow[pool] = d
	}
}

// ShootNamed is the Shoot of a name; an empty name means the only one.
func (l *Lab) ShootNamed(name string) (*Shoot, error) {
	all := l.Shoots()
	if name == "" && len(all) == 1 {
		return all[0], nil
	}
	var names []string
	for _, s := range all {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	if len(names) == 0 {
		return nil, errors.New("there is no Shoot")
	}
	return nil, fmt.Errorf("no Shoot %q; there are %s", name, strings.Join(names, ", "))
}

var (
	shootFlag = FaultFlag{"shoot", "", "the Shoot (default the only one)"}
	poolFlag  = FaultFlag{"pool", "", "the worker pool (default all)"}
)

// shootFaults are those of a Gardener cluster.
var shootFaults = []Fault{
	{"machine-strays", "new machines of a Shoot run, but their nodes never come", "Shoot.NeverJoin",
		[]FaultFlag{shootFlag, poolFlag, launchesFlag}, machineStrays},
	{"machine-refused", "new machines of a Shoot are refused", "Shoot.RefuseCreate",
		[]FaultFlag{shootFlag, poolFlag, launchesFlag,
			{"code", "ResourceExhausted", "as machine-controller-manager knows it"}, {"message", "no machine of this type is left", "what the provider says"}}, machineRefused},
	{"machine-stays", "the end of a Shoot's machines hangs", "Shoot.HangDelete",
		[]FaultFlag{shootFlag, poolFlag}, machineStays},
	{"update-fails", "updates in place of nodes fail", "Shoot.FailUpdates",
		[]FaultFlag{shootFlag, poolFlag, {"node", "", "the node (default all)"}, {"times", "0", "tries that fail; 0 is all"}, {"reason", "", "what the node says"},
			{"rollback", "false", "the old system boots and there is no other try; true or false"}}, updateFails},
	{"slow-update", "updates in place of nodes take long", "Shoot.SlowUpdates",
		[]FaultFlag{shootFlag, poolFlag, {"by", "1m", "from ready for the update to its end"}}, slowUpdate},
}

// eachPool switches something on for the pools that are meant.
func (l *Lab) eachPool(v values, on, off func(s *Shoot, pool string)) (off, error) {
	s, err := l.ShootNamed(v["shoot"])
	if err != nil {
		return nil, err
	}
	pools := s.pools
	if name := v["pool"]; name != "" {
		if !slices.Contains(pools, name) {
			return nil, fmt.Errorf("no pool %q; there are %s", name, strings.Join(pools, ", "))
		}
		pools = []string{name}
	}
	for _, pool := range pools {
		on(s, pool)
	}
	return ending(func() {
		for _, pool := range pools {
			off(s, pool)
		}
	}), nil
}

func machineStrays(_ context.Context, l *Lab, v values) (off, error) {
	n, err := v.count("launches", allLaunches)
	if err != nil {
		return nil, err
	}
	return l.eachPool(v, func(s *Shoot, pool string) { s.NeverJoin(pool, n) }, func(s *Shoot, pool string) { s.NeverJoin(pool, 0) })
}

func machineRefused(_ context.Context, l *Lab, v values) (off, error) {
	n, err := v.count("launches", allLaunches)
	if err != nil {
		return nil, err
	}
	return l.eachPool(v,
		func(s *Shoot, pool string) { s.RefuseCreate(pool, n, v["code"], v["message"]) },
		func(s *Shoot, pool string) { s.RefuseCreate(pool, 0, "", "") })
}

func machineStays(_ context.Context, l *Lab, v values) (off, error) {
	return l.eachPool(v, func(s *Shoot, pool string) { s.HangDelete(pool, true) }, func(s *Shoot, pool string) { s.HangDelete(pool, false) })
}

func updateFails(ctx context.Context, l *Lab, v values) (off, error) {
	fault := UpdateFault{Reason: v["reason"]}
	var err error
	if fault.Times, err = v.count("times", 0); err != nil {
		return nil, err
	}
	if fault.Rollback, err = v.yes("rollback"); err != nil {
		return nil, err
	}
	if v["node"] != "" {
		if fault.Node, err = l.node(ctx, v); err != nil {
			return nil, err
		}
	}
	return l.eachPool(v, func(s *Shoot, pool string) { s.FailUpdates(pool, fault) }, func(s *Shoot, pool string) { s.MendUpdates(pool) })
}

func slowUpdate(_ context.Context, l *Lab, v values) (off, error) {
	d, err := v.duration("by")
	if err != nil {
		return nil, err
	}
	return l.eachPool(v, func(s *Shoot, pool string) { s.SlowUpdates(pool, d) }, func(s *Shoot, pool string) { s.SlowUpdates(pool, -1) })
}
