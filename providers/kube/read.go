package kube

import (
	"context"
	"errors"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/drainboard/drainboard/engine/live"
)

// Errors of Read.
var (
	// ErrNoObject means that the API has no object of that name.
	ErrNoObject = errors.New("no such object")
	// ErrNoKind means that the API does not serve objects of that kind.
	ErrNoKind = errors.New("this API has no such objects")
)

// Read reads one object by its path, as JSON. It is for what is read once and by few: nothing
// is cleaned, and who shows it does so. Other errors than ErrNoObject and ErrNoKind are one
// sentence for the user.
func (c *Client) Read(ctx context.Context, path string) ([]byte, error) {
	return live.Retried(ctx, func(ctx context.Context) ([]byte, error) { return c.readOnce(ctx, path) })
}

func (c *Client) readOnce(ctx context.Context, path string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	answer := c.api.core.Get().AbsPath(path).SetHeader("Accept", "application/json").Do(ctx)
	err := answer.Error() // which Raw's does not tell: what the API says of it
	switch {
	case err == nil:
		return answer.Raw()
	case apierrors.IsNotFound(err) && strings.Contains(err.Error(), "could not find the requested resource"):
		return nil, ErrNoKind
	case apierrors.IsNotFound(err):
		return nil, ErrNoObject
	}
	return nil, c.explain(err)
}
