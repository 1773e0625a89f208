package backend

import (
	"strings"
	"testing"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/kops"
)

// Other rules may roll a group of nodes, and none but kops's a control plane or bastions.
func TestWhichStrategyFitsWhichGroup(t *testing.T) {
	web := &autoScalingGroup{awsGroup{name: "web"}}
	of := func(role world.Role) Group {
		g := kops.Group{InstanceGroup: "ig"}
		g.Role = role
		g.Name = "ig.k8s.example.com"
		return kopsGroupOf(nil, nil, nil, g)
	}
	for _, c := range []struct {
		at    Group
		rules engine.Strategy
		says  string // "" when it fits
	}{
		{web, strategy.EKS{}, ""},
		{web, strategy.Kops{}, "group web was not created by kops"},
		{of(world.RoleNode), strategy.EKS{}, ""},
		{of(world.RoleAPIServer), strategy.EKSMinimal{}, ""},
		{of(world.RoleControlPlane), strategy.EKS{}, "ig is the control plane"},
		{of(world.RoleControlPlane), strategy.Kops{}, ""},
		{of(world.RoleBastion), strategy.EKSMinimal{}, "ig has bastions"},
		{of(world.RoleBastion), strategy.Kops{}, ""},
	} {
		err := c.at.Fits(c.rules)
		if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s in %s: %v, want %q", c.rules.Name(), c.at.Name(), err, c.says)
		}
	}
}
