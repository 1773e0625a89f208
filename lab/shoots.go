package lab

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/drainboard/drainboard/lab/gardener"
	"github.com/drainboard/drainboard/lab/process"
)

// AddShoot makes a Shoot, with a machine-controller-manager of its own and stand-ins for
// the other parts of Gardener, and returns when all its nodes can be used. See package gardener for
// what is real.
func (l *Lab) AddShoot(ctx context.Context, o gardener.Options) (*gardener.Shoot, error) {
	s, err := gardener.New(gardener.Host{
		Config: l.RESTConfig(), Kubeconfig: l.path(gardener.MachineControllerManager + ".kubeconfig"), Machines: l.machines,
		Zones: l.options.Cloud.Zones, Dir: l.options.Dir, BinDir: l.options.BinDir, Log: l.logf,
		User: func(ctx context.Context, name, namespace string, rules []rbacv1.PolicyRule) (string, error) {
			return l.KubeconfigFor(ctx, name, Rights{Namespaces: map[string][]rbacv1.PolicyRule{namespace: rules}})
		},
		Start: l.startComponent,
	}, o)
	if err != nil {
		return nil, err
	}
	number, err := l.enter(s)
	if err != nil {
		return nil, err
	}
	if err := s.Make(ctx, number); err != nil {
		return nil, err
	}
	return s, nil
}

// enter lists a Shoot among the lab's, for its end. It returns its number.
func (l *Lab) enter(s *gardener.Shoot) (int, error) {
	l.shootMu.Lock()
	defer l.shootMu.Unlock()
	if slices.ContainsFunc(l.shoots, func(other *gardener.Shoot) bool { return other.Name == s.Name }) {
		return 0, fmt.Errorf("add shoot %s: there is one of this name", s.Name)
	}
	l.shoots = append(l.shoots, s)
	return len(l.shoots) - 1, nil
}

// startComponent starts the lab's program with arguments, as one more component.
func (l *Lab) startComponent(name string, args ...string) error {
	component := process.New(name, l.path(name+".log"), append([]string{filepath.Join(l.options.BinDir, "lab")}, args...)...)
	l.processMu.Lock()
	l.processes[name] = component
	l.processMu.Unlock()
	return component.Start()
}

// Shoots are those that AddShoot made.
func (l *Lab) Shoots() []*gardener.Shoot {
	l.shootMu.Lock()
	defer l.shootMu.Unlock()
	return slices.Clone(l.shoots)
}

// ShootNamed is the Shoot of a name; an empty name means the only one.
func (l *Lab) ShootNamed(name string) (*gardener.Shoot, error) {
	all := l.Shoots()
	if name == "" && len(all) == 1 {
		return all[0], nil
	}
	var names []string
	for _, s := range all {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	if len(names) == 0 {
		return nil, errors.New("there is no Shoot")
	}
	return nil, fmt.Errorf("no Shoot %q; there are %s", name, strings.Join(names, ", "))
}
