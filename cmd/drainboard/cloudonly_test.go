package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/engine/api"
	"github.com/drainboard/drainboard/engine/api/apitest"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/session"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/providers/asg/awstest"
	"github.com/drainboard/drainboard/providers/asg/taglock"
	"github.com/drainboard/drainboard/providers/journal"
)

const (
	shopCluster = "shop.example.com"
	shopGroup   = "nodes-a." + shopCluster
)

// shop is an AWS with one group of kops, which replaces the machines that are ended, and
// one group of nobody in particular.
type shop struct {
	*awstest.Service
	mu    sync.Mutex
	state map[string]string // of each machine there was
	old   map[string]bool   // of version 1
	tag   string            // the group's lock
	made  int
	ended func() // told of each machine that ends; may be nil
}

// aloneWith is a shop whose group has machines i-1 and i-2, both outdated, a home for this
// user, and a Kubernetes that nobody may ask.
func aloneWith(t *testing.T) *shop {
	s := &shop{Service: awstest.Start(t), state: map[string]string{"i-1": "running", "i-2": "running"}, old: map[string]bool{"i-1": true, "i-2": true}}
	kubernetes := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("Kubernetes was asked: %s %s", r.Method, r.URL)
	}))
	t.Cleanup(kubernetes.Close)
	config := filepath.Join(t.TempDir(), "config")
	text := fmt.Sprintf(`{"apiVersion":"v1","kind":"Config","current-context":"c","contexts":[{"name":"c","context":{"cluster":"c"}}],"clusters":[{"name":"c","cluster":{"server":%q}}]}`, kubernetes.URL)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBECONFIG", config)
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("KOPS_CLUSTER_NAME", shopCluster)
	t.Setenv("KOPS_STATE_STORE", "")
	s.WithTemplate()
	for _, nothing := range []string{"DescribeInstanceRefreshes", "DescribeScalingActivities", "DescribeLifecycleHooks", "DescribePolicies", "DescribeScheduledActions", "DescribeSubnets"} {
		s.On(nothing, "")
	}
	s.OnCall("DescribeAutoScalingGroups", s.groups)
	s.OnCall("DescribeInstances", s.machines)
	s.OnCall("TerminateInstances", s.terminate)
	s.OnCall("DescribeAutoScalingInstances", func(f url.Values) string {
		s.mu.Lock()
		defer s.mu.Unlock()
		id := f.Get("InstanceIds.member.1")
		if s.state[id] != "running" {
			return awstest.Members("AutoScalingInstances")
		}
		return awstest.Members("AutoScalingInstances", awstest.E("InstanceId", id, "AutoScalingGroupName", shopGroup, "LifecycleState", "InService"))
	})
	s.OnCall("DescribeTags", func(url.Values) string {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.tag == "" {
			return awstest.Members("Tags")
		}
		return awstest.Members("Tags", awstest.E("Key", taglock.Key, "ResourceId", shopGroup, "Value", s.tag))
	})
	s.OnCall("CreateOrUpdateTags", func(f url.Values) string {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.tag = f.Get("Tags.member.1.Value")
		return ""
	})
	s.OnCall("DeleteTags", func(url.Values) string {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.tag = ""
		return ""
	})
	return s
}

func (s *shop) groups(f url.Values) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var members []string
	for _, id := range slices.Sorted(maps.Keys(s.state)) {
		version := "2"
		if s.old[id] {
			version = "1"
		}
		if s.state[id] == "running" {
			members = append(members, awstest.Instance(id, "eu-west-1a", "InService", version))
		}
	}
	group := func(name, desired, tags string, of ...string) string {
		return awstest.E("AutoScalingGroupName", name, "AutoScalingGroupARN", "arn:aws:autoscaling:eu-west-1:1:autoScalingGroup:u:autoScalingGroupName/"+name,
			"MinSize", "1", "MaxSize", "5", "DesiredCapacity", desired, "LaunchTemplate", awstest.Spec("lt-1", "2")) + tags + awstest.Members("Instances", of...)
	}
	tags := []string{"KubernetesCluster", shopCluster, "kops.k8s.io/instancegroup", "nodes-a", "k8s.io/role/node", "1"}
	if s.tag != "" {
		tags = append(tags, taglock.Key, s.tag)
	}
	all := map[string]string{
		shopGroup: group(shopGroup, "2", awstest.Tags(tags...), members...),
		"by-hand": group("by-hand", "0", ""),
	}
	name := f.Get("AutoScalingGroupNames.member.1")
	switch {
	case name != "":
		if all[name] == "" {
			return awstest.Groups()
		}
		return awstest.Groups(all[name])
	case f.Get("Filters.member.1.Name") != "":
		return awstest.Groups(all[shopGroup])
	}
	return awstest.Groups(all[shopGroup], all["by-hand"])
}

func (s *shop) machines(f url.Values) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	named := f.Get("InstanceId.1")
	wanted := func(id string) bool { return named == "" || id == named }
	for n := 1; f.Get(fmt.Sprintf("Filter.%d.Name", n)) != ""; n++ {
		var values []string
		for v := 1; f.Get(fmt.Sprintf("Filter.%d.Value.%d", n, v)) != ""; v++ {
			values = append(values, f.Get(fmt.Sprintf("Filter.%d.Value.%d", n, v)))
		}
		before, name := wanted, f.Get(fmt.Sprintf("Filter.%d.Name", n))
		wanted = func(id string) bool {
			switch {
			case !before(id), strings.Contains(name, "detached"):
				return false
			case name == "instance-id":
				return slices.Contains(values, id)
			case name == "instance-state-name":
				return slices.Contains(values, s.state[id])
			}
			return true
		}
	}
	var list []string
	for _, id := range slices.Sorted(maps.Keys(s.state)) {
		if wanted(id) {
			list = append(list, awstest.Machine(id, s.state[id], "aws:autoscaling:groupName", shopGroup))
		}
	}
	return awstest.Reservation(list...)
}

func (s *shop) terminate(f url.Values) string {
	if f.Get("DryRun") == "true" {
		return awstest.Fail(http.StatusPreconditionFailed, "DryRunOperation", "Request would have succeeded, but DryRun flag is set.")
	}
	s.mu.Lock()
	id := f.Get("InstanceId.1")
	s.state[id] = "terminated"
	s.made++
	s.state[fmt.Sprintf("i-new-%d", s.made)] = "running"
	ended := s.ended
	s.mu.Unlock()
	if ended != nil {
		ended()
	}
	return ""
}

func (s *shop) locked() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tag
}

// outdated counts the machines of the old version that run.
func (s *shop) outdated() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, state := range s.state {
		if s.old[id] && state == "running" {
			n++
		}
	}
	return n
}

// called is one call of the program, with typed input.
func called(ctx context.Context, input string, args ...string) (code int, out, errOut string) {
	ctx, stop := context.WithTimeout(ctx, time.Minute) // rather than with the package's limit: what it said is told
	defer stop()
	var b, e bytes.Buffer
	root := newRoot(strings.NewReader(input), &b, &e)
	code = execute(ctx, root, args)
	return code, b.String(), e.String()
}

var alonely = []string{"upgrade", "nodes-a", "--cloudonly", "--auto", "-o", "json", "--max-surge", "0", "--max-unavailable", "1", "--node-interval", "0s"}

// A run without Kubernetes ends machines one after the other and asks no cluster anything.
// Its record and its journal are here; its lock is gone at the end.
func TestCloudOnly(t *testing.T) {
	s := aloneWith(t)
	code, out, errOut := called(t.Context(), "", "plan", "nodes-a", "--cloudonly")
	if code != 0 || !strings.Contains(out, "NO NODE IS DRAINED") || !strings.Contains(out, "i-1") {
		t.Fatalf("plan: %d\n%s%s", code, out, errOut)
	}
	if code, out, errOut = called(t.Context(), "", "groups", "--cloudonly"); code != 0 || !strings.Contains(out, "nodes-a") || strings.Contains(out, "by-hand") {
		t.Errorf("groups: %d\n%s%s", code, out, errOut)
	}
	for args, kind := range map[string]string{
		"groups": "GroupList", "plan nodes-a": "GroupPlan", "plan --all": "RollPlan", "upgrade nodes-a --dry-run": "GroupPlan", "status": "GroupStatusList", "status nodes-a": "GroupStatus",
	} {
		code, out, errOut = called(t.Context(), "", append(strings.Fields(args), "--cloudonly", "-o", "json")...)
		if kinds := apitest.Valid(t, []byte(out)); code != 0 || len(kinds) != 1 || kinds[0] != kind || strings.Contains(out, "latestRun") {
			t.Errorf("%s: %d, %s\n%s%s", args, code, kinds, out, errOut)
		}
	}
	if s.locked() != "" || s.outdated() != 2 {
		t.Fatal("a look changed something")
	}

	code, out, errOut = called(t.Context(), "", alonely...)
	if code != 0 || s.outdated() != 0 || s.locked() != "" {
		t.Fatalf("upgrade: %d, %d outdated, the tag says %q\n%s%s", code, s.outdated(), s.locked(), out, errOut)
	}
	if kinds := apitest.Valid(t, []byte(out)); slices.ContainsFunc(kinds, func(kind string) bool { return kind != "Event" }) {
		t.Errorf("upgrade prints %s", kinds)
	}
	for _, says := range []string{"NO NODE IS DRAINED", "sent commands by other processes"} {
		if !strings.Contains(out, says) {
			t.Errorf("it does not say %q:\n%s", says, out)
		}
	}
	if code, out, errOut = called(t.Context(), "", "status", "nodes-a", "--cloudonly", "-o", "json"); code != 0 || !strings.Contains(out, `"finished"`) {
		t.Errorf("status: %d\n%s%s", code, out, errOut)
	}
	apitest.Valid(t, []byte(out))
	forced := 0
	for _, l := range journalOf(t) {
		if a := l.Action; a != nil && a.Kind == record.Terminate {
			if a.Forced == nil || a.Forced.By != session.User() || !a.Direct {
				t.Errorf("ended without an order: %+v", a)
			}
			forced++
		}
	}
	if forced != 2 {
		t.Errorf("%d machines were ended by order", forced)
	}
}

// journalOf is the journal of the one run that there was.
func journalOf(t *testing.T) (lines []journal.Line) {
	dir, err := journal.Dir()
	if err != nil {
		t.Fatal(err)
	}
	e, err := journal.Find(dir, shopGroup, "")
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(e.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := journal.Read(f, func(l journal.Line) bool {
		lines = append(lines, l)
		return true
	}); err != nil {
		t.Fatal(err)
	}
	return lines
}

// A run that was left in the middle has its record on this machine. Another one sees where
// that is and changes nothing; nor does a run with Kubernetes.
func TestCloudOnlyHasItsRecordHere(t *testing.T) {
	s := aloneWith(t)
	ctx, leave := context.WithCancel(t.Context())
	s.ended = leave
	if code, out, errOut := called(ctx, "", alonely...); code != exitcode.Paused || s.outdated() != 1 {
		t.Fatalf("left with %d, %d outdated\n%s%s", code, s.outdated(), out, errOut)
	}
	s.ended = nil
	if tag := s.locked(); !strings.Contains(tag, "at="+session.User()) || strings.Contains(tag, "until=") {
		t.Errorf("the tag says %q", tag)
	}
	if err := session.RunWithoutKubernetes(shopGroup, map[string]string{taglock.Key: s.locked()}, time.Now()); err == nil || !strings.Contains(err.Error(), "--cloudonly") {
		t.Errorf("a run with Kubernetes may begin beside it: %v", err)
	}

	home := os.Getenv("XDG_STATE_HOME")
	t.Setenv("XDG_STATE_HOME", t.TempDir()) // another machine
	code, out, errOut := called(t.Context(), "", alonely...)
	if code != exitcode.WrongUse || !strings.Contains(errOut, "another machine: "+session.User()) || !strings.Contains(errOut, "--record discard") || s.outdated() != 1 {
		t.Errorf("elsewhere: %d, %d outdated\n%s%s", code, s.outdated(), out, errOut)
	}
	if code, out, errOut = called(t.Context(), "", "status", "--cloudonly"); code != 0 || !strings.Contains(out, "recorded on another machine: "+session.User()) {
		t.Errorf("status elsewhere: %d\n%s%s", code, out, errOut)
	}
	if code, out, errOut = called(t.Context(), "", "status", "--cloudonly", "-o", "json"); code != 0 || !strings.Contains(out, `"remoteRun": {`) || strings.Contains(out, `"latestRun"`) {
		t.Errorf("status elsewhere for programs: %d\n%s%s", code, out, errOut)
	}
	apitest.Valid(t, []byte(out))
	if code, out, errOut = called(t.Context(), "", "abort", "nodes-a", "--cloudonly", "--yes"); code != exitcode.WrongUse || !strings.Contains(errOut, "no run recorded on this machine") {
		t.Errorf("abort elsewhere: %d\n%s%s", code, out, errOut)
	}

	t.Setenv("XDG_STATE_HOME", home)
	if code, out, errOut = called(t.Context(), "", "status", "nodes-a", "--cloudonly", "-o", "json"); code != 0 {
		t.Errorf("status: %d\n%s%s", code, out, errOut)
	}
	apitest.Valid(t, []byte(out))
	var of api.GroupStatus
	if err := json.Unmarshal([]byte(out), &of); err != nil || of.RemoteRun != nil || of.LatestRun == nil || of.LatestRun.State == string(record.Finished) || of.LatestRun.Outdated != 2 || of.LatestRun.Driver != "" {
		t.Errorf("status: %+v, %v", of, err)
	}
	if code, out, errOut = called(t.Context(), "", alonely...); code != 0 || s.outdated() != 0 || s.locked() != "" {
		t.Errorf("continuing: %d, %d outdated, the tag says %q\n%s%s", code, s.outdated(), s.locked(), out, errOut)
	}
}

// As long as the record does not say that a run has ended, the tag does not either.
func TestCloudOnlyTagFollowsTheRecord(t *testing.T) {
	aws := aloneWith(t)
	s, _, err := (session.Options{}).OpenCloudOnly(t.Context(), backend.Where{CloudOnly: true}, false)
	if err != nil {
		t.Fatal(err)
	}
	held := s.Lease(shopGroup, nil)
	if err := held.Acquire(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, _, err := held.Record.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	run := record.Run{ID: "nodes-a-1", Group: shopGroup, State: record.Running}
	if err := held.Record.Save(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(os.Getenv("XDG_STATE_HOME"), "drainboard", "records")
	if err := errors.Join(os.Rename(dir, dir+"-full"), os.WriteFile(dir, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	run.State = record.Finished
	if err := held.Record.Save(t.Context(), run); err == nil {
		t.Error("saved to a disk that is full")
	}
	held.Release()
	if tag := aws.locked(); !strings.Contains(tag, "run=nodes-a-1") {
		t.Errorf("the tag says %q", tag)
	}
}

// What cannot be done without Kubernetes is refused, with the reason, and changes nothing.
func TestCloudOnlyRefuses(t *testing.T) {
	s := aloneWith(t)
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"plan", "by-hand", "--cloudonly"}, "groups created by kops"},
		{[]string{"plan", "nodes-a", "--cloudonly", "--provider", "asg"}, "groups created by kops"},
		{[]string{"plan", "nodes-a", "--cloudonly", "--strategy", "eks"}, "drains nodes"},
		{[]string{"plan", "nodes-a", "--cloudonly", "--drain-timeout", "5m"}, "drains and validates nothing"},
		{[]string{"plan", "nodes-a", "--cloudonly", "--order", "fewest-blockers"}, "pods and node names are unknown"},
		{[]string{"plan", "nodes-a", "--cloudonly", "--context", "prod"}, "contradict"},
		{[]string{"watch", "nodes-a", "--cloudonly"}, "cannot be watched"},
		{[]string{"pause", "nodes-a", "--cloudonly"}, "accepts no commands"},
		{[]string{"abort", "nodes-a", "--cloudonly", "--yes"}, "no run"},
		{[]string{"status", "by-hand", "--cloudonly"}, "no group by-hand"},
	} {
		if code, out, errOut := called(t.Context(), "", c.args...); code != exitcode.WrongUse || !strings.Contains(errOut, c.says) {
			t.Errorf("%v: %d\n%s%s", c.args, code, out, errOut)
		}
	}
	for _, action := range s.Actions() {
		if !strings.HasPrefix(action, "Describe") {
			t.Errorf("sent %s", action)
		}
	}
}

// call runs drainboard in this process.
func call(args ...string) (out string, code int) {
	var b, errors bytes.Buffer
	root := newRoot(strings.NewReader(""), &b, &errors)
	code = execute(context.Background(), root, args)
	return b.String() + errors.String(), code
}
