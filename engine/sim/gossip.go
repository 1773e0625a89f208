package sim

import "fmt"

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
