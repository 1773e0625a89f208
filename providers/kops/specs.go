package kops

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"time"

	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg/transport"
)

// listAgain is how long after a failed list of the specs it is tried again.
const listAgain = time.Minute

// specs are the instance groups that a state store has, as far as they were asked for.
type specs struct {
	mu     sync.Mutex
	names  []string
	listed bool
	failed time.Time // of this machine's clock
	err    error     // of that, nil once they were listed
	groups map[string]world.Peer
}

// list brings the names up to date. The caller holds mu.
func (s *specs) list(ctx context.Context, c *Client) error {
	if s.listed || !s.failed.IsZero() && time.Since(s.failed) < listAgain {
		return s.err
	}
	names, err := c.store.list(ctx, groupFiles(c.cluster))
	if err != nil {
		s.failed, s.err = time.Now(), fmt.Errorf("the state store's instance groups cannot be listed: %w", err)
		return s.err
	}
	slices.Sort(names)
	s.names, s.listed, s.err, s.groups = names, true, nil, map[string]world.Peer{}
	return nil
}

// unlisted is why the names of the specs are not known, nil if they are, or there is no
// state store.
func (c *Client) unlisted(ctx context.Context) error {
	if c.store == nil {
		return nil
	}
	c.specs.mu.Lock()
	defer c.specs.mu.Unlock()
	return c.specs.list(ctx, c)
}

// Unmade are the instance groups that have a spec, and for which the cloud has no Auto
// Scaling group: has tells by their names which it has. One whose machines Karpenter
// launches is none of the missing ones. The names are listed once, as kops does at the start
// of a rolling update; where that fails it is tried again in a minute. Who may not list them
// gets none, and a note in Settings.
func (c *Client) Unmade(ctx context.Context, has func(name string) bool) ([]world.Peer, error) {
	if c.store == nil {
		return nil, nil
	}
	s := &c.specs
	s.mu.Lock()
	defer s.mu.Unlock()
	switch err := s.list(ctx, c); {
	case errors.Is(err, transport.ErrForbidden):
		return nil, nil
	case err != nil:
		return nil, err
	}
	var out []world.Peer
	for _, name := range s.names {
		if has(name) {
			continue
		}
		p, known := s.groups[name]
		if !known {
			data, where, err := fetch(ctx, c.store, groupFile(c.cluster, name), "InstanceGroup", name)
			if errors.Is(err, fs.ErrNotExist) {
				continue // it was deleted meanwhile
			}
			if err != nil {
				return nil, err
			}
			head, _, err := parseHead(data, where, "InstanceGroup", name)
			if err != nil {
				return nil, err
			}
			p = world.Peer{Name: name, Alias: name, Role: head.role, Missing: !head.karpenter}
			s.groups[name] = p
		}
		out = append(out, p)
	}
	return out, nil
}
