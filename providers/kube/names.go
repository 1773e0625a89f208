package kube

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/providers/kube/transport"
)

// Namespace is where run records and locks live unless told otherwise.
const Namespace = "drainboard"

const (
	// ManagedBy is the label of what Drainboard makes in a cluster, ManagedByValue its value.
	ManagedBy      = "app.kubernetes.io/managed-by"
	ManagedByValue = "drainboard"
)

// CommandsNamespace is where the commands to runs lie whose records are in a namespace.
// It is one of its own because who may give commands must be allowed to create
// ConfigMaps, and RBAC cannot limit that to some names: beside the records he could
// make a record up.
func CommandsNamespace(records string) string { return records + "-commands" }

// RecordName is the name of a group's run record and of its lock: readable, safe
// as a DNS name and at most 63 characters, and different for any two groups. It is the
// same whichever provider found the group: a group of kops is an Auto Scaling group, too,
// and has one record and one lock.
func RecordName(group string) string {
	const longest = 45
	sum := sha256.Sum256([]byte(group))
	slug := slug(group)
	if len(slug) > longest {
		slug = strings.TrimRight(slug[:longest], "-")
	}
	if slug == "" {
		slug = "group"
	}
	return "run-" + slug + "-" + hex.EncodeToString(sum[:4])
}

// slug is s in lower case with everything but letters and digits of ASCII as
// single dashes, none at the ends.
func slug(s string) string {
	var b strings.Builder
	dash := false
	for _, r := range strings.ToLower(s) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			if dash && b.Len() > 0 {
				b.WriteByte('-')
			}
			dash = false
			b.WriteRune(r)
		} else {
			dash = true
		}
	}
	return b.String()
}

// MakeNamespace makes a namespace of Drainboard's own, if there is none; what says for what, as
// "run records". The error is a live.Trouble with what to do, or says that the API is away.
func (c *Client) MakeNamespace(ctx context.Context, name, what string) error {
	ctx, cancel := context.WithTimeout(ctx, transport.RequestTimeout)
	defer cancel()
	labels := map[string]string{ManagedBy: ManagedByValue}
	_, err := c.Urgent().Namespaces().Create(ctx,
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}, metav1.CreateOptions{})
	switch {
	case err == nil, apierrors.IsAlreadyExists(err):
		return nil
	case apierrors.IsForbidden(err):
		return &live.Trouble{Words: fmt.Sprintf("no namespace %s for %s, and this user may not create it: kubectl create namespace %s", name, what, name), Kind: live.ErrDenied}
	}
	return fmt.Errorf("create namespace %s: %w", name, c.Explain(err))
}
