package e2e

import (
	"testing"
	"time"

	"github.com/drainboard/drainboard/lab"
	"github.com/drainboard/drainboard/lab/apigate"
	"github.com/drainboard/drainboard/lab/cloud"
	"github.com/drainboard/drainboard/lab/gate"
)

// A fifth of the requests to the API server gets 429, 500 or no answer, half of the
// calls to AWS are throttled, and watches are cut all the time: a person sees what is
// refused and why, and the roll ends as well as any.
func TestBusyAPIs(t *testing.T) {
	s := newScene(t, "busy", lab.GroupOptions{Nodes: 3})
	s.deploy("web", "batch", "single", "agent")
	api, err := shared.Gate(s.name)
	if err != nil {
		t.Fatal(err)
	}
	capacity := s.watchCapacity()

	p := s.interactive("--yes", "--approve", "none")
	p.expect("scale up")
	end := api.Fail(0.2, gate.Any, apigate.Troubles...)
	defer end()
	defer shared.Cloud().Gate().Fail(0.5, cloud.Asks(s.key, ""), cloud.Throttling)()
	stop, cutting := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(cutting)
		for tick := time.NewTicker(5 * time.Second); ; {
			select {
			case <-tick.C:
				shared.Line(s.name).Cut()
			case <-stop:
				return
			}
		}
	}()
	p.seesEach(10*time.Minute, `AWS throttles our requests`, `\(context lab\) (is in trouble|does not answer)|too many requests`, `exit code +0: done`)
	close(stop)
	<-cutting
	p.quits(0)

	end()
	capacity.check(s, 1, 1)
	s.checkRolled()
	s.checkNothingTwice()
}

// The AWS credentials expire in the middle of a roll, and are renewed two minutes
// later: a person sees how old the picture of the cloud is, why, and what continues
// without it.
func TestCredentialsExpire(t *testing.T) {
	s := newScene(t, "expire", lab.GroupOptions{Nodes: 3, Zones: oneZone})
	s.deploy("batch", "agent")

	p := s.interactive("--yes", "--approve", "none", "--post-drain-wait", "5s")
	p.expect("settling")
	begin := time.Now()
	shared.Cloud().ExpireKey(s.key, true)
	p.expectLike(`cloud data \d+ s old, retry.*: AWS credentials expired`)
	time.Sleep(time.Until(begin.Add(2 * time.Minute)))
	p.expectLike(`cloud data (1\d\d s|2 min) old, retry.*: AWS credentials expired`)
	for _, c := range calls(s.calls(), "TerminateInstanceInAutoScalingGroup") {
		if c.Time.After(begin) && c.Code == "" {
			t.Errorf("%s was terminated with expired credentials", c.Params.Get("InstanceId"))
		}
	}
	shared.Cloud().ExpireKey(s.key, false)
	p.expectGone("AWS credentials expired (")
	p.expect("exit code", "0: done")
	p.quits(0)

	s.checkRolled()
	s.checkNothingTwice()
}
