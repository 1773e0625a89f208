package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drainboard/drainboard/engine/api"
	"github.com/drainboard/drainboard/lab"
)

const commandsNamespace = "drainboard-commands"

// operator is a user at another machine: a user who may give commands and nothing
// else, without credentials for the cloud.
func (s *scene) operator() *scene {
	s.t.Helper()
	o := *s
	o.as(s.name+"-operator", published(s.t, "command"))
	o.key, o.extra = "", []string{"AWS_ACCESS_KEY_ID=", "AWS_SECRET_ACCESS_KEY="}
	return &o
}

// A run at a dashboard is approved, paused, resumed and aborted from a second process,
// whose user has just the published role for that. What is not to be obeyed is refused,
// in the words of the dashboard's log.
func TestCommandsFromElsewhere(t *testing.T) {
	s := newScene(t, "remote", lab.GroupOptions{Nodes: 2, Zones: oneZone}, "read", "upgrade", "hear")
	s.deploy("checkout", "agent")
	o, g := s.operator(), s.group.Name
	o.run("pause", g).exits(2).says("has no run")

	p := s.interactive("--yes")
	p.expect("Batch 1 waits for approval")
	s.eachCommandRight(o)
	var batch runStatus
	s.eventually(func() error {
		if batch = s.status(); batch.WaitingBatch == nil {
			return fmt.Errorf("status names no batch that waits: %+v", batch)
		}
		return nil
	})
	o.run("approve", g).exits(2).says("give --yes, or --batch and --hash")
	o.run("approve", g, "--batch", "1", "--hash", "0123456789ab").exits(1).says("refused by", "the batch has changed, review it again", "drainboard approve "+g+" shows the batch that waits now")
	s.forged(batch.ID)
	if out := o.run("approve", g, "--yes").exits(0).out(); !strings.Contains(out, batch.WaitingBatch.Nodes[0]) || !strings.Contains(out, "never allows a disruption") && !strings.Contains(out, "only replica") && !strings.Contains(out, "will be evicted") || !strings.Contains(out, "approve accepted by") {
		t.Errorf("the batch is not shown, or not approved:\n%s", out)
	}
	p.expect("allows 0")
	o.run("approve", g, "--batch", "1", "--hash", batch.WaitingBatch.Hash).exits(1).says("nothing waits for approval")

	var paused api.CommandResult
	if out := o.run("pause", g, "--reason", "lunch", "-o", "json").exits(0).out(); json.Unmarshal([]byte(out), &paused) != nil || !paused.Accepted || paused.Run != batch.ID || paused.Driver == "" {
		t.Errorf("the answer to pause: %s", out)
	}
	p.expect("paused", "lunch")
	o.run("resume", g).exits(0)
	p.expect("resume by")
	o.run("resume", g).exits(1).says("refused by", "not paused")
	o.run("abort", g).exits(2).says("give --yes")
	o.run("abort", g, "--yes").exits(0)
	p.expect("exit code", "3: aborted")
	p.quits(3)
	o.run("abort", g, "--yes").exits(2).says("no run in progress", "aborted")

	s.checkRestored()
	s.checkAsBefore()
	s.commandsWereAnswered(o)
	if n := len(o.calls()); n > 0 {
		t.Errorf("the operator called AWS %d times", n)
	}
}

// eachCommandRight sees that each right of the published role is needed to give a
// command, and named. One is there for people: nothing lists commands but kubectl.
func (s *scene) eachCommandRight(o *scene) {
	s.t.Helper()
	all := published(s.t, "command")
	for i, r := range single(all) {
		if r.verb == "list" {
			continue
		}
		one := *o
		one.as(s.name+"-lacks-"+strconv.Itoa(i), without(all, r))
		one.run("pause", s.group.Name).exits(11).says(r.String())
	}
}

// forged puts a command there that is not taken from elsewhere, from any writer, and
// one that is none, and sees that both are refused.
func (s *scene) forged(run string) {
	s.t.Helper()
	records, err := shared.Client().CoreV1().ConfigMaps("drainboard").List(s.ctx, metav1.ListOptions{})
	if err != nil {
		s.t.Fatal(err)
	}
	i := slices.IndexFunc(records.Items, func(m corev1.ConfigMap) bool { return strings.HasPrefix(m.Name, "run-"+s.group.Name+"-") })
	labels := map[string]string{"drainboard.dev/group": records.Items[i].Name}
	now, api := time.Now(), shared.Client().CoreV1().ConfigMaps(commandsNamespace)
	force := fmt.Sprintf(`{"version":1,"kind":"force","run":%q,"by":"mallory","at":%q,"expires":%q}`, run, now.Format(time.RFC3339), now.Add(time.Hour).Format(time.RFC3339))
	for name, text := range map[string]string{"force-1": force, "nothing-1": "{"} {
		name = s.name + "-" + name
		if _, err := api.Create(s.ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}, Data: map[string]string{"command.json": text}}, metav1.CreateOptions{}); err != nil {
			s.t.Fatal(err)
		}
		s.eventually(func() error {
			m, err := api.Get(s.ctx, name, metav1.GetOptions{})
			if err == nil && !strings.Contains(m.Data["answer.json"], `"obeyed":false`) {
				err = fmt.Errorf("%s was answered %q", name, m.Data["answer.json"])
			}
			return err
		})
		if err := api.Delete(s.ctx, name, metav1.DeleteOptions{}); err != nil {
			s.t.Error(err)
		}
	}
}

// commandsWereAnswered sees that nothing of the operator's is left lying, and prints how
// long the driver took to answer, by the API server's clock.
func (s *scene) commandsWereAnswered(o *scene) {
	s.t.Helper()
	given, n := map[string]time.Time{}, 0
	for _, r := range s.audit().Where(func(r lab.Request) bool {
		return r.Namespace == commandsNamespace && r.Resource == "configmaps" && r.Code < 300
	}) {
		var body struct{ Metadata struct{ Name string } }
		switch {
		case r.User == o.user && r.Verb == "create":
			if err := json.Unmarshal(r.Body, &body); err != nil {
				s.t.Fatal(err)
			}
			given[body.Metadata.Name] = r.Done
		case r.User == s.user && r.Verb == "update" && !given[r.Name].IsZero():
			s.t.Logf("%s was answered after %s", r.Name, r.Done.Sub(given[r.Name]).Round(time.Millisecond))
			delete(given, r.Name)
			n++
		}
	}
	if n == 0 || len(given) > 0 {
		s.t.Errorf("%d commands were answered, not %v", n, given)
	}
	left, err := shared.Client().CoreV1().ConfigMaps(commandsNamespace).List(s.ctx, metav1.ListOptions{LabelSelector: "drainboard.dev/group"})
	if err != nil {
		s.t.Fatal(err)
	}
	for _, m := range left.Items {
		if strings.Contains(m.Labels["drainboard.dev/group"], s.group.Name) {
			s.t.Errorf("%s still lies there", m.Name)
		}
	}
}

// A headless run that is paused from elsewhere waits to be resumed. When its driver is
// dead that is said, and an abort puts everything back by itself.
func TestAbortWithoutADriver(t *testing.T) {
	s := newScene(t, "alone", lab.GroupOptions{Nodes: 2, Zones: oneZone}, "read", "upgrade", "hear")
	s.deploy("checkout", "agent")
	o, g := s.operator(), s.group.Name

	run := s.upgrade()
	run.await("node.blocked")
	o.run("pause", g, "--reason", "lunch").exits(0)
	run.await("run.paused", saying("lunch"))
	o.run("resume", g).exits(0)
	run.await("run.resumed")
	run.crash()
	s.eventually(func() error {
		p := o.run("pause", g, "--wait", "1s").exits(1)
		if !strings.Contains(p.errOut(), "drainboard upgrade "+g+" resumes it, drainboard abort "+g+" aborts it") {
			return fmt.Errorf("it does not say that nobody drives the run: %s", p.errOut())
		}
		return nil
	})
	o.run("abort", g, "--yes").exits(11).says("patch nodes") // this user may not put anything back
	p := s.launch("abort", g, "--yes", "--reason", "the laptop died").exits(3)
	for _, want := range []string{"run.aborting", "returned to service", "run.finished"} {
		if !strings.Contains(p.out(), want) {
			t.Errorf("the abort does not tell %q:\n%s", want, p.out())
		}
	}
	if st := s.status(); st.State != "finished" || st.Result != "aborted" || !strings.Contains(st.Message, "the laptop died") {
		t.Errorf("status %+v", st)
	}
	s.checkRestored()
	s.checkAsBefore()
}
