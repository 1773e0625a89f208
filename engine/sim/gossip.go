package sim

import (
	"context"
	"fmt"
	"time"

	"github.com/drainboard/drainboard/engine/podlog"
)

// gossip remembers what others did, if the caller asks for it.
func (s *Sim) gossip(what string) {
	if s.told != nil {
		s.news = append(s.news, what)
	}
}

// Scale lets another user change how many pods a workload wants, and returns how
// many that are then.
func (w *RealTime) Scale(name string, to func(replicas int) int) (replicas int, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, known := range w.sim.workloads {
		if known.Name == name {
			replicas = max(0, to(known.Replicas))
			return replicas, w.sim.Scale(name, replicas)
		}
	}
	return 0, fmt.Errorf("there is no workload %q", name)
}

// Log is the end of a pod's log, as a program may write it that runs there.
func (w *RealTime) Log(_ context.Context, of podlog.Pod) (podlog.Log, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range w.sim.allPods() {
		if p.Ref() == of.Ref() && (of.UID == "" || of.UID == p.UID) {
			return w.sim.logOf(p)
		}
	}
	return podlog.Log{}, podlog.ErrGone
}

// logOf is the end of a pod's log. The kubelet starts a container that crashes again after 10 s,
// 20 s, and so on, at most 5 minutes.
func (s *Sim) logOf(p *pod) (podlog.Log, error) {
	switch {
	case p.Node == "":
		return podlog.Log{}, fmt.Errorf("the pod has no node yet")
	case s.silent(p.Node):
		return podlog.Log{}, fmt.Errorf("the kubelet of %s does not answer", p.Node)
	}
	app := p.Name
	if p.owner != nil {
		app = p.owner.Name
	}
	log, at := podlog.Log{Container: app}, p.Created
	say := func(after time.Duration, level, message string) {
		at = at.Add(after)
		log.Lines = append(log.Lines, fmt.Sprintf("%s %-5s %s", at.UTC().Format("2006-01-02T15:04:05.000Z"), level, message))
	}
	if p.Crashing {
		const ran = 2 * time.Second
		for wait := 10 * time.Second; ; wait = min(2*wait, 5*time.Minute) {
			if next := at.Add(ran + wait); next.Add(ran).After(s.now) {
				break
			} else {
				at = next
			}
			log.Restarts++
		}
		log.Previous, log.Ended, log.At = true, "exit code 1 (Error)", at.Add(ran)
	}
	say(0, "info", fmt.Sprintf("starting %s 3.14.2 on %s", app, p.Node))
	say(140*time.Millisecond, "info", "configuration read from /etc/"+app+"/config.yaml")
	if p.Crashing {
		say(310*time.Millisecond, "info", "reading the memory limit of this container")
		say(12*time.Millisecond, "warn", "open /sys/fs/cgroup/memory/memory.limit_in_bytes: no such file or directory")
		say(1480*time.Millisecond, "fatal", "cannot size the cache: the node has cgroup v2, this release reads cgroup v1 only")
		return log, nil
	}
	say(600*time.Millisecond, "info", "connected to postgres://db."+p.Namespace+".svc:5432/"+app)
	say(20*time.Millisecond, "info", "listening on :8080")
	if !p.up {
		say(5*time.Second, "warn", "GET /readyz 503: caches are not warm yet")
		return log, nil
	}
	at = s.now.Truncate(10 * time.Second).Add(-40 * time.Second)
	for range 4 {
		say(10*time.Second, "info", "GET /readyz 200 in 1 ms")
	}
	return log, nil
}
