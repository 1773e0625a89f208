package asg

import "context"

// Tags are the tags of a group, by one call. If there is none of that name, the error
// wraps ErrNotFound.
func (c *Client) Tags(ctx context.Context, group string) (map[string]string, error) {
	g, err := c.describeWith(ctx, group, false)
	if err != nil {
		return nil, err
	}
	return tagsOf(g), nil
}
