// Package strategy holds the rules of each system that Drainboard rolls nodes
// by, a file each. A strategy is small: phases, limits, order and the next step;
// draining, approvals, pausing, ending and recording are the engine's.
package strategy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
)

// all lists the strategies by name.
var all = []engine.Strategy{EKS{}, EKSMinimal{}, Drainboard{}, Kops{}, Gardener{}, Gardener{Seed: true}, GardenerManual{}, GardenerFollow{}, EKSManaged{}, GardenerInPlace{}, GardenerInPlace{Seed: true}}

// Named returns the strategy of that name.
func Named(name string) (engine.Strategy, error) {
	var names []string
	for _, s := range all {
		if s.Name() == name {
			return s, nil
		}
		names = append(names, s.Name())
	}
	return nil, fmt.Errorf("there is no strategy %q; there is %s", name, strings.Join(names, ", "))
}

// zonesWith lists the zones that hold a machine for which keep is true, sorted.
func zonesWith(r *record.Run, keep func(record.Node) bool) []string {
	seen := map[string]bool{}
	for _, n := range r.Nodes.All() {
		if keep(n) {
			seen[n.Zone] = true
		}
	}
	zones := make([]string, 0, len(seen))
	for z := range seen {
		zones = append(zones, z)
	}
	slices.Sort(zones)
	return zones
}

// steps are what a strategy does in each of its phases.
type steps map[string]func(*engine.Step)

// take does what is to be done in the current phase, unless another controller or a user is at work on the
// group so that it would do harm. A run that is in none enters the first.
func (do steps) take(s *engine.Step, first string) {
	if opposed(s) {
		return
	}
	if s.Phase() == "" {
		s.Enter(first)
	}
	if step := do[s.Phase()]; step != nil {
		step(s)
	}
}
