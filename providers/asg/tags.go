package asg

import (
	"context"

	"github.com/drainboard/drainboard/providers/asg/transport"
)

// Tags are the tags of a group, by one call. If there is none of that name, the error
// wraps ErrNotFound.
func (c *Client) Tags(ctx context.Context, group string) (map[string]string, error) {
	g, err := c.describeWith(ctx, group, false)
	if err != nil {
		return nil, err
	}
	return tagsOf(g), nil
}

// Suspended are the suspended processes of a group, by one call. If there is no group of that
// name, the error wraps ErrNotFound.
func (c *Client) Suspended(ctx context.Context, group string) ([]string, error) {
	g, err := c.describeWith(ctx, group, false)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, p := range g.SuspendedProcesses {
		out = append(out, transport.Text(p.ProcessName))
	}
	return out, nil
}
