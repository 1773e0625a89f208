package e2e

import (
	"fmt"
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

// updateConfig is how EKS updates a node group, as it says.
func (s *scene) updateConfig(group string) string {
	s.t.Helper()
	out, err := shared.EKSClient().DescribeNodegroup(s.ctx, &awseks.DescribeNodegroupInput{ClusterName: aws.String(lab.EKSCluster), NodegroupName: aws.String(group)})
	if err != nil {
		s.t.Fatal(err)
	}
	c := out.Nodegroup.UpdateConfig
	return fmt.Sprintf("%d %d%% %s", aws.ToInt32(c.MaxUnavailable), aws.ToInt32(c.MaxUnavailablePercentage), c.UpdateStrategy)
}

// checkConfigured holds that the configuration was set and restored as often as wanted, and is what it was at first.
func (s *scene) checkConfigured(group, was string, updates, configs int) {
	s.t.Helper()
	if now := s.updateConfig(group); now != was {
		s.t.Errorf("the update configuration is %s, was %s", now, was)
	}
	list, err := shared.EKSClient().ListUpdates(s.ctx, &awseks.ListUpdatesInput{Name: aws.String(lab.EKSCluster), NodegroupName: aws.String(group)})
	if err != nil {
		s.t.Fatal(err)
	}
	if n := len(s.updates(group)); n != updates || len(list.UpdateIds)-n != configs {
		s.t.Errorf("EKS carried out %d updates of nodes and %d of the configuration, want %d and %d", n, len(list.UpdateIds)-n, updates, configs)
	}
}

// The update configuration is set for the update, which goes by it, and restored after it. A user without the right is told before the start.
func TestConfigOfManagedUpdate(t *testing.T) {
	s, service := started(t, lab.Nodegroup{Name: "reconfigured", Nodes: 2, Zones: oneZone, Update: &types.NodegroupUpdateConfig{MaxUnavailablePercentage: aws.Int32(25)}})
	s.deploy("batch")
	was := s.updateConfig("reconfigured")
	flags := []string{"upgrade", "reconfigured", "--auto", "-o", "json", "--max-unavailable", "2", "--update-strategy", "minimal"}
	shared.Cloud().DenyKey(s.key, "eks:UpdateNodegroupConfig", true)
	s.run(flags...).exits(11).says("eks:UpdateNodegroupConfig")
	shared.Cloud().DenyKey(s.key, "eks:UpdateNodegroupConfig", false)
	plan := s.run("plan", "reconfigured", "--max-unavailable", "2", "--update-strategy", "minimal").exits(0).out()
	if !strings.Contains(plan, "sets the update configuration maxUnavailable 25%, updateStrategy DEFAULT → maxUnavailable 2, updateStrategy MINIMAL, and restores it at the end") ||
		!strings.Contains(plan, "aws eks update-nodegroup-config --cluster-name lab --nodegroup-name reconfigured --update-config maxUnavailable=2,updateStrategy=MINIMAL && aws eks wait nodegroup-active") {
		t.Errorf("its plan:\n%s", plan)
	}
	p := s.launch(flags...)
	p.await("phase.started", func(e Event) bool { return e.Phase == eks.Upgrade })
	if status := s.run("status", "reconfigured").exits(0).out(); !strings.Contains(status, "which restores maxUnavailable 25%, updateStrategy DEFAULT") {
		t.Errorf("its status:\n%s", status)
	}
	p.exits(0)
	s.checkConfigured("reconfigured", was, 1, 2)
	if up := worked(service, *s.updates("reconfigured")[0].Id, eks.ScaleUp); len(up) > 0 {
		t.Errorf("EKS has scaled up: %v", up)
	}
	if told := p.all("capacity.changed", because("update configuration")); len(told) != 2 {
		t.Errorf("it tells %v", told)
	}
}

// After an update that failed the configuration is restored, too. One that is so already is not set.
func TestConfigOfFailedManagedUpdate(t *testing.T) {
	s, _ := started(t, lab.Nodegroup{Name: "reconfigured-stuck", Nodes: 1, Zones: oneZone})
	s.deploy("checkout")
	was := s.updateConfig("reconfigured-stuck")
	s.launch("upgrade", "reconfigured-stuck", "--auto", "-o", "json", "--max-unavailable", "3").exits(4)
	s.checkConfigured("reconfigured-stuck", was, 1, 2)
	s.launch("upgrade", "reconfigured-stuck", "--auto", "-o", "json", "--max-unavailable", "1", "--update-strategy", "default").exits(4)
	s.checkConfigured("reconfigured-stuck", was, 2, 2)
}

// A process is killed at each request for the configuration, before it has reached EKS and before its answer. Another
// process continues: nothing is asked for twice, and the configuration is what it was.
func TestConfigOfManagedUpdateAfterKill(t *testing.T) {
	for request, body := range map[string]string{"set": `"MINIMAL"`, "restored": `"DEFAULT"`} {
		for _, at := range []gate.Moment{gate.Before, gate.After} {
			name := "config-" + request + map[gate.Moment]string{gate.Before: "-before", gate.After: "-after"}[at]
			t.Run(name, func(t *testing.T) {
				s, _ := started(t, lab.Nodegroup{Name: name, Nodes: 1, Zones: oneZone})
				s.deploy("batch")
				was := s.updateConfig(name)
				point := s.call("the configuration", "UpdateNodegroupConfig", body)
				stop := s.gate(point).Stop(at, point.is)
				first := s.launch("upgrade", name, "--auto", "-o", "json", "--update-strategy", "minimal")
				<-stop.Hit()
				first.crash()
				s.run("upgrade", name, "--auto", "--update-strategy", "default").exits(2).says("which --update-strategy default contradicts")
				s.launch("upgrade", name, "--auto", "-o", "json").exits(0)
				s.checkConfigured(name, was, 1, 2)
			})
		}
	}
}

// EKS takes no other configuration while it updates the group: another one than that of the update is refused, and an abort
// says what stays. The next upgrade follows the update, and restores the configuration after it; or restores it alone.
func TestConfigOfAbortedManagedUpdate(t *testing.T) {
	s, _ := started(t, lab.Nodegroup{Name: "config-aborted", Nodes: 1, Zones: oneZone})
	s.deploy("checkout")
	was := s.updateConfig("config-aborted")
	flags := []string{"upgrade", "config-aborted", "--auto", "-o", "json", "--max-unavailable", "2"}
	aborted := func() {
		t.Helper()
		p := s.launch(flags...)
		p.await("phase.started", func(e Event) bool { return e.Phase == eks.Upgrade })
		p.signal(syscall.SIGINT)
		p.exits(3)
		if said := p.all("warning", because("unrestored")); len(said) != 1 || !strings.Contains(said[0].EquivalentCommand, "--update-config maxUnavailable=1,updateStrategy=DEFAULT") {
			t.Errorf("it leaves %v", said)
		}
	}
	aborted()
	s.run("upgrade", "config-aborted", "--auto", "--max-unavailable", "3").exits(2).says("is under way with maxUnavailable 2, updateStrategy DEFAULT, not maxUnavailable 3")
	s.launch("upgrade", "config-aborted", "--auto", "-o", "json").exits(4)
	s.checkConfigured("config-aborted", was, 1, 2)

	aborted()
	s.scale("checkout", 5) // the update ends, and nobody follows it
	s.eventually(func() error {
		for _, u := range s.updates("config-aborted") {
			if u.Status == types.UpdateStatusInProgress {
				return fmt.Errorf("%s is under way", *u.Id)
			}
		}
		return nil
	})
	plan := s.run("plan", "config-aborted").exits(0).out()
	if !strings.Contains(plan, "an earlier run has left the update configuration maxUnavailable 2, updateStrategy DEFAULT") {
		t.Errorf("its plan:\n%s", plan)
	}
	s.launch("upgrade", "config-aborted", "--auto", "-o", "json").exits(0)
	s.checkConfigured("config-aborted", was, 2, 4)
	s.run("upgrade", "config-aborted", "--auto").exits(0)
	s.checkConfigured("config-aborted", was, 2, 4)
}
