package lab

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/drainboard/drainboard/lab/gardener"
)

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
func (l *Lab) eachPool(v values, on, off func(s *gardener.Shoot, pool string)) (off, error) {
	s, err := l.ShootNamed(v["shoot"])
	if err != nil {
		return nil, err
	}
	pools := s.Pools()
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
	return l.eachPool(v, func(s *gardener.Shoot, pool string) { s.NeverJoin(pool, n) }, func(s *gardener.Shoot, pool string) { s.NeverJoin(pool, 0) })
}

func machineRefused(_ context.Context, l *Lab, v values) (off, error) {
	n, err := v.count("launches", allLaunches)
	if err != nil {
		return nil, err
	}
	return l.eachPool(v,
		func(s *gardener.Shoot, pool string) { s.RefuseCreate(pool, n, v["code"], v["message"]) },
		func(s *gardener.Shoot, pool string) { s.RefuseCreate(pool, 0, "", "") })
}

func machineStays(_ context.Context, l *Lab, v values) (off, error) {
	return l.eachPool(v, func(s *gardener.Shoot, pool string) { s.HangDelete(pool, true) }, func(s *gardener.Shoot, pool string) { s.HangDelete(pool, false) })
}

func updateFails(ctx context.Context, l *Lab, v values) (off, error) {
	fault := gardener.UpdateFault{Reason: v["reason"]}
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
	return l.eachPool(v, func(s *gardener.Shoot, pool string) { s.FailUpdates(pool, fault) }, func(s *gardener.Shoot, pool string) { s.MendUpdates(pool) })
}

func slowUpdate(_ context.Context, l *Lab, v values) (off, error) {
	d, err := v.duration("by")
	if err != nil {
		return nil, err
	}
	return l.eachPool(v, func(s *gardener.Shoot, pool string) { s.SlowUpdates(pool, d) }, func(s *gardener.Shoot, pool string) { s.SlowUpdates(pool, -1) })
}
