package lab

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drainboard/drainboard/lab/line"
	"github.com/drainboard/drainboard/lab/process"
	"github.com/drainboard/drainboard/lab/workload"
)

// A Fault is something that can go wrong while a lab runs, under the name and
// with the values that `lab fault` takes. Each does what one method of Lab, Line,
// Process or cloud.Cloud does (API).
type Fault struct {
	Name    string
	Summary string // one line
	API     string // Go name of what it calls
	Flags   []FaultFlag

	// on makes it so and returns what ends it, nil if it is over by itself.
	on func(ctx context.Context, l *Lab, v values) (off func(context.Context) error, err error)
}

// A FaultFlag is a value that a fault takes.
type FaultFlag struct{ Name, Default, Usage string }

// A FaultOn is a fault that is switched on, with its values.
type FaultOn struct {
	Name   string            `json:"name"`
	Values map[string]string `json:"values,omitempty"`

	off func(context.Context) error
}

func (f FaultOn) String() string {
	s := f.Name
	for _, name := range slices.Sorted(maps.Keys(f.Values)) {
		s += " --" + name + "=" + f.Values[name]
	}
	return s
}

// switches are the faults of a lab that are on.
type switches struct {
	mu sync.Mutex
	on []FaultOn
}

// SwitchOn switches a fault of the list Faults on. Values that are not given have
// their default.
func (l *Lab) SwitchOn(ctx context.Context, name string, given map[string]string) error {
	i := place(name)
	if i < 0 {
		return fmt.Errorf("no fault %q", name)
	}
	fault := Faults[i]
	v := values{}
	for _, flag := range fault.Flags {
		v[flag.Name] = cmp.Or(given[flag.Name], flag.Default)
	}
	for name := range given {
		if _, known := v[name]; !known {
			return fmt.Errorf("fault %s has no --%s", fault.Name, name)
		}
	}
	l.switches.mu.Lock()
	defer l.switches.mu.Unlock()
	off, err := fault.on(ctx, l, v)
	if err != nil {
		return fmt.Errorf("fault %s: %w", name, err)
	}
	maps.DeleteFunc(v, func(_, value string) bool { return value == "" })
	if off != nil {
		l.switches.on = append(l.switches.on, FaultOn{name, v, off})
	}
	l.logf("fault %s", FaultOn{Name: name, Values: v})
	return nil
}

// SwitchOff ends the faults of a name; an empty name means all. They end in the
// order of the list Faults, so that the control plane is back for those that need it.
func (l *Lab) SwitchOff(ctx context.Context, name string) error {
	if name != "" && place(name) < 0 {
		return fmt.Errorf("no fault %q", name)
	}
	l.switches.mu.Lock()
	defer l.switches.mu.Unlock()
	slices.SortStableFunc(l.switches.on, func(a, b FaultOn) int { return place(a.Name) - place(b.Name) })
	var failed []error
	l.switches.on = slices.DeleteFunc(l.switches.on, func(on FaultOn) bool {
		if name != "" && on.Name != name {
			return false
		}
		if err := on.off(ctx); err != nil {
			failed = append(failed, fmt.Errorf("end fault %s: %w", on, err))
			return false
		}
		l.logf("fault over: %s", on)
		return true
	})
	return errors.Join(failed...)
}

// place is where a fault stands in the list, -1 if it does not.
func place(name string) int {
	return slices.IndexFunc(Faults, func(f Fault) bool { return f.Name == name })
}

// On lists the faults that are switched on.
func (l *Lab) On() []FaultOn {
	l.switches.mu.Lock()
	defer l.switches.mu.Unlock()
	return slices.Clone(l.switches.on)
}

// groups are the groups that a fault is for: the one it names, or all.
func (l *Lab) groups(v values) ([]string, error) {
	all := l.cloud.Groups()
	name := v["group"]
	switch {
	case name == "":
		return all, nil
	case slices.Contains(all, name):
		return []string{name}, nil
	}
	return nil, fmt.Errorf("no group %q; there are %s", name, strings.Join(all, ", "))
}

// zone is a zone by its name or its letter.
func (l *Lab) zone(v values) (string, error) {
	all := l.options.Cloud.Zones
	for _, zone := range all {
		if name := v["zone"]; zone == name || len(name) == 1 && strings.HasSuffix(zone, name) {
			return zone, nil
		}
	}
	return "", fmt.Errorf("--zone must be one of %s, or its letter", strings.Join(all, ", "))
}

// node is a node by its name or the beginning of it.
func (l *Lab) node(ctx context.Context, v values) (string, error) {
	var all, found []string
	nodes, err := l.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{LabelSelector: workload.GroupLabel})
	if err != nil {
		return "", err
	}
	for i := range nodes.Items {
		all = append(all, nodes.Items[i].Name)
	}
	for _, name := range all {
		if name == v["node"] {
			return name, nil
		}
		if v["node"] != "" && strings.HasPrefix(name, v["node"]) {
			found = append(found, name)
		}
	}
	if len(found) != 1 {
		return "", fmt.Errorf("--node must be a node, or the beginning of just one; there are %s", strings.Join(all, ", "))
	}
	return found[0], nil
}

// line is a user's way to the API server.
func (l *Lab) line(v values) (*line.Line, error) {
	l.faultMu.Lock()
	line, ok := l.lines[v["user"]]
	users := slices.Sorted(maps.Keys(l.lines))
	l.faultMu.Unlock()
	if !ok {
		return nil, fmt.Errorf("no user %q; there are %s", v["user"], strings.Join(users, ", "))
	}
	return line, nil
}

// component is a part of the control plane.
func (l *Lab) component(v values) (*process.Process, error) {
	l.processMu.Lock()
	defer l.processMu.Unlock()
	process, ok := l.processes[v["component"]]
	if !ok {
		return nil, fmt.Errorf("--component must be one of %s", strings.Join(slices.Sorted(maps.Keys(l.processes)), ", "))
	}
	return process, nil
}
