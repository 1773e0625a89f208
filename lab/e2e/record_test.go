package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/record/shards"
	"github.com/drainboard/drainboard/lab"
	"github.com/drainboard/drainboard/lab/apigate"
	"github.com/drainboard/drainboard/lab/gate"
	"github.com/drainboard/drainboard/providers/kube"
	"github.com/drainboard/drainboard/providers/kube/records"
	"github.com/drainboard/drainboard/providers/kube/recordtest"
)

// toldWithin is how long after the first write that failed it must be told that the run
// record cannot be written.
const toldWithin = 5 * time.Second

// record is the ConfigMap of the scene's run.
func (s *scene) record() *corev1.ConfigMap {
	s.t.Helper()
	records, err := shared.Client().CoreV1().ConfigMaps("drainboard").List(s.ctx, metav1.ListOptions{})
	if err != nil {
		s.t.Fatal(err)
	}
	for i := range records.Items {
		if strings.HasPrefix(records.Items[i].Name, "run-"+s.group.Name+"-") {
			return &records.Items[i]
		}
	}
	s.t.Fatal("there is no record")
	return nil
}

// checkTold sees that it was told in time that the record cannot be written: as an event, on
// stderr and as a Kubernetes Event, with the reason; and that nothing was changed since.
func (s *scene) checkTold(p *process, why string) {
	s.t.Helper()
	told := p.await("warning", because("record-unwritten"), saying(why))
	var refused time.Time
	s.eventually(func() error {
		for _, r := range s.audit().Where(lab.Complete, lab.Request.Write) {
			if r.User == s.user && r.Resource == "configmaps" && r.Namespace == "drainboard" && r.Code >= 400 && r.Code != 409 && r.Received.After(s.from) {
				if refused.IsZero() || r.Received.Before(refused) {
					refused = r.Received
				}
			}
		}
		if refused.IsZero() {
			return fmt.Errorf("the audit log has no write of the record that was refused")
		}
		return nil
	})
	if late := told.Time.Sub(refused); late > toldWithin {
		s.t.Errorf("told %s after the first write that failed", late)
	}
	s.eventually(func() error {
		if got := p.errOut(); !strings.Contains(got, "the run record cannot be written") || !strings.Contains(got, why) {
			return fmt.Errorf("stderr: %s", got)
		}
		return nil
	})
	s.eventually(func() error {
		events, err := shared.Client().CoreV1().Events("drainboard").List(s.ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		for _, e := range events.Items {
			if e.Reason == "RecordUnwritten" && e.Type == corev1.EventTypeWarning && strings.Contains(e.Message, told.Run) {
				return nil
			}
		}
		return fmt.Errorf("no Kubernetes Event tells it")
	})
	s.checkIdle(refused)
}

// checkIdle sees that nothing of nodes, pods or the group was changed after the first write
// of the record that failed, but for what was under way then.
func (s *scene) checkIdle(from time.Time) {
	s.t.Helper()
	for _, r := range s.requests().Where(lab.Complete, lab.Request.Write) {
		if r.Received.After(from.Add(time.Second)) && !review(r) && !bookkeeping(r) {
			s.t.Errorf("%s after the first write of the record that failed: %v", r.Received.Sub(from), r)
		}
	}
}

// The right to write records is withdrawn in the middle of a run, that to renew the lock is
// not. It is told within seconds, in every place; status still says who drives the run; an
// abort from elsewhere is answered with the truth; nothing is changed. After --record-timeout
// the process ends with exit code 9. With the right, the run is resumed and ends well.
func TestRecordForbidden(t *testing.T) {
	s := newScene(t, "unwritten", lab.GroupOptions{Nodes: 2, Zones: oneZone})
	s.deploy("checkout", "agent")
	o, g := s.operator(), s.group.Name
	p := s.upgrade("--record-timeout", "50s")
	p.await("node.blocked")
	s.from = time.Now()
	give := s.withdraw("configmaps")
	s.checkTold(p, "this user may not update configmaps")
	o.run("abort", g, "--yes").exits(1).says("not recorded", "this user may not update configmaps")
	s.eventually(func() error {
		out := s.run("status", g).exits(0).out()
		if strings.Contains(out, "no process drives it") {
			t.Errorf("status says that nobody drives the run:\n%s", out)
		}
		if !strings.Contains(out, "driven by") || !strings.Contains(out, "record not written since") {
			return fmt.Errorf("status:\n%s", out)
		}
		return nil
	})
	var st groupStatus
	if out := s.run("status", g, "-o", "json").exits(0).out(); json.Unmarshal([]byte(out), &st) != nil || st.LatestRun == nil || st.LatestRun.Driver == "" || st.LatestRun.RecordStaleSince.IsZero() {
		t.Errorf("status: %s", out)
	}
	p.await("run.paused", saying("the run record could not be written"))
	p.exits(9)
	p.says("paused: the run record could not be written", "this user may not update configmaps")
	give()
	p = s.upgrade()
	s.scale("checkout", 6)
	p.exits(0)
	checkFinished(t, p.said(), "succeeded", 0)
	s.checkRolled()
}

// withdraw takes the rights on some resources in namespace drainboard from the scene's user,
// until the function that it returns is called.
func (s *scene) withdraw(resources ...string) (give func()) {
	s.t.Helper()
	api := shared.Client().RbacV1().Roles("drainboard")
	_, name, _ := strings.Cut(s.user, "default:")
	role, err := api.Get(s.ctx, name, metav1.GetOptions{})
	if err != nil {
		s.t.Fatal(err)
	}
	was := role.DeepCopy()
	var rules []rbacv1.PolicyRule
	for _, rule := range role.Rules {
		for _, resource := range rule.Resources {
			verbs := rule.Verbs
			for _, gone := range resources {
				if resource == gone {
					verbs = []string{"get", "list", "watch"}
				}
			}
			rules = append(rules, rbacv1.PolicyRule{APIGroups: rule.APIGroups, Resources: []string{resource}, Verbs: verbs})
		}
	}
	role.Rules = rules
	if _, err := api.Update(s.ctx, role, metav1.UpdateOptions{}); err != nil {
		s.t.Fatal(err)
	}
	return func() {
		now, err := api.Get(s.ctx, name, metav1.GetOptions{})
		if err == nil {
			now.Rules = was.Rules
			_, err = api.Update(s.ctx, now, metav1.UpdateOptions{})
		}
		if err != nil {
			s.t.Fatal(err)
		}
	}
}

// All rights in the namespace of the records are withdrawn: the lock is lost with the record.
// The run says both and pauses; its process ends with exit code 9.
func TestRecordRightsWithdrawn(t *testing.T) {
	s := newScene(t, "withdrawn", lab.GroupOptions{Nodes: 2, Zones: oneZone})
	s.deploy("checkout", "agent")
	p := s.upgrade("--record-timeout", "20s")
	p.await("node.blocked")
	s.from = time.Now()
	give := s.withdraw("configmaps", "leases")
	p.await("warning", because("record-unwritten"))
	p.await("warning", because("lock-lost"))
	p.await("run.paused")
	p.exits(9)
	give()
	p = s.upgrade()
	s.scale("checkout", 6)
	p.exits(0)
	s.checkRolled()
}

// A policy denies the record. It is told with the policy's words. When it is gone, that is
// told and the run continues. When it is back and stays, an abort by a signal ends in time, with
// nothing changed and all that is left named; another process restores it later.
func TestRecordDenied(t *testing.T) {
	s := newScene(t, "denied", lab.GroupOptions{Nodes: 2, Zones: oneZone})
	s.deploy("checkout", "agent")
	p := s.upgrade()
	p.await("node.blocked")
	s.from = time.Now()
	allow := s.denyRecord("frozen until Monday")
	s.checkTold(p, "frozen until Monday")
	allow()
	written := p.await("warning", because("record-written"))
	s.refusedAfter(written.Time) // an eviction: the run continues

	allow = s.denyRecord("frozen for good")
	p.await("warning", because("record-unwritten"), saying("frozen for good"))
	given := time.Now()
	p.signal(syscall.SIGINT)
	p.await("run.aborting")
	p.exits(3)
	if took := time.Since(given); took > 2*time.Minute {
		t.Errorf("the abort took %s", took)
	}
	p.says("stopped before everything was restored", "frozen for good", "kubectl taint node", "drainboard abort "+s.group.Name+" restores the rest")
	allow()
	s.launch("abort", s.group.Name, "--yes").exits(3)
	s.checkRestored()
	s.checkAsBefore()
}

// denyRecord has the API server deny writes of the scene's record until allow is called.
func (s *scene) denyRecord(message string) (allow func()) {
	s.t.Helper()
	api := shared.Client().AdmissionregistrationV1()
	name := "record-" + s.name
	fail := admissionv1.Fail
	policy := &admissionv1.ValidatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: admissionv1.ValidatingAdmissionPolicySpec{
			FailurePolicy: &fail,
			MatchConstraints: &admissionv1.MatchResources{ResourceRules: []admissionv1.NamedRuleWithOperations{{RuleWithOperations: admissionv1.RuleWithOperations{
				Operations: []admissionv1.OperationType{admissionv1.Create, admissionv1.Update},
				Rule:       admissionv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"configmaps"}},
			}}}},
			Validations: []admissionv1.Validation{{Expression: fmt.Sprintf("!object.metadata.name.startsWith('run-%s-')", s.group.Name), Message: message}},
		},
	}
	binding := &admissionv1.ValidatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       admissionv1.ValidatingAdmissionPolicyBindingSpec{PolicyName: name, ValidationActions: []admissionv1.ValidationAction{admissionv1.Deny}},
	}
	allow = func() {
		_ = api.ValidatingAdmissionPolicyBindings().Delete(s.ctx, name, metav1.DeleteOptions{})
		_ = api.ValidatingAdmissionPolicies().Delete(s.ctx, name, metav1.DeleteOptions{})
	}
	s.t.Cleanup(allow)
	if _, err := api.ValidatingAdmissionPolicies().Create(s.ctx, policy, metav1.CreateOptions{}); err != nil {
		s.t.Fatal(err)
	}
	if _, err := api.ValidatingAdmissionPolicyBindings().Create(s.ctx, binding, metav1.CreateOptions{}); err != nil {
		s.t.Fatal(err)
	}
	return allow
}

// The API server takes so little that the record has to be in many parts. The run continues with it,
// is killed and resumed, and ends as any other; then no part is left that the record does not name.
func TestRecordInParts(t *testing.T) {
	s := newScene(t, "large", lab.GroupOptions{Nodes: 3, Zones: oneZone})
	if err := shared.Apply(s.ctx, s.place.Deployment("many", 60), s.place.MaxUnavailable("many", 0)); err != nil {
		t.Fatal(err)
	}
	s.settle()
	api, err := shared.Gate("large")
	if err != nil {
		t.Fatal(err)
	}
	const limit = 3 << 10 // with base64 and what else is in a request
	end := api.Fail(1, func(r gate.Request) bool {
		return (r.Method == http.MethodPut || r.Method == http.MethodPost) && strings.Contains(r.URL.Path, "/namespaces/drainboard/configmaps") && len(r.Body) > limit
	}, apigate.TooLarge)
	defer end()
	p := s.upgrade("--max-unavailable", "2")
	p.await("node.blocked")
	s.eventually(func() error {
		if n := len(s.recordParts()); n < 2 {
			return fmt.Errorf("the record has %d parts", n)
		}
		return nil
	})
	p.crash()
	p = s.upgrade()
	p.await("run.started", because("resumed"))
	s.run("status", s.group.Name).exits(0).tells("draining")
	if err := shared.Client().PolicyV1().PodDisruptionBudgets(s.place.Namespace).Delete(s.ctx, "many", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	p.exits(0)
	checkFinished(t, p.said(), "succeeded", 0)
	if told := p.all("warning", because("record-unwritten")); len(told) > 0 {
		t.Errorf("%v", told)
	}
	if parts := s.recordParts(); len(parts) > len(partNames(s.record())) {
		t.Errorf("parts are left: %v", parts)
	}
	s.checkRolled()
	s.checkNothingTwice()
}

// recordParts are the names of the ConfigMaps that are parts of the scene's record.
func (s *scene) recordParts() (names []string) {
	s.t.Helper()
	list, err := shared.Client().CoreV1().ConfigMaps("drainboard").List(s.ctx, metav1.ListOptions{LabelSelector: "drainboard.dev/part-of=" + kube.RecordName(s.group.Name)})
	if err != nil {
		s.t.Fatal(err)
	}
	for _, m := range list.Items {
		names = append(names, m.Name)
	}
	return names
}

// partNames are the parts that a record names.
func partNames(m *corev1.ConfigMap) []string {
	var parts struct{ Names []string }
	_ = json.Unmarshal([]byte(m.Data["run.parts.json"]), &parts)
	return parts.Names
}

// The record of a run of 5,000 nodes, 100 of which drain with 250 pods each, is written to the API
// server, and read again by another process. One that dies between its parts leaves the record as
// it was, and the next write removes what it has left.
func TestRecordOfLargestRun(t *testing.T) {
	s := newScene(t, "largest", lab.GroupOptions{Nodes: 1, Zones: oneZone})
	run := recordtest.Largest(t)
	run.Group = s.group.Name
	open := func() *records.Record {
		k, err := kube.Connect(s.ctx, kube.Flags{Kubeconfig: s.kubeconfig}, "test")
		if err != nil {
			t.Fatal(err)
		}
		return records.New(k, "drainboard", run.Group)
	}
	reads := func(id string) *records.Record {
		t.Helper()
		r := open()
		got, found, err := r.Load(s.ctx)
		if err != nil || !found || got.ID != id || got.Pods.Len() != run.Pods.Len() {
			t.Fatalf("read %q with %d pods, %v: %v", got.ID, got.Pods.Len(), found, err)
		}
		return r
	}
	saves := func(r *records.Record) { // a write whose answer was late is tried again, as a run does
		t.Helper()
		s.eventually(func() error { return r.Save(s.ctx, run) })
	}
	run.ID = "first"
	from := time.Now()
	saves(open())
	t.Logf("written in %s, in %d parts", time.Since(from).Round(time.Millisecond), len(s.recordParts()))
	dies := reads("first")
	api, err := shared.Gate("largest")
	if err != nil {
		t.Fatal(err)
	}
	made := 0
	end := api.Fail(1, func(r gate.Request) bool {
		if strings.Contains(r.URL.Path, "/namespaces/drainboard/configmaps") && r.Method == http.MethodPost {
			made++
		}
		return made > 1 && r.Method != http.MethodGet && strings.Contains(r.URL.Path, "/configmaps")
	}, gate.Break)
	run.ID = "second"
	if err := dies.Save(s.ctx, run); err == nil {
		t.Error("it was written")
	}
	end()
	next := reads("first")
	run.ID = "third"
	saves(next)
	reads("third")
	s.eventually(func() error {
		parts, named := s.recordParts(), partNames(s.record())
		switch {
		case len(named) < 2:
			return fmt.Errorf("the record names %v", named)
		case len(parts) != len(named): // what could not be removed soon is removed after a later write
			return errors.Join(fmt.Errorf("parts %v, the record names %v", parts, named), next.Save(s.ctx, run))
		}
		return nil
	})
	run.State, run.Pods = record.Finished, shards.Map[record.Pod]{}
	saves(next)
}
