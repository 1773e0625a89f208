package kube

import (
	"context"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// nodePage is how many nodes one read asks for, as kubectl does.
const nodePage = 500

// Machines reads the ids of the machines that the cluster's nodes run on, and a
// zone that one of them is in ("" if none says), once.
func (c *Client) Machines(ctx context.Context) (ids map[string]bool, zone string, err error) {
	ids = map[string]bool{}
	o := metav1.ListOptions{Limit: nodePage}
	for {
		page, err := c.nodePage(ctx, o)
		var no *ForbiddenError
		switch {
		case errors.As(err, &no):
			return nil, "", no
		case err != nil:
			return nil, "", fmt.Errorf("read the nodes: %s", c.words(err))
		}
		for _, n := range page.nodes {
			if n.Machine != "" {
				ids[n.Machine] = true
			}
			if zone == "" {
				zone = n.Zone
			}
		}
		if page.next == "" {
			return ids, zone, nil
		}
		o.Continue = page.next
	}
}

type nodesPage struct {
	nodes []struct{ Machine, Zone string }
	next  string
}

func (c *Client) nodePage(ctx context.Context, o metav1.ListOptions) (nodesPage, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	list, err := c.api.CoreV1().Nodes().List(ctx, o)
	if err != nil {
		return nodesPage{}, forbidden(err, "list", "", "nodes", "")
	}
	page := nodesPage{next: list.Continue}
	for i := range list.Items {
		n := toNode(&list.Items[i])
		page.nodes = append(page.nodes, struct{ Machine, Zone string }{n.Machine, n.Zone})
	}
	return page, nil
}
