package commands

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drainboard/drainboard/providers/kube"
	"github.com/drainboard/drainboard/providers/kube/transport"
)

// policyTimeout bounds a look at the admission policy: a pause never waits longer for it.
const policyTimeout = 2 * time.Second

// user is the name of this process's user at the API, "" where the API does not tell it.
func user(ctx context.Context, c *kube.Client) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, transport.RequestTimeout)
	defer cancel()
	got, err := c.Urgent().SelfReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	switch {
	case apierrors.IsForbidden(err), apierrors.IsNotFound(err):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("cannot find out the name of this user: %w", c.Explain(err))
	}
	return got.Status.UserInfo.Username, nil
}

// byPolicy knows whether an admission policy holds the key by of commands to the user who
// creates them, as that of docs/reference/rbac.yaml does. It asks the API what the policy does and not
// which there are: two creations of a command, tried and not carried out (dry run), that differ
// in nothing but that key. If the true one is accepted and the false one is not, it is held.
type byPolicy struct {
	c                *kube.Client
	namespace, group string
	// user is who asks, "" before it is known.
	user string
	// since is the API server's time of the first look that found it held, of those after the
	// last one that did not. Zero: the last one that found out anything did not.
	since time.Time
}

// look finds out whether the policy holds commands, and since when; false where it does not,
// or where that did not come out in time.
func (p *byPolicy) look(ctx context.Context) (since time.Time, held bool) {
	ctx, cancel := context.WithTimeout(ctx, policyTimeout)
	defer cancel()
	if p.user == "" {
		p.user, _ = user(ctx, p.c)
	}
	if p.user == "" {
		return time.Time{}, false
	}
	name := "asks-for-the-policy-" + strings.ToLower(rand.Text())
	if _, err := p.try(ctx, name, "not "+p.user); err == nil {
		p.since = time.Time{}
		return p.since, false
	} else if !refusedAsIs(err) {
		return time.Time{}, false
	}
	made, err := p.try(ctx, name, p.user)
	if err != nil {
		if refusedAsIs(err) {
			p.user = "" // credentials may be of another user by now
		}
		return time.Time{}, false
	}
	if p.since.IsZero() {
		p.since = made.CreationTimestamp.Time
	}
	return p.since, true
}

// refusedAsIs reports whether an object was refused for what it is, or for who sent it.
func refusedAsIs(err error) bool { return apierrors.IsInvalid(err) || apierrors.IsForbidden(err) }

// try asks whether a command could be created that says it is by a user.
func (p *byPolicy) try(ctx context.Context, name, by string) (*corev1.ConfigMap, error) {
	l := &commandObject{name: name, text: "{}", by: by}
	m, err := l.object(p.namespace, p.group)
	if err != nil {
		return nil, err
	}
	return p.c.Urgent().ConfigMaps(p.namespace).Create(ctx, m, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
}
