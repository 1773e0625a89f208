package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/drainboard/drainboard/lab"
)

// withRecordsIn are rights on the records and commands of another namespace.
func withRecordsIn(namespace string, rights lab.Rights) lab.Rights {
	out := lab.Rights{Cluster: rights.Cluster, Namespaces: map[string][]rbacv1.PolicyRule{}}
	for in, rules := range rights.Namespaces {
		switch in {
		case "drainboard":
			in = namespace
		case commandsNamespace:
			in = namespace + "-commands"
		}
		out.Namespaces[in] = rules
	}
	return out
}

// client is the API for the scene's user.
func (s *scene) client() *kubernetes.Clientset {
	s.t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", s.kubeconfig)
	if err != nil {
		s.t.Fatal(err)
	}
	c, err := kubernetes.NewForConfig(config)
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

// holdSenders applies the policy of docs/reference/rbac.yaml to the commands in a namespace, and returns
// when it works, and how it is taken away again.
func (s *scene) holdSenders(namespace string) (end func()) {
	s.t.Helper()
	var policy *admissionregistrationv1.ValidatingAdmissionPolicy
	var binding *admissionregistrationv1.ValidatingAdmissionPolicyBinding
	for _, text := range bytes.Split(document(s.t, "docs", "reference", "rbac.yaml"), []byte("\n---\n")) {
		text = bytes.ReplaceAll(text, []byte(commandsNamespace), []byte(namespace))
		var err error
		switch {
		case bytes.Contains(text, []byte("kind: ValidatingAdmissionPolicyBinding\n")):
			err = yaml.UnmarshalStrict(text, &binding)
		case bytes.Contains(text, []byte("kind: ValidatingAdmissionPolicy\n")):
			err = yaml.UnmarshalStrict(text, &policy)
		}
		if err != nil {
			s.t.Fatal(err)
		}
	}
	api := shared.Client().AdmissionregistrationV1()
	made, err := api.ValidatingAdmissionPolicies().Create(s.ctx, policy, metav1.CreateOptions{})
	if err == nil {
		_, err = api.ValidatingAdmissionPolicyBindings().Create(s.ctx, binding, metav1.CreateOptions{})
	}
	if err != nil {
		s.t.Fatal(err)
	}
	end = func() {
		_ = api.ValidatingAdmissionPolicyBindings().Delete(context.Background(), binding.Name, metav1.DeleteOptions{})
		_ = api.ValidatingAdmissionPolicies().Delete(context.Background(), policy.Name, metav1.DeleteOptions{})
	}
	s.t.Cleanup(end)
	s.eventually(func() error {
		now, err := api.ValidatingAdmissionPolicies().Get(s.ctx, made.Name, metav1.GetOptions{})
		if err == nil && now.Status.TypeChecking != nil && len(now.Status.TypeChecking.ExpressionWarnings) > 0 {
			s.t.Fatalf("the policy: %+v", now.Status.TypeChecking.ExpressionWarnings)
		}
		if _, err = s.tries(namespace, "mallory"); !apierrors.IsInvalid(err) {
			return fmt.Errorf("a false name is not refused: %v", err)
		}
		return nil
	})
	return end
}

// tries asks, and no more than that, whether the scene's user could give a command as another.
func (s *scene) tries(namespace, by string) (*corev1.ConfigMap, error) {
	return s.client().CoreV1().ConfigMaps(namespace).Create(s.ctx, s.letter("tries", by, "{}"), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
}

// letter is a command's object.
func (s *scene) letter(name, by, command string) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"drainboard.dev/group": "run-" + s.group.Name}},
		Data:       map[string]string{"by": by, "command.json": command},
	}
}

// Who gives a command is told as a fact where the policy of docs/reference/rbac.yaml holds the name to
// the user of the API, and else as what the sender says: in events, report and journal. The
// driver finds out by itself, also while the policy comes and goes.
func TestWhoGivesACommand(t *testing.T) {
	s := newScene(t, "sender", lab.GroupOptions{Nodes: 2, Zones: oneZone})
	const records, commands = "sender-records", "sender-records-commands"
	s.as("sender-driver", withRecordsIn(records, published(t, "read", "upgrade", "hear")))
	s.deploy("checkout", "agent")
	o := *s
	o.as("sender-operator", withRecordsIn(records, published(t, "command")))
	o.key, o.extra = "", []string{"AWS_ACCESS_KEY_ID=", "AWS_SECRET_ACCESS_KEY="}

	p := s.upgrade("--record-namespace", records)
	p.await("node.blocked")
	// gives is one command of the operator's, and what the driver tells of it.
	gives := func(command, event, reason string) string {
		t.Helper()
		before := len(p.all(event))
		o.run(command, s.group.Name, "--record-namespace", records, "--reason", reason).exits(0)
		e := p.await(event, func(e Event) bool { return strings.Contains(e.Message, reason) && len(p.all(event)) > before })
		return e.Message
	}
	says, client := "a user who says it is "+o.user, ", client "
	if told := gives("pause", "run.paused", "first"); !strings.Contains(told, says+client) {
		t.Errorf("without the policy: %s", told)
	}

	end := o.holdSenders(commands)
	o.forges(s, commands)
	n := 0
	s.eventually(func() error { // the first ones may be given before the driver has seen the policy
		n++
		if told := gives("resume", "run.resumed", fmt.Sprintf("again %d", n)); !strings.Contains(told, "(resume by "+o.user+client) {
			gives("pause", "run.paused", fmt.Sprintf("again %d", n))
			return fmt.Errorf("with the policy: %s", told)
		}
		return nil
	})
	if told := gives("pause", "run.paused", "held"); !strings.Contains(told, "requested by "+o.user+client) {
		t.Errorf("with the policy: %s", told)
	}

	end()
	s.eventually(func() error {
		_, err := o.tries(commands, "mallory")
		return err
	})
	if told := gives("resume", "run.resumed", "without"); !strings.Contains(told, says) {
		t.Errorf("when the policy is gone: %s", told)
	}
	s.scale("checkout", 4)
	p.exits(0)
	checkFinished(t, p.said(), "succeeded", 0)
	s.checkActions()
	s.senderTold(o.user, records)
	left, err := shared.Client().CoreV1().ConfigMaps(commands).List(s.ctx, metav1.ListOptions{LabelSelector: "drainboard.dev/group"})
	if err != nil || len(left.Items) > 0 {
		t.Errorf("left: %v, %v", left.Items, err)
	}
}

// forges tries what the policy is there against, as the operator and as the driver.
func (s *scene) forges(driver *scene, namespace string) {
	s.t.Helper()
	mine, theirs := s.client().CoreV1().ConfigMaps(namespace), driver.client().CoreV1().ConfigMaps(namespace)
	refused := func(what string, err error) {
		s.t.Helper()
		if !apierrors.IsInvalid(err) {
			s.t.Errorf("%s: %v", what, err)
		}
	}
	_, err := mine.Create(s.ctx, s.letter("forged", driver.user, "{}"), metav1.CreateOptions{})
	refused("a command in the driver's name", err)
	_, err = mine.Create(s.ctx, s.letter("forged", "", "{}"), metav1.CreateOptions{})
	refused("a command in no name", err)

	given, err := mine.Create(s.ctx, s.letter("given", s.user, "{}"), metav1.CreateOptions{})
	if err != nil {
		s.t.Fatal(err)
	}
	plain := s.letter("plain", s.user, "{}")
	plain.Labels = nil
	if plain, err = theirs.Create(s.ctx, plain, metav1.CreateOptions{}); err != nil {
		s.t.Fatal(err) // nothing holds what is no command
	}
	for what, change := range map[string]func(m *corev1.ConfigMap){
		"who gives it is changed":   func(m *corev1.ConfigMap) { m.Data["by"] = driver.user },
		"who gives it is removed":   func(m *corev1.ConfigMap) { delete(m.Data, "by") },
		"what it says is changed":   func(m *corev1.ConfigMap) { m.Data["command.json"] = `{"kind":"abort"}` },
		"whom it is for is changed": func(m *corev1.ConfigMap) { m.Labels["drainboard.dev/group"] = "another" },
		"it is a command no more":   func(m *corev1.ConfigMap) { m.Labels = nil },
	} {
		changed := given.DeepCopy()
		change(changed)
		_, err := theirs.Update(s.ctx, changed, metav1.UpdateOptions{})
		refused(what, err)
	}
	plain.Labels = given.Labels
	_, err = theirs.Update(s.ctx, plain, metav1.UpdateOptions{})
	refused("it becomes a command later", err)
	given.Labels["of"], given.Data["heard"] = "mine", "driver"
	if _, err := theirs.Update(s.ctx, given, metav1.UpdateOptions{}); err != nil {
		s.t.Errorf("an answer is refused: %v", err)
	}
	for _, name := range []string{"given", "plain"} {
		if err := theirs.Delete(s.ctx, name, metav1.DeleteOptions{}); err != nil {
			s.t.Error(err)
		}
	}
}

// senderTold sees that report and journal say of the commands of a user, by their reasons, which
// of them were held.
func (s *scene) senderTold(user, records string) {
	s.t.Helper()
	report := s.run("report", s.group.Name, "--record-namespace", records).exits(0).out()
	says := "a user who says it is " + user
	for line := range strings.Lines(report) {
		if !strings.Contains(line, "| pause |") && !strings.Contains(line, "| resume |") {
			continue
		}
		switch claimed := strings.Contains(line, says); {
		case strings.Contains(line, "first") || strings.Contains(line, "without"):
			if !claimed {
				s.t.Errorf("the report tells as a fact: %s", line)
			}
		case strings.Contains(line, "held"):
			if claimed {
				s.t.Errorf("the report doubts: %s", line)
			}
		}
	}
	if !strings.Contains(report, says) || !strings.Contains(report, "held") {
		s.t.Errorf("the report:\n%s", report)
	}
	files, err := filepath.Glob(filepath.Join(s.home, ".local", "state", "drainboard", "*", "*.jsonl"))
	if err != nil || len(files) != 1 {
		s.t.Fatalf("journals %v, %v", files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		s.t.Fatal(err)
	}
	claims := map[string]bool{}
	for line := range bytes.Lines(text) {
		var l struct {
			Command struct {
				By, Reason, Client string
				Claimed            bool
			}
		}
		if err := json.Unmarshal(line, &l); err != nil {
			s.t.Fatal(err)
		}
		if c := l.Command; c.By == user && c.Client != "" {
			claims[c.Reason] = c.Claimed
		}
	}
	if held, ok := claims["held"]; !claims["first"] || !claims["without"] || held || !ok {
		s.t.Errorf("the journal's commands: %v", claims)
	}
}
