package kube

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/kube/objects"
	"github.com/drainboard/drainboard/providers/kube/transport"
)

// nodePage is how many nodes one read asks for, as kubectl does.
const nodePage = 500

// Machines reads the ids of the machines that the cluster's nodes run on, and a
// zone that one of them is in ("" if none says), once.
func (c *Client) Machines(ctx context.Context) (ids map[string]bool, err error) {
	nodes, err := c.Nodes(ctx)
	if err != nil {
		return nil, err
	}
	ids = map[string]bool{}
	for _, n := range nodes {
		if n.Machine != "" {
			ids[n.Machine] = true
		}
	}
	return ids, nil
}

// Nodes reads the cluster's nodes once.
func (c *Client) Nodes(ctx context.Context) ([]*world.Node, error) {
	var out []*world.Node
	o := metav1.ListOptions{Limit: nodePage}
	for {
		page, err := live.Retried(ctx, func(ctx context.Context) (*corev1.NodeList, error) { return c.nodePage(ctx, o) })
		if err != nil {
			return nil, err
		}
		for i := range page.Items {
			out = append(out, objects.ToNode(&page.Items[i]).Clean())
		}
		if o.Continue = page.Continue; o.Continue == "" {
			return out, nil
		}
	}
}

func (c *Client) nodePage(ctx context.Context, o metav1.ListOptions) (*corev1.NodeList, error) {
	ctx, cancel := context.WithTimeout(ctx, transport.RequestTimeout)
	defer cancel()
	list, err := c.API().Nodes().List(ctx, o)
	return list, c.noNodes(err)
}

// noNodes says why the nodes could not be read.
func (c *Client) noNodes(err error) error {
	err = Forbidden(err, "list", "", "nodes", "")
	var no *ForbiddenError
	if err == nil || errors.As(err, &no) {
		return err
	}
	return fmt.Errorf("read the nodes: %w", c.Explain(err))
}

// EachNode reports whether there are nodes, and each carries a label.
func (c *Client) EachNode(ctx context.Context, label string) (bool, error) {
	with, err := c.anyNode(ctx, label, func(labels map[string]string) bool { _, on := labels[label]; return on })
	if err != nil || !with {
		return false, err
	}
	without, err := c.anyNode(ctx, "!"+label, func(labels map[string]string) bool { _, on := labels[label]; return !on })
	return !without, err
}

// anyNode reports whether there is a node that a selector picks; is tells of its labels the
// same, for servers that select nothing.
func (c *Client) anyNode(ctx context.Context, selector string, is func(labels map[string]string) bool) (bool, error) {
	list, err := live.Retried(ctx, func(ctx context.Context) (*metav1.PartialObjectMetadataList, error) {
		ctx, cancel := context.WithTimeout(ctx, transport.RequestTimeout)
		defer cancel()
		list, err := c.Metadata().Resource(corev1.SchemeGroupVersion.WithResource("nodes")).List(ctx, metav1.ListOptions{LabelSelector: selector, Limit: 1})
		return list, c.noNodes(err)
	})
	if err != nil {
		return false, err
	}
	for _, n := range list.Items {
		if is(n.Labels) {
			return true, nil
		}
	}
	return false, nil
}
