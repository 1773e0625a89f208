package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drainboard/drainboard/lab/cloud"
)

// checkRolled holds the end of a run that succeeded against what "done" means:
// every machine new and in service, sizes and processes as before, no mark of
// ours, pods Ready, no budget ever broken, every pod evicted by UID.
func (s *scene) checkRolled() {
	s.t.Helper()
	old := map[string]bool{}
	for _, i := range s.before.Instances {
		old[i.ID] = true
	}
	for _, i := range s.instances() {
		if old[i.ID] || i.TemplateVersion != s.group.New {
			s.t.Errorf("instance %s of version %d is still in the group", i.ID, i.TemplateVersion)
		}
	}
	s.checkSizes()
	s.checkNodes(len(s.before.Instances))
	s.checkPods()
	s.checkRemovals()
	s.checkBudgets()
	s.checkTerminatedOnce()
	s.checkActions()
	s.checkReleased()
}

// instances are the group's machines in service.
func (s *scene) instances() []cloud.Instance {
	return slices.DeleteFunc(shared.Cloud().Instances(s.group.Name), func(i cloud.Instance) bool { return i.State != cloud.InService })
}

// checkSizes sees that sizes and suspended processes are as they were.
func (s *scene) checkSizes() {
	s.t.Helper()
	s.eventually(func() error {
		g, _ := shared.Cloud().Group(s.group.Name)
		if g.Min != s.before.Min || g.Max != s.before.Max || g.Desired != s.before.Desired {
			return fmt.Errorf("sizes %d/%d/%d (min/max/desired), before %d/%d/%d", g.Min, g.Max, g.Desired, s.before.Min, s.before.Max, s.before.Desired)
		}
		if n := len(s.instances()); n != s.before.Desired {
			return fmt.Errorf("%d instances in service, want %d", n, s.before.Desired)
		}
		if !slices.Equal(g.Suspended, s.before.Suspended) {
			return fmt.Errorf("suspended processes %v, before %v", g.Suspended, s.before.Suspended)
		}
		return nil
	})
}

// checkNodes sees that there are so many nodes, Ready and without a mark of ours.
func (s *scene) checkNodes(want int) {
	s.t.Helper()
	s.eventually(func() error {
		nodes := s.nodes()
		if len(nodes) != want {
			return fmt.Errorf("%d nodes, want %d", len(nodes), want)
		}
		for _, n := range nodes {
			if !nodeReady(n) {
				return fmt.Errorf("node %s is not Ready", n.Name)
			}
		}
		return nil
	})
	s.checkNoMarks()
}

// checkNoMarks sees that no node carries a mark of ours.
func (s *scene) checkNoMarks() {
	s.t.Helper()
	for _, n := range s.nodes() {
		if marks := marksOf(n); len(marks) > 0 {
			s.t.Errorf("node %s still has %s", n.Name, strings.Join(marks, ", "))
		}
	}
}

// keepFromScaleDown keeps the Cluster Autoscaler from removing a node.
const keepFromScaleDown = "cluster-autoscaler.kubernetes.io/scale-down-disabled"

// marksOf lists what drainboard may have put on a node.
func marksOf(n corev1.Node) []string {
	var marks []string
	if n.Spec.Unschedulable {
		marks = append(marks, "a cordon")
	}
	for _, taint := range n.Spec.Taints {
		if strings.HasPrefix(taint.Key, "eks.amazonaws.com/") || strings.Contains(taint.Key, "drainboard.dev/") {
			marks = append(marks, "taint "+taint.ToString())
		}
	}
	for key := range n.Labels {
		if key == "node.kubernetes.io/exclude-from-external-load-balancers" || strings.HasPrefix(key, "drainboard.dev/") {
			marks = append(marks, "label "+key)
		}
	}
	for key := range n.Annotations {
		if strings.HasPrefix(key, "drainboard.dev/") || key == keepFromScaleDown {
			marks = append(marks, "annotation "+key)
		}
	}
	return marks
}

func nodeReady(n corev1.Node) bool {
	return slices.ContainsFunc(n.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
	})
}

// checkPods sees that every workload is complete.
func (s *scene) checkPods() {
	s.t.Helper()
	s.eventually(func() error {
		ready, want, err := shared.Ready(s.ctx, s.place.Namespace)
		if err == nil && ready < want {
			err = fmt.Errorf("%d of %d pods ready", ready, want)
		}
		return err
	})
}

// checkTerminatedOnce sees that no machine was asked to end twice.
func (s *scene) checkTerminatedOnce() {
	s.t.Helper()
	asked := map[string]int{}
	for _, c := range calls(s.calls(), "TerminateInstanceInAutoScalingGroup") {
		if c.Code == "" {
			asked[c.Params.Get("InstanceId")]++
		}
	}
	for id, n := range asked {
		if n > 1 {
			s.t.Errorf("%s was terminated %d times", id, n)
		}
	}
}

// checkReleased sees that nobody holds the group's lock.
func (s *scene) checkReleased() {
	s.t.Helper()
	leases, err := shared.Client().CoordinationV1().Leases("drainboard").List(s.ctx, metav1.ListOptions{})
	if err != nil {
		s.t.Fatal(err)
	}
	for _, lease := range leases.Items {
		// The rest of the name is a sum of eight digits: ng-unwell-25 is another group.
		sum, its := strings.CutPrefix(lease.Name, "run-"+s.group.Name+"-")
		if holder := lease.Spec.HolderIdentity; its && len(sum) == 8 && !strings.Contains(sum, "-") && holder != nil && *holder != "" {
			s.t.Errorf("the lock %s is still held by %s", lease.Name, *holder)
		}
	}
}

// checkRestored holds the end of a run that did not succeed against docs/guide/abort.md:
// no mark, AZRebalance as before, no surplus that holds nothing, the bounds as
// before or as low as the desired size lets them.
func (s *scene) checkRestored() {
	s.t.Helper()
	s.checkNoMarks()
	s.checkReleased()
	g, _ := shared.Cloud().Group(s.group.Name)
	if !slices.Equal(g.Suspended, s.before.Suspended) {
		s.t.Errorf("suspended processes %v, before %v", g.Suspended, s.before.Suspended)
	}
	if g.Min != s.before.Min || g.Desired < s.before.Desired || g.Max != max(s.before.Max, g.Desired) {
		s.t.Errorf("sizes %d/%d/%d (min/max/desired), before %d/%d/%d", g.Min, g.Max, g.Desired, s.before.Min, s.before.Max, s.before.Desired)
	}
	for _, r := range s.requests() {
		if r.PodDelete() {
			s.t.Errorf("a delete of a pod: %v", r)
		}
	}
	s.checkTerminatedOnce()
	s.checkActions()
}

// groupStatus is `drainboard status GROUP -o json`, as far as the stories read it.
type groupStatus struct {
	LatestRun *runStatus `json:"latestRun"`
}

type runStatus struct {
	State            string    `json:"state"`
	Result           string    `json:"result"`
	Message          string    `json:"message"`
	Driver           string    `json:"driver"`
	RecordStaleSince time.Time `json:"recordStaleSince"`
	ID               string    `json:"id"`
	Replaced         int       `json:"replaced"`
	Outdated         int       `json:"outdated"`
	Unrestored       []string  `json:"unrestored"`
	WaitingBatch     *struct {
		ID    int      `json:"id"`
		Hash  string   `json:"hash"`
		Nodes []string `json:"nodes"`
	} `json:"waitingBatch"`
}

// status is the run of `drainboard status GROUP -o json`.
func (s *scene) status() runStatus {
	s.t.Helper()
	var st groupStatus
	out := s.run("status", s.group.Name, "-o", "json").exits(0).out()
	if err := json.Unmarshal([]byte(out), &st); err != nil || st.LatestRun == nil {
		s.t.Fatalf("status: %v\n%s", err, out)
	}
	return *st.LatestRun
}
