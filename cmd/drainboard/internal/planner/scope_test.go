package planner

import (
	"slices"
	"strings"
	"testing"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine/world"
)

func TestScope(t *testing.T) {
	rows := []present.GroupRow{{}, {}, {}, {}}
	for i, g := range []struct {
		name string
		role world.Role
	}{{"bastions", world.RoleBastion}, {"masters", world.RoleControlPlane}, {"nodes-a", world.RoleNode}, {"nodes-b", world.RoleNode}} {
		rows[i].Name, rows[i].Role = g.name, g.role
	}
	plain := []present.GroupRow{{}, {}}
	plain[0].Name, plain[1].Name = "batch", "web"
	managed := []present.GroupRow{{}, {}}
	managed[0].Name, managed[1].Name = "mail", "shop"
	managed[1].Managed = &world.ManagedGroup{}
	for _, c := range []struct {
		scope Scope
		args  string
		rows  []present.GroupRow
		want  string // groups, or what is wrong
		again string
	}{
		{Scope{All: true}, "", rows, "bastions masters nodes-a nodes-b", "drainboard upgrade --all"},
		{Scope{}, "nodes-b nodes-a nodes-b", rows, "nodes-a nodes-b", "drainboard upgrade nodes-b nodes-a"},
		{Scope{InstanceGroups: []string{"masters", " nodes-a"}}, "", rows, "masters nodes-a", "drainboard upgrade masters nodes-a"},
		{Scope{Roles: []string{"Nodes", "master"}}, "", rows, "masters nodes-a nodes-b", "drainboard upgrade --instance-group-roles Nodes,master"},
		{Scope{All: true, Roles: []string{"bastion"}}, "", rows, "bastions", "drainboard upgrade --all --instance-group-roles bastion"},
		{Scope{Roles: []string{"node"}}, "masters nodes-a", rows, "nodes-a", "drainboard upgrade masters nodes-a --instance-group-roles node"},
		{Scope{Roles: []string{"apiserver"}}, "", rows, "!no group has role apiserver; choose from bastion, control-plane, node", ""},
		{Scope{Roles: []string{"node"}}, "masters", rows, "!none of masters has role node", ""},
		{Scope{Roles: []string{"worker"}}, "", rows, `!"worker" is not one of bastion, control-plane, apiserver, node`, ""},
		{Scope{Roles: []string{"node"}}, "", plain, "!only kops's instance groups have roles", ""},
		{Scope{}, "web, nope", plain, "!unknown group web,, nope; choose from batch, web", ""},
		{Scope{All: true}, "", nil, "!no group owns a node", ""},
		{Scope{All: true}, "web", plain, "!give either --all or names", ""},
		{Scope{}, "", plain, "!name a GROUP, or give --all", ""},
		{Scope{InstanceGroups: []string{""}}, "", plain, "!empty name of a group", ""},
		{Scope{All: true, BastionsAtOnce: true}, "", plain, "!--bastions-at-once is for kops", ""},
		{Scope{All: true, ManagedAtOnce: 2}, "", plain, "!--node-groups-at-once is for groups that EKS manages", ""},
		{Scope{All: true, ManagedAtOnce: -1}, "", managed, "!--node-groups-at-once: -1 is too small", ""},
		{Scope{All: true, ManagedAtOnce: 2, KeepGoing: true}, "", managed, "mail shop", "drainboard upgrade --all"},
		{Scope{All: true, KeepGoing: true}, "", rows, "!--keep-going: kops fixes which errors", ""},
	} {
		err := c.scope.Take(strings.Fields(c.args))
		var got []present.GroupRow
		if err == nil {
			got, err = c.scope.Choose(c.rows)
		}
		if err == nil {
			_, err = c.scope.Rules(got)
		}
		if says, wrong := strings.CutPrefix(c.want, "!"); wrong {
			if !strings.Contains(err.Error(), says) {
				t.Errorf("%+v: %v, want %s", c.scope, err, says)
			}
			continue
		}
		var names []string
		for _, g := range got {
			names = append(names, g.Name)
		}
		if err != nil || strings.Join(names, " ") != c.want || c.scope.Again(present.CommandLine{}) != c.again || !c.scope.IsRoll() {
			t.Errorf("%+v: %v, %v, again: %s", c.scope, names, err, c.scope.Again(present.CommandLine{}))
		}
	}
	several := Scope{All: true, ManagedAtOnce: 2}
	if rules, err := several.Rules(managed); err != nil || rules.Steps[1].AtOnce != 2 || !strings.Contains(rules.About, "up to 2 managed node groups of EKS side by side; an error stops") {
		t.Errorf("%+v %v", rules, err)
	}
	one := Scope{}
	if err := one.Take([]string{"web"}); err != nil || one.IsRoll() || !slices.Equal(one.Named, []string{"web"}) {
		t.Errorf("one group: %v", err)
	}
}
