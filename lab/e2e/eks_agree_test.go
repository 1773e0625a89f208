package e2e

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/api"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/lab/eks"
)

const (
	// lookLag is how much older than the beginning of a `status` what it tells may be: it reads AWS
	// and the cluster itself, and the lab's describe calls are behind by cloudLag.
	lookLag = 3 * time.Second
	// ahead is how much later than the worker's act its entry in the log may be.
	ahead = time.Second
)

// look is what one `status` told of an update, and when it began and was over.
type look struct {
	from, to time.Time
	run      api.Run
}

// looks runs `status` again and again until it is stopped, and returns what it told of an update that was under
// way.
func (s *scene) looks(group string) (stop func() []look) {
	over := make(chan struct{})
	var all []look
	var ends sync.WaitGroup
	ends.Go(func() {
		for {
			select {
			case <-over:
				return
			case <-time.After(500 * time.Millisecond): // the machine has other things to do
			}
			l := look{from: time.Now()}
			cmd := exec.Command(program, "status", group, "-o", "json")
			cmd.Env = s.env()
			out, err := cmd.Output()
			l.to = time.Now()
			var status api.GroupStatus
			if err == nil {
				err = json.Unmarshal(out, &status)
			}
			if err != nil {
				s.t.Errorf("status %s: %v: %s", group, err, out)
				return
			}
			if r := status.LatestRun; r != nil && r.State != string(record.Finished) {
				l.run = *r
				all = append(all, l)
			}
		}
	})
	stop = sync.OnceValue(func() []look {
		close(over)
		ends.Wait()
		return all
	})
	s.t.Cleanup(func() { stop() })
	return stop
}

// checkLooks holds each look at an update against the worker's own log: that it told what was so at its time.
func (s *scene) checkLooks(looks []look, service *eks.Service, update string, nodes int) {
	s.t.Helper()
	log := service.Log()
	for _, l := range looks {
		for _, wrong := range l.against(log, update, nodes) {
			s.t.Errorf("status of %s to %s: %s", l.from.Format(time.StampMilli), l.to.Format(time.StampMilli), wrong)
		}
	}
}

// checkLookedAtAll holds that there were looks in all phases of an update but those of a moment: what is checked by
// looks is worth nothing without them. Only an update at slowEKSPace, beside which no other story plays, has time for it.
func (s *scene) checkLookedAtAll(looks []look, service *eks.Service, update string) {
	s.t.Helper()
	seen := map[string]int{}
	for _, l := range looks {
		seen[l.run.Phase]++
	}
	steps := worked(service, update, append([]string{eks.Succeeded, eks.Failed}, eksPhases...)...)
	for i, e := range steps[:max(0, len(steps)-1)] {
		if steps[i+1].Time.Sub(e.Time) > 2*lookLag+3*time.Second && seen[e.Step] == 0 {
			s.t.Errorf("of %d looks none was at the %s, which lasted %s: %v", len(looks), e.Step, steps[i+1].Time.Sub(e.Time), seen)
		}
	}
	if len(looks) == 0 {
		s.t.Error("there was no look at it")
	}
}

// against says where a look differs from what the worker did by its log, in an update of so many nodes.
func (l look) against(log []eks.Entry, update string, nodes int) (wrong []string) {
	since, until := l.from.Add(-lookLag), l.to.Add(ahead)
	at := map[string]map[string]time.Time{} // nodes by step
	var phases []string                     // that there were in the time of the look
	var last eks.Entry
	for _, e := range log {
		if e.Update != update {
			continue
		}
		if slices.Contains(eksPhases, e.Step) {
			if last.Step != "" && !e.Time.Before(since) && last.Time.Before(until) {
				phases = append(phases, last.Step)
			}
			last = e
		}
		if e.Node != "" && e.Pod == "" {
			if at[e.Step] == nil {
				at[e.Step] = map[string]time.Time{}
			}
			at[e.Step][e.Node] = e.Time
		}
	}
	if last.Time.Before(until) {
		phases = append(phases, last.Step)
	}
	if !slices.Contains(phases, l.run.Phase) {
		wrong = append(wrong, fmt.Sprintf("phase %q, the worker's %q", l.run.Phase, phases))
	}
	count := func(step string, by time.Time) (n int) {
		for _, when := range at[step] {
			if when.Before(by) {
				n++
			}
		}
		return n
	}
	if least, most := count(eks.Gone, since), count(eks.Terminated, until); l.run.Replaced < least || l.run.Replaced > most || l.run.Outdated != nodes {
		wrong = append(wrong, fmt.Sprintf("%d of %d replaced, the worker's are %d to %d of %d", l.run.Replaced, l.run.Outdated, least, most, nodes))
	}
	if l.run.Phase == eks.ScaleDown {
		return wrong // what the Auto Scaling group ends there is drained as well
	}
	stage := func(stages ...record.Stage) (n int) {
		for _, is := range stages {
			n += l.run.Stages[string(is)]
		}
		return n
	}
	if way, most := stage(record.Draining, record.Settling, record.Terminating), count(eks.Picked, until)-count(eks.Gone, since); way > most {
		wrong = append(wrong, fmt.Sprintf("%d nodes under way, of the worker's at most %d: %v", way, most, l.run.Stages))
	}
	if ends, most := stage(record.Terminating), count(eks.Terminated, until)-count(eks.Gone, since); ends > most {
		wrong = append(wrong, fmt.Sprintf("%d nodes terminating, of the worker's at most %d: %v", ends, most, l.run.Stages))
	}
	return wrong
}

// The check of looks finds a phase of another time, too many and too few nodes.
func TestLooksAgainstTheWorker(t *testing.T) {
	t.Parallel()
	start := time.Now()
	at := func(seconds int, step, node string) eks.Entry {
		return eks.Entry{Time: start.Add(time.Duration(seconds) * time.Second), Update: "u", Step: step, Node: node}
	}
	log := []eks.Entry{
		at(0, eks.SetUp, ""), at(20, eks.Upgrade, ""), at(20, eks.Picked, "a"), at(30, eks.Drained, "a"), at(40, eks.Terminated, "a"), at(50, eks.Gone, "a"),
		at(60, eks.Picked, "b"), at(70, eks.Drained, "b"), at(80, eks.Terminated, "b"), at(90, eks.Gone, "b"), at(95, eks.ScaleDown, ""), at(99, eks.Succeeded, ""),
	}
	for _, c := range []struct {
		seconds  int
		phase    string
		replaced int
		stages   map[string]int
		wrong    string
	}{
		{10, eks.SetUp, 0, nil, ""},
		{10, eks.Upgrade, 0, nil, "phase"},
		{35, eks.SetUp, 0, nil, "phase"},
		{35, eks.Upgrade, 0, map[string]int{"draining": 1}, ""},
		{35, eks.Upgrade, 0, map[string]int{"draining": 2}, "under way"},
		{35, eks.Upgrade, 0, map[string]int{"terminating": 1}, "terminating"},
		{35, eks.Upgrade, 1, nil, "replaced"},
		{55, eks.Upgrade, 1, nil, ""},
		{55, eks.Upgrade, 0, nil, "replaced"},
		{55, eks.Upgrade, 1, map[string]int{"settling": 1}, "under way"},
		{97, eks.ScaleDown, 2, map[string]int{"terminating": 1}, ""},
		{97, eks.Upgrade, 2, nil, ""}, // a moment ago
		{97, eks.ScaleDown, 1, nil, "replaced"},
	} {
		l := look{from: start.Add(time.Duration(c.seconds) * time.Second), run: api.Run{Phase: c.phase, Replaced: c.replaced, Outdated: 2, Stages: c.stages}}
		l.to = l.from.Add(500 * time.Millisecond)
		if wrong := l.against(log, "u", 2); len(wrong) > 1 || (len(wrong) == 1) != (c.wrong != "") || len(wrong) == 1 && !strings.Contains(wrong[0], c.wrong) {
			t.Errorf("%d s, %s, %d replaced, %v: %q, want %q", c.seconds, c.phase, c.replaced, c.stages, wrong, c.wrong)
		}
	}
}
