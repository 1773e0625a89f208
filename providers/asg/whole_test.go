package asg

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/autoscaling/types"

	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg/awstest"
	"github.com/drainboard/drainboard/providers/asg/transport"
)

// shop is a whole of two groups: web, which is part of most tests, and db.
var shop = Whole{
	Provider: "shop", Key: "shop", Value: "corner", Detached: detachedTag,
	Role:  func(tags map[string]string) world.Role { return world.Role(tags["role"]) },
	Alias: func(name string, _ map[string]string) string { return "the " + name },
}

// yard is what EC2 and Auto Scaling tell of the shop.
type yard struct {
	mu      sync.Mutex
	web     []string // members of web
	ec2     []string // machines in EC2 that are detached or ending
	unseen  []string // machines that are only found by their id
	lookups []string // ids that were asked for
}

func (y *yard) set(change func()) {
	y.mu.Lock()
	defer y.mu.Unlock()
	change()
}

// withShop answers for the shop on several pages.
func (s *service) withShop() *yard {
	s.withGroup("InService")
	s.on("DescribeScalingActivities", "")
	y := &yard{}
	template := e("LaunchTemplate", spec("lt-1", "2"))
	s.onCall("DescribeAutoScalingGroups", func(f url.Values) string {
		if f.Get("Filters.member.1.Name") != "tag:shop" || f.Get("Filters.member.1.Values.member.1") != "corner" {
			return fail(400, "ValidationError", "not by its tag")
		}
		if f.Get("NextToken") == "" {
			return groups(group("db", template, awstest.Tags("shop", "corner", "role", "bastion"), members("Instances",
				instance("i-db", "eu-west-1a", "InService", "2"), instance("i-end", "eu-west-1a", "InService", "1"), instance("i-old", "eu-west-1a", "Terminating", "1"))),
				group("gone", template, e("Status", "Delete in progress"), awstest.Tags("shop", "corner", "role", "node")),
				group("no part", template, awstest.Tags("shop", "corner"))) + e("NextToken", "web")
		}
		y.mu.Lock()
		defer y.mu.Unlock()
		return groups(group("web", template, awstest.Tags("shop", "corner", "role", "node"), members("Instances", y.web...)))
	})
	s.onCall("DescribeInstances", func(f url.Values) string {
		y.mu.Lock()
		defer y.mu.Unlock()
		if f.Get("Filter.1.Name") == "instance-id" {
			y.lookups = append(y.lookups, f.Get("Filter.1.Value.1"))
			return reservation(y.unseen...)
		}
		if f.Get("Filter.1.Name") != "tag:shop" || f.Get("Filter.1.Value.1") != "corner" {
			return fail(400, "InvalidParameterValue", "not by its tag")
		}
		ending := f.Get("Filter.2.Name") == "instance-state-name"
		if !ending && (!strings.Contains(f.Get("Filter.2.Name"), detachedTag) && f.Get("Filter.2.Name") != "tag-key" || f.Get("Filter.3.Value.1") != "pending") {
			return fail(400, "InvalidParameterValue", "not what is detached")
		}
		var match []string
		for _, m := range y.ec2 {
			over := strings.Contains(m, "shutting-down") || strings.Contains(m, "terminated")
			if ending && over || !ending && strings.Contains(m, detachedTag) && !strings.Contains(m, "terminated") {
				match = append(match, m)
			}
		}
		if f.Get("NextToken") == "" && len(match) > 1 {
			return reservation(match[0]) + e("nextToken", "rest")
		}
		if f.Get("NextToken") != "" {
			match = match[1:]
		}
		return reservation(match...)
	})
	return y
}

// took is a machine that was detached from web, launched from version 1.
func took(id, state string) string {
	return machine(id, state, "shop", "corner", detachedTag, "web", "aws:ec2launchtemplate:id", "lt-1", "aws:ec2launchtemplate:version", "1")
}

// ids are the machines of a world, each with its state, and a minus if it is detached.
func ids(w *world.World) string {
	var all []string
	for _, m := range w.Machines() {
		word := m.ID + " " + m.State
		if m.Detached {
			word = "-" + word
		}
		all = append(all, word)
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// watch follows web in the shop. Each look at the world is compared with what is next
// wanted, until all has been seen; then is done once that is seen.
func watch(t *testing.T, c *Client, steps ...step) {
	t.Helper()
	w := shop
	f := c.Feed("web", FeedOptions{Whole: &w, Fast: time.Millisecond, Slow: time.Millisecond})
	follow(t, f, func(w *world.World) bool {
		t.Helper()
		if p := w.Health[world.Cloud].Problem; p != "" {
			t.Errorf("problem: %s", p)
		}
		if got := ids(w); got != steps[0].want {
			if !slices.Contains(steps[0].passing, got) {
				t.Errorf("got  %s\nwant %s", got, steps[0].want)
				return true
			}
			return false
		}
		if steps[0].then != nil {
			steps[0].then()
		}
		steps = steps[1:]
		f.Poke()
		return len(steps) == 0
	})
	if len(steps) > 0 {
		t.Errorf("not seen: %s", steps[0].want)
	}
}

// step is a picture that is waited for; passing are those that may come before it.
type step struct {
	want    string
	passing []string
	then    func()
}

func TestFeedOfAPart(t *testing.T) {
	s, c := connect(t)
	y := s.withShop()
	serving := func(id string) string { return instance(id, "eu-west-1a", "InService", "2") }
	y.web = []string{serving("i-1"), instance("i-2", "eu-west-1a", "Detaching", "1"), serving("i-5"), serving("i-6")}
	y.ec2 = []string{took("i-1", "running"), // tagged, and a member all the same
		took("i-2", "running"), took("i-3", "running"), took("i-4", "shutting-down"), machine("i-end", "shutting-down")}
	w := shop
	follow(t, c.Feed("web", FeedOptions{Whole: &w}), func(w *world.World) bool {
		g := w.Group
		if g.Name != "web" || g.Provider != "shop" || g.Role != world.RoleNode || g.Template.Version != 2 {
			t.Errorf("got %+v", g)
		}
		want := []world.Peer{
			{Name: "db", Role: world.RoleBastion, Size: 3, Machines: []string{"i-db"}},
			{Name: "web", Role: world.RoleNode, Size: 3, Machines: []string{"i-1", "i-5", "i-6"}},
		}
		if !slices.EqualFunc(g.Peers, want, func(a, b world.Peer) bool {
			return a.Name == b.Name && "the "+a.Name == a.Alias && a.Role == b.Role && a.Size == b.Size && slices.Equal(a.Machines, b.Machines)
		}) {
			t.Errorf("got  %+v\nwant %+v", g.Peers, want)
		}
		if got, want := ids(w), "-i-2 InService, -i-3 InService, -i-4 Terminating, i-1 InService, i-5 InService, i-6 InService"; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		m := *w.Machine("i-3")
		if m.Template != (world.Template{ID: "lt-1", Version: 1}) || m.Zone != "eu-west-1a" || m.Type != "m5.large" || m.Detail != "running" {
			t.Errorf("got %+v", m)
		}
		return true
	})
	for _, f := range s.sent("DescribeAutoScalingGroups") {
		if f.Has("AutoScalingGroupNames.member.1") {
			t.Errorf("asked for one group: %v", f)
		}
	}
}

// A member that EC2 has ended does not count as in service until its group notices, and
// what is gone is gone.
func TestFeedOfAPartThatEnds(t *testing.T) {
	s, c := connect(t)
	y := s.withShop()
	one, two := instance("i-1", "eu-west-1a", "InService", "1"), instance("i-2", "eu-west-1a", "InService", "2")
	y.web = []string{one, two}
	watch(t, c,
		step{want: "i-1 InService, i-2 InService", then: func() {
			y.set(func() { y.ec2 = []string{machine("i-1", "shutting-down", "shop", "corner")} })
		}},
		step{want: "i-1 Terminating, i-2 InService", passing: []string{"i-1 InService, i-2 InService"}, then: func() {
			y.set(func() { y.ec2 = []string{machine("i-1", "terminated", "shop", "corner")} })
		}},
		step{want: "i-1 Terminating, i-2 InService", then: func() { y.set(func() { y.web = []string{two} }) }},
		step{want: "i-2 InService", passing: []string{"i-1 Terminating, i-2 InService"}},
	)
	if len(y.lookups) > 0 {
		t.Errorf("looked for %v, which was ending", y.lookups)
	}
}

// A machine that is in no list for a moment is not taken for gone.
func TestFeedOfAPartWhileItDetaches(t *testing.T) {
	s, c := connect(t)
	y := s.withShop()
	one, two := instance("i-1", "eu-west-1a", "InService", "1"), instance("i-2", "eu-west-1a", "InService", "2")
	y.web = []string{one, two}
	both := "i-1 InService, i-2 InService"
	watch(t, c,
		step{want: both, then: func() { // detached, and EC2 does not tell of the tag yet
			y.set(func() { y.web, y.unseen = []string{two}, []string{machine("i-1", "running")} })
		}},
		step{want: both},
		step{want: both, then: func() { y.set(func() { y.unseen = []string{took("i-1", "running")} }) }},
		step{want: "-i-1 InService, i-2 InService", passing: []string{both}, then: func() {
			y.set(func() { y.ec2, y.unseen = []string{took("i-1", "running")}, nil })
		}},
		step{want: "-i-1 InService, i-2 InService", then: func() { y.set(func() { y.ec2 = []string{took("i-1", "shutting-down")} }) }},
		step{want: "-i-1 Terminating, i-2 InService", passing: []string{"-i-1 InService, i-2 InService"}, then: func() { y.set(func() { y.ec2 = nil }) }},
		step{want: "i-2 InService", passing: []string{"-i-1 Terminating, i-2 InService"}},
	)
	if !slices.Contains(y.lookups, "i-1") {
		t.Error("it was not looked for")
	}
}

// One that another user has taken out of the group is let go after a while; one that is
// over at once.
func TestFeedOfAPartLosesMachines(t *testing.T) {
	s, c := connect(t)
	y := s.withShop()
	y.unseen = []string{machine("i-1", "running")} // i-2 is over
	before := map[string]world.Machine{"i-1": {ID: "i-1", State: world.MachineInService}, "i-2": {ID: "i-2", State: world.MachineInService}, "i-3": {ID: "i-3", State: world.MachineTerminating}}
	o := outside{last: before}
	got, err := o.find(t.Context(), c, shop, "web", nil)
	if err != nil || len(got) != 1 || got[0].ID != "i-1" || got[0].Detached {
		t.Fatalf("got %+v %v", got, err)
	}
	o.lost["i-1"] = time.Now().Add(-heldFor)
	if got, err = o.find(t.Context(), c, shop, "web", nil); err != nil || len(got) != 0 {
		t.Errorf("got %+v %v", got, err)
	}
	o.last = nil
	if _, err = o.find(t.Context(), c, shop, "web", nil); err != nil || len(o.lost) != 0 {
		t.Errorf("still held: %v %v", o.lost, err)
	}
}

// What EC2 has ended is asked for when it may have changed: at first, while something is
// continuing, and as long as a machine is ending.
func TestOutsideAsksWhenItMatters(t *testing.T) {
	s, c := connect(t)
	y := s.withShop()
	asked := func() (n int) {
		for _, f := range s.sent("DescribeInstances") {
			if f.Get("Filter.2.Name") == "instance-state-name" {
				n++
			}
		}
		return n
	}
	var o outside
	members := []world.Machine{{ID: "i-1", State: world.MachineInService}}
	for i, tt := range []struct {
		busy, ending bool
		want         int
	}{{false, false, 1}, {false, false, 1}, {true, true, 2}, {false, true, 3}, {false, false, 4}, {false, false, 4}} {
		y.set(func() {
			y.ec2 = nil
			if tt.ending {
				y.ec2 = []string{machine("i-1", "shutting-down")}
			}
		})
		if _, err := o.read(t.Context(), c, shop, "web", members, tt.busy); err != nil || asked() != tt.want {
			t.Errorf("look %d: asked %d times, want %d (%v)", i, asked(), tt.want, err)
		}
	}

	o.trouble = transport.ErrThrottled // what could not be read is asked for again
	if _, err := o.read(t.Context(), c, shop, "web", members, false); err != nil || asked() != 5 || o.trouble != nil {
		t.Errorf("asked %d times, %v %v", asked(), err, o.trouble)
	}
}

// A group whose machines were detached is short of them, and looked at often.
func TestDetachedMachinesAreMissed(t *testing.T) {
	g := world.Group{Sizes: world.Sizes{Desired: 2}}
	two := []world.Machine{{ID: "i-1", State: world.MachineInService}, {ID: "i-2", State: world.MachineInService, Detached: true}}
	if !moving(g, two) {
		t.Error("a detached machine counts as one of the group's")
	}
	two[1].Detached = false
	if moving(g, two) {
		t.Error("a group that has what it is to have is short")
	}
}

// Without what was detached there is no picture; what else EC2 does not tell is said.
func TestFeedOfAPartTrouble(t *testing.T) {
	s, c := connect(t)
	s.withShop()
	w := shop
	denied := fail(403, "UnauthorizedOperation", "no")
	s.on("DescribeInstances", denied)
	err := follow(t, c.Feed("web", FeedOptions{Whole: &w, Certain: true}), func(*world.World) bool { return false })
	if !errors.Is(err, transport.ErrForbidden) || !strings.Contains(err.Error(), "ec2:DescribeInstances") {
		t.Errorf("got %v", err)
	}
	s.onCall("DescribeInstances", func(f url.Values) string {
		if f.Get("Filter.2.Name") == "instance-state-name" {
			return denied
		}
		return reservation()
	})
	follow(t, c.Feed("web", FeedOptions{Whole: &w}), func(w *world.World) bool {
		if h := w.Health[world.Cloud]; h.Fresh.IsZero() || !strings.Contains(h.Problem, "ec2:DescribeInstances") {
			t.Errorf("got %+v", h)
		}
		return true
	})
	if err := follow(t, c.Feed("other", FeedOptions{Whole: &w, Certain: true}), func(*world.World) bool { return false }); !errors.Is(err, transport.ErrNotFound) || !strings.Contains(err.Error(), "with the tag shop=corner in eu-west-1") {
		t.Errorf("got %v", err)
	}
}

func TestGroupsOf(t *testing.T) {
	s, c := connect(t)
	y := s.withShop()
	y.web = []string{instance("i-1", "eu-west-1a", "InService", "1"), instance("i-2", "eu-west-1a", "Detaching", "1")}
	y.ec2 = []string{took("i-3", "running"), took("i-2", "running"), took("i-1", "running")} // i-1 is tagged and a member
	got, err := c.GroupsOf(t.Context(), shop)
	if err != nil || len(got) != 3 || got[0].Name != "db" || got[1].Name != "gone" || got[1].Refused == "" {
		t.Fatalf("got %+v %v", got, err)
	}
	if db := got[0]; db.Machines != 2 || db.Detached != nil {
		t.Errorf("got %+v", db)
	}
	if web := got[2]; web.Provider != "shop" || web.Role != world.RoleNode || !slices.Equal(web.Detached, []string{"i-2", "i-3"}) || web.Machines != 1 || web.Outdated != 1 {
		t.Errorf("got %+v", web)
	}
	s.on("DescribeAutoScalingGroups", fail(400, "Throttling", "Rate exceeded"))
	if _, err := c.GroupsOf(t.Context(), shop); !errors.Is(err, transport.ErrThrottled) {
		t.Errorf("got %v", err)
	}
}

// A warm pool that alone is outdated makes its group outdated, as kops has it; where it may not be
// read, the group is as its members are.
func TestGroupsOfCountWarm(t *testing.T) {
	s, c := connect(t)
	s.withShop()
	s.on("DescribeAutoScalingGroups", groups(group("web", e("LaunchTemplate", spec("lt-1", "2")), awstest.Tags("shop", "corner", "role", "node"),
		e("WarmPoolConfiguration", e("MinSize", "1")), members("Instances", instance("i-1", "eu-west-1a", "InService", "2")))))
	s.on("DescribeWarmPool", members("Instances", instance("i-7", "eu-west-1a", "Warmed:Stopped", "2"),
		instance("i-8", "eu-west-1a", "Warmed:Stopped", "1"), instance("i-9", "eu-west-1a", "Warmed:Terminating", "1")))
	for _, want := range []int{1, 0} {
		got, err := c.GroupsOf(t.Context(), shop)
		if err != nil || len(got) != 1 || got[0].Outdated != want || got[0].Machines != 1 {
			t.Errorf("got %+v %v, want %d outdated", got, err, want)
		}
		s.on("DescribeWarmPool", fail(403, "AccessDenied", "no"))
	}
}

func TestTagsOf(t *testing.T) {
	s, c := connect(t)
	s.on("DescribeAutoScalingGroups", groups(
		group("web", awstest.Tags("shop", "corner"), members("Instances", instance("i-1", "eu-west-1a", "InService", "1"))),
		group("db", awstest.Tags("shop", "other"), members("Instances", instance("i-2", "eu-west-1a", "InService", "1"))),
		group("empty", awstest.Tags("shop", "corner"))))
	got, err := c.TagsOf(t.Context(), map[string]bool{"i-1": true})
	if err != nil || len(got) != 1 || got[0]["shop"] != "corner" {
		t.Errorf("got %v %v", got, err)
	}
}

// A machine that waits to leave its load balancers is none of the group's any more.
func TestPeersWithoutTheLeaving(t *testing.T) {
	name, state := "web", types.LifecycleStateDetaching
	id := "i-1"
	g := types.AutoScalingGroup{AutoScalingGroupName: &name, Instances: []types.Instance{{InstanceId: &id, LifecycleState: state}}}
	if got, err := shop.peers(t.Context(), []types.AutoScalingGroup{g}, nil); err != nil || len(got) != 1 || len(got[0].Machines) != 0 {
		t.Errorf("got %+v, %v", got, err)
	}
}

// What the whole is to have is among its groups, and told by name which of them there are;
// where that cannot be read, the others are there all the same.
func TestPeersThatAreToBe(t *testing.T) {
	web, gone, deleted := "web", "gone", "Delete in progress"
	there := []types.AutoScalingGroup{{AutoScalingGroupName: &web}, {AutoScalingGroupName: &gone, Status: &deleted}}
	w := shop
	w.Unmade = func(_ context.Context, has func(string) bool) ([]world.Peer, error) {
		if !has("the web") || has("the gone") {
			return nil, errors.New("unread")
		}
		return []world.Peer{{Name: "db", Missing: true}}, nil
	}
	got, err := w.peers(t.Context(), there, nil)
	if err != nil || len(got) != 2 || got[0].Name != "db" || !got[0].Missing || got[1].Name != "web" {
		t.Errorf("got %+v, %v", got, err)
	}
	if got, err := w.peers(t.Context(), nil, nil); err == nil || len(got) > 0 {
		t.Errorf("got %+v, %v", got, err)
	}
}
