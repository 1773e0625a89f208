package e2e

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/eks/types"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drainboard/drainboard/lab"
	"github.com/drainboard/drainboard/lab/eks"
)

// patientEKS evicts seldom, so that it shows who acts when a PDB opens.
func patientEKS() eks.Times {
	slow := atEKSPace
	slow.Retry, slow.Window = 8*time.Second, time.Minute
	return slow
}

// openings are the times from a PDB's last opening before it to each accepted eviction of its pods among some
// requests, by the API server's stamps.
func (s *scene) openings(budget string, by func(lab.Request) bool) (after []time.Duration) {
	s.t.Helper()
	log := s.audit()
	type status struct {
		at      time.Time
		allowed int
	}
	var told []status
	for _, r := range log.Where(lab.By(lab.ControllerManager)) {
		var body struct {
			Status struct{ DisruptionsAllowed int }
		}
		if r.Resource == "poddisruptionbudgets" && r.Subresource == "status" && r.Namespace == s.place.Namespace && r.Name == budget && json.Unmarshal(r.Body, &body) == nil {
			told = append(told, status{r.Done, body.Status.DisruptionsAllowed})
		}
	}
	for _, r := range log.Where(by, lab.Request.Eviction) {
		if r.Code != 201 || r.Namespace != s.place.Namespace || !strings.HasPrefix(r.Name, budget+"-") {
			continue
		}
		var opened time.Time
		for i, now := range told {
			if now.at.Before(r.Done) && now.allowed > 0 && (i == 0 || told[i-1].allowed == 0) {
				opened = now.at
			}
		}
		if !opened.IsZero() {
			after = append(after, r.Done.Sub(opened))
		}
	}
	return after
}

// helping makes a managed node group and an operator who may force, alone in the lab: EKS evicts at another pace.
func helping(t *testing.T, name string) *scene {
	t.Helper()
	s, service := managedIn(t, loneScene, lab.Nodegroup{Name: name, Nodes: 1, Zones: oneZone})
	s.deploy("checkout", "batch")
	service.SetTimes(patientEKS())
	t.Cleanup(func() { service.SetTimes(atEKSPace) })
	w := s.other(name+"-operator", "read", "upgrade", "force", "events", "hear", "eks read", "eks upgrade")
	w.mark()
	return w
}

// The moment a PDB opens, a run that helps along evicts the pod that it kept on the node which EKS has picked; EKS
// alone comes to it with its next retry.
func TestHelpAlong(t *testing.T) {
	took := map[string]time.Duration{}
	for _, name := range []string{"helped", "unhelped"} {
		t.Run(name, func(t *testing.T) {
			s := helping(t, name)
			args, by := []string{"upgrade", name, "--auto", "-o", "json"}, func(r lab.Request) bool { return r.UserAgent == eks.ServiceUser }
			if name == "helped" {
				args, by = append(args, "--help-along"), lab.By(s.user)
			}
			p := s.launch(args...)
			p.await("node.blocked")
			s.scale("checkout", 4)
			p.exits(0)
			after := s.openings("checkout", by)
			if len(after) == 0 {
				t.Fatal("none was evicted")
			}
			took[name] = after[0]
			t.Logf("from the opened PDB to the evictions: %v", after)
			if told := p.all("pod.evicted", saying("as its PDB has opened")); (len(told) > 0) != (name == "helped") {
				t.Errorf("told: %v", told)
			}
		})
	}
	t.Logf("from the opened PDB to the eviction: helped %s, EKS alone (a retry every %s) %s", took["helped"], patientEKS().Retry, took["unhelped"])
}

// A pod that the operator forces is deleted, and the update goes to its end; the same one fails where EKS is alone
// (TestStartManagedUpdateThatFails). Without the consent f is refused, and says what would allow it.
func TestForceInManagedUpdate(t *testing.T) {
	s := helping(t, "forced-by-hand")
	held := shortName(s.nodes())
	p := s.sit("upgrade", "forced-by-hand")
	p.expect("Start this update? [y/N, h:").text("h").press("enter")
	p.expect("allows 0", "blocked")
	p.pressUntil("f", "Type", "to force")
	p.text(held).press("enter")
	p.expect("exit code", "0: done")
	p.quits(0)
	if all := s.updates("forced-by-hand"); len(all) != 1 || all[0].Status != types.UpdateStatusSuccessful {
		t.Errorf("EKS carried out %v", all)
	}
}

// A Deployment with one replica under a PDB that needs it gets a second replica, its pod moves, and it has one again;
// EKS alone fails on it.
func TestSinglesInManagedUpdate(t *testing.T) {
	s := helping(t, "singles")
	s.scale("checkout", 4) // its PDB is open
	s.deploy("lone")
	s.as("singles-mover", published(s.t, "read", "watch", "upgrade", "scale", "events", "hear"))
	was := s.pods("lone")[0].Name
	s.mark()
	p := s.launch("upgrade", "singles", "--auto", "-o", "json", "--help-along")
	p.exits(0)
	if told := p.all("workload.scaled"); len(told) < 2 || len(told)%2 != 0 || !strings.Contains(told[0].Message, "1 → 2") || !strings.Contains(told[1].Message, "2 → 1") { // EKS may end the node that it goes to, too
		t.Errorf("told: %v", told)
	}
	d, err := shared.Client().AppsV1().Deployments(s.place.Namespace).Get(s.ctx, "lone", metav1.GetOptions{})
	if err != nil || *d.Spec.Replicas != 1 {
		t.Errorf("%v replicas: %v", d.Spec.Replicas, err)
	}
	for _, pod := range s.pods("lone") {
		if pod.Name == was {
			t.Errorf("%s has not moved", was)
		}
	}
}
