// Package gardener brings the worker pools of a Gardener Shoot into the world, and asks the
// control cluster for what a run of ours may want there.
//
// A pool's machines are moved by machine-controller-manager. It keeps them as Machines in a
// control cluster, which not everybody may read; the Shoot, which says what a pool is to be
// like, is in a garden cluster. Connect opens those of the two that it is given. Without the
// control cluster machines are what the Nodes tell, without the Shoot limits are the
// controller's defaults, and what neither tells is left unknown.
//
// All is read as it comes, as unstructured objects: what Gardener and the controller have
// besides is none of our business.
package gardener

import (
	"context"
	"fmt"
	"strings"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/kube"
)

// Provider is the provider's name, as in world.Group.Provider.
const Provider = "gardener"

// Options say where a Shoot's pools are kept beside its own cluster.
type Options struct {
	// Garden is the kubeconfig file of the cluster that has the Shoot, "" for none; Shoot its
	// namespace and name there: "garden-dev/prod".
	Garden, Shoot string
	// Control is the kubeconfig file of the cluster that has the Machines, "" for none;
	// Namespace where they are.
	Control, Namespace string

	// implied: no flag names the garden cluster: without it the nodes tell. context is one of
	// its kubeconfig, "" for the current one. See Named.
	implied bool
	context string
}

// Check says what is wrong with the options, nil if nothing is.
func (o Options) Check() error {
	namespace, name, _ := strings.Cut(o.Shoot, "/")
	switch {
	case o.Shoot != "" && (namespace == "" || name == "" || strings.Contains(name, "/")):
		return fmt.Errorf("--shoot: %q is not NAMESPACE/NAME", o.Shoot)
	case o.Shoot != "" && o.Garden == "":
		return fmt.Errorf("--shoot needs --garden-kubeconfig, the cluster with the Shoot")
	case o.Control != "" && o.Namespace == "":
		return fmt.Errorf("--control-kubeconfig needs --control-namespace, the namespace of the Shoot's Machines")
	case o.Namespace != "" && o.Control == "":
		return fmt.Errorf("--control-namespace needs --control-kubeconfig, the cluster with the Machines")
	}
	return nil
}

// Client reads the garden and the control cluster, as far as they are given.
type Client struct {
	garden, control *kube.Client // nil for none
	o               Options
	// unread is why a garden cluster that no flag names is not read, "" if it is or there is none.
	unread string
}

// Connect opens the clusters that the options name, and settles that what is needed may be
// read there. With readOnly nothing can be changed; else it is settled that a run may act in the
// control cluster. The right to change the Shoot is asked for by those that will (MaySetPace).
func Connect(ctx context.Context, o Options, version string, readOnly bool) (*Client, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	c := &Client{o: o}
	for _, at := range []struct {
		into       **kube.Client
		name, file string
		kinds      []kube.Kind
		rights     []kube.Right
	}{
		{&c.garden, gardenCluster, o.Garden, []kube.Kind{c.shootKind()}, nil},
		{&c.control, controlCluster, o.Control, []kube.Kind{c.kind(deployments), c.kind(sets), c.kind(machines)}, c.WriteRights()},
	} {
		if at.file == "" {
			continue
		}
		flags := kube.Flags{Kubeconfig: at.file}
		if at.name == gardenCluster {
			flags.Context = o.context
		}
		open, rights := kube.Connect, at.rights
		if readOnly {
			open, rights = kube.ConnectReadOnly, nil
		}
		opened := func(ctx context.Context) (k *kube.Client, err error) {
			if k, err = open(ctx, flags, version); err == nil {
				err = may(ctx, k, at.kinds, rights)
			}
			return k, err
		}
		if at.name == gardenCluster && o.implied {
			if c.garden, c.unread = tried(ctx, opened); c.garden == nil {
				c.o.Garden, c.o.Shoot = "", ""
			}
			continue
		}
		k, err := opened(ctx)
		if err != nil {
			return nil, fmt.Errorf("the %s: %w", at.name, err)
		}
		*at.into = k
	}
	return c, nil
}

// tried opens a cluster that nothing depends on, or says why it cannot be opened.
func tried(ctx context.Context, open func(context.Context) (*kube.Client, error)) (k *kube.Client, why string) {
	ctx, cancel := context.WithTimeout(live.WithPatience(ctx, nil), implied)
	defer cancel()
	k, err := open(ctx)
	if err != nil {
		return nil, world.Clean(err.Error())
	}
	return k, ""
}

// The clusters as messages name them.
const (
	gardenCluster  = "garden cluster"
	controlCluster = "control cluster"
)

// may names the rights that are missing in a cluster, nil for none.
func may(ctx context.Context, k *kube.Client, kinds []kube.Kind, rights []kube.Right) error {
	for _, kind := range kinds {
		rights = append(rights, kind.Rights()...)
	}
	return k.Need(ctx, rights, "docs/providers/gardener.md")
}

// Kinds of the control cluster.
const (
	deployments = "machinedeployments"
	sets        = "machinesets"
	machines    = "machines"
)

func (c *Client) kind(resource string) kube.Kind {
	return kube.Kind{Group: "machine.sapcloud.io", Version: "v1alpha1", Resource: resource, Namespace: c.o.Namespace}
}

func (c *Client) shootKind() kube.Kind {
	namespace, name, _ := strings.Cut(c.o.Shoot, "/")
	return kube.Kind{Group: "core.gardener.cloud", Version: "v1beta1", Resource: "shoots", Namespace: namespace, Name: name}
}
