package kube

import (
	"context"
	"errors"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
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
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	answer := c.api.Discovery().RESTClient().Get().AbsPath(path).SetHeader("Accept", "application/json").Do(ctx)
	err := answer.Error() // which Raw's does not tell: what the API says of it
	switch {
	case err == nil:
		return answer.Raw()
	case apierrors.IsNotFound(err) && strings.Contains(err.Error(), "could not find the requested resource"):
		return nil, ErrNoKind
	case apierrors.IsNotFound(err):
		return nil, ErrNoObject
	}
	return nil, errors.New(c.words(err))
}
