package e2e

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	machineapi "github.com/gardener/machine-controller-manager/pkg/apis/machine/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
)

// version is an object as it was from a time on, nil where it was gone.
type version[T any] struct {
	from time.Time
	is   *T
}

// machineHistory is the history of a Shoot's Machines and machine deployments, and of all pods
// that ended, as the API server told it.
type machineHistory struct {
	t *testing.T

	mu          sync.Mutex
	news        chan struct{} // closed, and made again, with every change
	machines    map[string][]version[machineapi.Machine]
	deployments map[string][]version[machineapi.MachineDeployment]
	ended       map[string]time.Time // pods, by namespace/name
}

func (s *shootScene) followMachines() *machineHistory {
	m := &machineHistory{
		t: s.t, news: make(chan struct{}), ended: map[string]time.Time{},
		machines: map[string][]version[machineapi.Machine]{}, deployments: map[string][]version[machineapi.MachineDeployment]{},
	}
	api, namespace := s.shoot.Machines(), s.shoot.ControlNamespace
	ctx, stop := context.WithCancel(s.ctx)
	var work sync.WaitGroup
	s.t.Cleanup(func() { stop(); work.Wait() })
	for _, open := range []func() (watch.Interface, error){
		func() (watch.Interface, error) { return api.Machines(namespace).Watch(ctx, metav1.ListOptions{}) },
		func() (watch.Interface, error) {
			return api.MachineDeployments(namespace).Watch(ctx, metav1.ListOptions{})
		},
		func() (watch.Interface, error) {
			return shared.Client().CoreV1().Pods("").Watch(ctx, metav1.ListOptions{})
		},
	} {
		work.Go(func() {
			for ctx.Err() == nil {
				w, err := open()
				if err != nil { // another test may have the API server down
					select {
					case <-ctx.Done():
					case <-time.After(blink):
					}
					continue
				}
				for e := range w.ResultChan() {
					m.take(e.Object, e.Type == watch.Deleted)
				}
			}
		})
	}
	return m
}

// take notes a change. What a watch tells again after it broke is no change.
func (m *machineHistory) take(o runtime.Object, gone bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	switch o := o.(type) {
	case *machineapi.Machine:
		m.machines[o.Name] = then(m.machines[o.Name], now, o, gone)
	case *machineapi.MachineDeployment:
		m.deployments[o.Name] = then(m.deployments[o.Name], now, o, gone)
	case *corev1.Pod:
		if !gone {
			return
		}
		m.ended[o.Namespace+"/"+o.Name] = now
	}
	close(m.news)
	m.news = make(chan struct{})
}

func then[T any](list []version[T], now time.Time, o *T, gone bool) []version[T] {
	if gone {
		o = nil
	}
	return append(list, version[T]{now, o})
}

// during are the versions that an object had at some time between two.
func during[T any](list []version[T], from, until time.Time) (out []*T) {
	for i, v := range list {
		if v.from.After(until) || i+1 < len(list) && list[i+1].from.Before(from) {
			continue
		}
		out = append(out, v.is)
	}
	return out
}

// of are the histories of the Machines of a pool, by name.
func (m *machineHistory) of(pool string) map[string][]version[machineapi.Machine] {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := map[string][]version[machineapi.Machine]{}
	for name, list := range m.machines {
		if first := list[0].is; first != nil && strings.Contains(first.Labels["name"], "-"+pool+"-z") {
			out[name] = slices.Clone(list)
		}
	}
	return out
}

// zones are the histories of the machine deployments of a pool, in the order of its zones.
func (m *machineHistory) zones(pool string) (out [][]version[machineapi.MachineDeployment]) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var names []string
	for name := range m.deployments {
		if strings.Contains(name, "-"+pool+"-z") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		out = append(out, slices.Clone(m.deployments[name]))
	}
	return out
}

// podEnded is when a pod had gone, zero if it has not.
func (m *machineHistory) podEnded(ref string) time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.ended[ref]
}

// until waits for a version of a Machine of a pool, and returns the first that is right.
func (m *machineHistory) until(pool, what string, right func(*machineapi.Machine) bool) *machineapi.Machine {
	m.t.Helper()
	late := time.After(patience)
	for {
		m.mu.Lock()
		news := m.news
		m.mu.Unlock()
		var first version[machineapi.Machine]
		for _, list := range m.of(pool) {
			for _, v := range list {
				if v.is != nil && right(v.is) {
					if first.is == nil || v.from.Before(first.from) {
						first = v
					}
					break
				}
			}
		}
		if first.is != nil {
			return first.is
		}
		select {
		case <-news:
		case <-late:
			m.tell(pool)
			m.t.Fatalf("no machine of pool %s: %s", pool, what)
		}
	}
}

// tell logs the histories of a pool's Machines.
func (m *machineHistory) tell(pool string) {
	m.t.Helper()
	for name, list := range m.of(pool) {
		for _, v := range list {
			if v.is == nil {
				m.t.Logf("%s %s gone", v.from.Format("15:04:05.0"), name)
				continue
			}
			m.t.Logf("%s %s %s, %s: %s", v.from.Format("15:04:05.0"), name, v.is.Status.CurrentStatus.Phase, v.is.Status.LastOperation.State, v.is.Status.LastOperation.Description)
		}
	}
}

// tellZones logs what a pool's machine deployments were last.
func (m *machineHistory) tellZones(pool string) {
	m.t.Helper()
	for _, list := range m.zones(pool) {
		if last := list[len(list)-1]; last.is != nil {
			m.t.Logf("%s %s generation %d, wants %d machines: %+v", last.from.Format("15:04:05.0"), last.is.Name, last.is.Generation, last.is.Spec.Replicas, last.is.Status)
		}
	}
}

// Conditions for until.

func inMachinePhase(phase machineapi.MachinePhase) func(*machineapi.Machine) bool {
	return func(m *machineapi.Machine) bool { return m.Status.CurrentStatus.Phase == phase }
}

func describedAs(text string) func(*machineapi.Machine) bool {
	return func(m *machineapi.Machine) bool { return strings.Contains(m.Status.LastOperation.Description, text) }
}
