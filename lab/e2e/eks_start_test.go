package e2e

import (
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	awseks "github.com/aws/aws-sdk-go-v2/service/eks"
	"github.com/aws/aws-sdk-go-v2/service/eks/types"

	"github.com/drainboard/drainboard/lab"
	"github.com/drainboard/drainboard/lab/eks"
	"github.com/drainboard/drainboard/lab/gate"
)

// started makes a managed node group and drainboard a user who may have EKS update it.
func started(t *testing.T, o lab.Nodegroup) (*scene, *eks.Service) {
	t.Helper()
	s, service := managed(t, o)
	w := s.other(o.Name+"-operator", "read", "upgrade", "events", "hear", "eks read", "eks upgrade")
	w.mark()
	return w, service
}

// updates are the updates of a node group's nodes, by EKS.
func (s *scene) updates(group string) (found []types.Update) {
	s.t.Helper()
	list, err := shared.EKSClient().ListUpdates(s.ctx, &awseks.ListUpdatesInput{Name: aws.String(lab.EKSCluster), NodegroupName: aws.String(group)})
	if err != nil {
		s.t.Fatal(err)
	}
	for _, id := range list.UpdateIds {
		out, err := shared.EKSClient().DescribeUpdate(s.ctx, &awseks.DescribeUpdateInput{Name: aws.String(lab.EKSCluster), NodegroupName: aws.String(group), UpdateId: &id})
		if err != nil {
			s.t.Fatal(err)
		}
		if out.Update.Type == types.UpdateTypeVersionUpdate {
			found = append(found, *out.Update)
		}
	}
	return found
}

// checkStarted holds that EKS carried out one update, and that nothing was changed but what EKS was asked for.
func (s *scene) checkStarted(group string) string {
	s.t.Helper()
	all := s.updates(group)
	if len(all) != 1 {
		s.t.Fatalf("EKS carried out %d updates", len(all))
	}
	for _, call := range s.calls() {
		if !call.Reads() && call.Action != "UpdateNodegroupVersion" {
			s.t.Errorf("%s:%s was called", call.Service, call.Action)
		}
	}
	for _, r := range changes(s.requests()) {
		s.t.Errorf("%s %s was sent", r.Verb, r.URI)
	}
	return *all[0].Id
}

// Drainboard has EKS start the update, follows it to its end, and then has nothing left to do. Its record and its
// report have the update's id.
func TestStartManagedUpdate(t *testing.T) {
	for name, how := range map[string]types.NodegroupUpdateStrategies{"begun": types.NodegroupUpdateStrategiesDefault, "begun-minimal": types.NodegroupUpdateStrategiesMinimal} {
		t.Run(string(how), func(t *testing.T) {
			s, service := started(t, lab.Nodegroup{Name: name, Nodes: 2, Zones: oneZone, Update: &types.NodegroupUpdateConfig{UpdateStrategy: how, MaxUnavailable: aws.Int32(1)}})
			s.deploy("batch")
			p := s.launch("upgrade", name, "--auto", "-o", "json")
			p.exits(0)
			id := s.checkStarted(name)
			s.checkFollowed(p, service, id)
			s.checkReplaced(p, service, id)
			told := p.all("capacity.changed", because("update"))
			if len(told) != 1 || !strings.Contains(told[0].Message, id) {
				t.Errorf("its start is told as %v", told)
			}
			last := p.said()[len(p.said())-1]
			if last.Type != "run.finished" || last.ExitCode == nil || *last.ExitCode != 0 || !strings.Contains(last.Message, "2 of 2") {
				t.Errorf("the end: %s", last)
			}
			if report := s.run("report", name).exits(0).out(); !strings.Contains(report, id) || !strings.Contains(report, "aws eks update-nodegroup-version --cluster-name lab --nodegroup-name "+name) {
				t.Errorf("its report:\n%s", report)
			}
			s.run("upgrade", name, "--auto").exits(0)
			s.checkStarted(name)
		})
	}
}

// A process is killed before its request has reached EKS, and when it was carried out and is yet to be answered;
// and once more while EKS is at work. Another process continues, and there is one update.
func TestStartManagedUpdateAfterKill(t *testing.T) {
	for _, at := range []gate.Moment{gate.Before, gate.After} {
		name := map[gate.Moment]string{gate.Before: "killed-before", gate.After: "killed-after"}[at]
		t.Run(name, func(t *testing.T) {
			s, service := started(t, lab.Nodegroup{Name: name, Nodes: 1, Zones: oneZone})
			s.deploy("batch")
			point := s.call("the start", "UpdateNodegroupVersion")
			stop := s.gate(point).Stop(at, point.is)
			first := s.launch("upgrade", name, "--auto", "-o", "json")
			<-stop.Hit()
			first.crash()
			second := s.launch("upgrade", name, "--auto", "-o", "json")
			second.await("phase.started")
			second.crash()
			status := s.run("status", name).exits(0).out()
			third := s.launch("upgrade", name, "--auto", "-o", "json").exits(0)
			id := s.checkStarted(name)
			if !strings.Contains(status, "eks-managed") {
				t.Errorf("the status:\n%s", status)
			}
			if done := worked(service, id, eks.Terminated); len(done) != 1 {
				t.Errorf("the worker has terminated %v", done)
			}
			all := slices.Concat(second.said(), third.said()) // EKS may be through before the second process has the lock
			if !slices.ContainsFunc(all, func(e Event) bool { return e.Type == "run.finished" && strings.Contains(e.Message, "1 of 1") }) {
				t.Errorf("the end: %s", all[len(all)-1])
			}
		})
	}
}

// An update that another user starts between the plan and the request is attached to: there are never two. Another
// process is refused meanwhile.
func TestStartManagedUpdateBesideAnother(t *testing.T) {
	s, service := started(t, lab.Nodegroup{Name: "between", Nodes: 1, Zones: oneZone})
	s.deploy("checkout") // its PDB keeps the update at work
	point := s.call("the start", "UpdateNodegroupVersion")
	stop := s.gate(point).Stop(gate.Before, point.is)
	p := s.launch("upgrade", "between", "--auto", "-o", "json")
	<-stop.Hit()
	theirs := startUpdate(s, "between")
	stop.Release()
	p.await("warning", because("eks"), saying(theirs+" is under way"))
	s.run("upgrade", "between", "--auto").exits(6)
	p.exits(4)
	if id := s.checkStarted("between"); id != theirs {
		t.Errorf("%s, not %s", id, theirs)
	}
	s.checkFollowed(p, service, theirs)
}

// An update that is under way is attached to. One that goes elsewhere is left, and the refusal names it.
func TestAttachToManagedUpdate(t *testing.T) {
	s, _ := started(t, lab.Nodegroup{Name: "amid", Nodes: 1, Zones: oneZone})
	s.deploy("checkout")
	theirs := startUpdate(s, "amid")
	s.run("upgrade", "amid", "--release-version", "1.32.0-20250101", "--auto").exits(2).says(theirs, "release 1.32.1-20250203, not 1.32.0-20250101")
	p := s.launch("upgrade", "amid", "--auto", "-o", "json").exits(4)
	if last := p.said()[len(p.said())-1]; !strings.Contains(last.Message, theirs) || !strings.Contains(last.Message, "held there: ") {
		t.Errorf("the end: %s", last)
	}
	s.checkStarted("amid")
	if asked := calls(s.calls(), "UpdateNodegroupVersion"); len(asked) > 0 {
		t.Errorf("EKS was asked %d times", len(asked))
	}
}

// EKS gives up on pods that PDBs keep (exit code 4), and deletes them with --force. A release that it does not have
// is refused by it, and a user without the right is told before the start.
func TestStartManagedUpdateThatFails(t *testing.T) {
	s, _ := started(t, lab.Nodegroup{Name: "stuck", Nodes: 1, Zones: oneZone})
	s.deploy("checkout")
	s.run("upgrade", "stuck", "--auto", "--release-version", "1.32.9-20990101").exits(1).says("Requested release version 1.32.9-20990101 is not valid")
	shared.Cloud().DenyKey(s.key, "eks:UpdateNodegroupVersion", true)
	s.run("upgrade", "stuck", "--auto").exits(11).says("eks:UpdateNodegroupVersion")
	shared.Cloud().DenyKey(s.key, "eks:UpdateNodegroupVersion", false)
	if all := s.updates("stuck"); len(all) > 0 {
		t.Errorf("EKS carries out %d updates", len(all))
	}
	p := s.launch("upgrade", "stuck", "--auto", "-o", "json").exits(4)
	last := p.said()[len(p.said())-1]
	for _, want := range []string{"PodEvictionFailure", "held there: ", "PDB " + s.place.Namespace + "/checkout"} {
		if !strings.Contains(last.Message, want) {
			t.Errorf("it does not say %q: %s", want, last)
		}
	}
	s.launch("upgrade", "stuck", "--auto", "-o", "json", "--force").exits(0)
	if all := s.updates("stuck"); len(all) != 2 {
		t.Errorf("EKS carried out %d updates", len(all))
	}
}

// Once EKS is at work it cannot be stopped: an abort ends the run with what continues, also in another process, and what is
// not possible is refused in the words of the table. The next upgrade attaches.
func TestAbortManagedUpdate(t *testing.T) {
	s, _ := started(t, lab.Nodegroup{Name: "unstoppable", Nodes: 1, Zones: oneZone})
	s.deploy("checkout")
	p := s.launch("upgrade", "unstoppable", "--auto", "-o", "json")
	p.await("phase.started", func(e Event) bool { return e.Phase == eks.Upgrade })
	o := s.operator()
	o.run("pause", "unstoppable").exits(1).says("cannot be paused")
	p.signal(syscall.SIGINT)
	p.exits(3)
	id := s.checkStarted("unstoppable")
	if !slices.ContainsFunc(p.said(), func(e Event) bool { return strings.Contains(e.Message, "EKS continues with EKS update "+id) }) {
		t.Errorf("it does not say that EKS continues: %s", p.tail())
	}
	again := s.launch("upgrade", "unstoppable", "--auto", "-o", "json")
	again.await("warning", because("eks"), saying(id+" is under way"))
	again.exits(4)
	s.checkStarted("unstoppable")
}

// The user is asked, with the plan and the command, unless --yes is given; no starts nothing.
func TestConsentToManagedUpdate(t *testing.T) {
	s, _ := started(t, lab.Nodegroup{Name: "consented", Nodes: 1, Zones: oneZone})
	s.deploy("batch")
	s.run("upgrade", "consented", "--plain").exits(3).says("not started")
	if all := s.updates("consented"); len(all) > 0 {
		t.Errorf("EKS carries out %d updates", len(all))
	}
	p := s.run("upgrade", "consented", "--plain", "--yes")
	if p.exits(0); !strings.Contains(p.out(), "succeeded") {
		t.Errorf("it tells:\n%s", p.out())
	}
	s.checkStarted("consented")
}

// A failed update is started again as often as is asked for, once for each try: a process that is killed before it has
// sent the next request is continued by another. The run ends as the last update did.
func TestRetryManagedUpdate(t *testing.T) {
	s, _ := started(t, lab.Nodegroup{Name: "retried", Nodes: 1, Zones: oneZone})
	s.deploy("checkout") // its PDB has updates fail
	p := s.launch("upgrade", "retried", "--auto", "-o", "json", "--retry", "1").exits(4)
	if all := s.updates("retried"); len(all) != 2 {
		t.Errorf("EKS carried out %d updates", len(all))
	}
	if told := p.all("warning", saying(" replaced; old: ")); len(told) != 2 {
		t.Errorf("it tells %v", told)
	}
	p.await("warning", saying("the update starts again: retry 1 of 1"))

	point := s.call("the retry", "UpdateNodegroupVersion", "-retry-1")
	stop := s.gate(point).Stop(gate.After, point.is)
	first := s.launch("upgrade", "retried", "--auto", "-o", "json", "--retry", "2")
	<-stop.Hit()
	first.crash()
	s.scale("checkout", 5)
	s.launch("upgrade", "retried", "--auto", "-o", "json").exits(0)
	if all := s.updates("retried"); len(all) != 4 {
		t.Errorf("EKS carried out %d updates", len(all))
	}
	s.run("upgrade", "retried", "--auto", "--retry", "-1").exits(2).says("--retry: -1 is too small")
}

// At the dashboard a failed update waits for a user: what is new and what is old is shown, with why. One key has EKS start it again,
// which another key would end.
func TestRetryAtDashboard(t *testing.T) {
	s, _ := started(t, lab.Nodegroup{Name: "retried-by-hand", Nodes: 1, Zones: oneZone})
	s.deploy("checkout")
	held := shortName(s.nodes())
	p := s.sit("upgrade", "retried-by-hand")
	p.expect("Start this update? [y/N").text("y").press("enter")
	p.expect("update failed, p retries, x ends the run", "PodEvictionFailure, 0 of 1 node replaced", "old: "+held)
	if status := s.run("status", "retried-by-hand").exits(0).out(); !strings.Contains(status, "PodEvictionFailure, 0 of 1 node replaced; old: ") {
		t.Errorf("its status:\n%s", status)
	}
	s.scale("checkout", 4) // its PDB is open
	p.press("p").expect("exit code", "0: done")
	p.quits(0)
	if all := s.updates("retried-by-hand"); len(all) != 2 {
		t.Errorf("EKS carried out %v", all)
	}
}
