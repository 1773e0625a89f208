package kube

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	authv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/providers/kube/transport"
)

// rulesTimeout bounds a review of rules: where it takes longer the rights are asked one by one.
const rulesTimeout = 2 * time.Second

// Right is one thing that a user may or may not do.
type Right struct {
	Verb string
	// Group is the API group, "" for the core; Resource may name a subresource
	// after a slash: "pods/eviction".
	Group, Resource string
	// Namespace limits the right, "" means the whole cluster.
	Namespace string
}

// String is the right in words: "list pods", "update leases in namespace drainboard".
func (r Right) String() string {
	s := r.Verb + " " + r.Resource
	if r.Namespace != "" {
		s += " in namespace " + r.Namespace
	}
	return s
}

// Rule is the RBAC rule that grants the right.
func (r Right) Rule() string {
	return fmt.Sprintf(`{apiGroups: [%q], resources: [%q], verbs: [%q]}`, r.Group, r.Resource, r.Verb)
}

// ForbiddenError says which right is missing and which rule would grant it.
type ForbiddenError struct {
	Right Right
	Err   error
}

func (e *ForbiddenError) Error() string {
	role := "a ClusterRole"
	if e.Right.Namespace != "" {
		role = "a Role in namespace " + e.Right.Namespace
	}
	return fmt.Sprintf("this user may not %s: give it %s with the rule %s", e.Right, role, e.Right.Rule())
}

func (e *ForbiddenError) Unwrap() error { return e.Err }

// Is reports that a right is missing.
func (e *ForbiddenError) Is(target error) bool { return target == live.ErrDenied }

// Forbidden turns the API's "forbidden" into a ForbiddenError and leaves other
// errors, and nil, as they are.
func Forbidden(err error, verb, group, resource, namespace string) error {
	if !apierrors.IsForbidden(err) || IsTerminating(err) {
		return err
	}
	return &ForbiddenError{Right: Right{verb, group, resource, namespace}, Err: err}
}

// ReadRights are what groups, plan and status need. The record is read in
// namespace.
func ReadRights(namespace string) []Right {
	var out []Right
	for _, verb := range []string{"list", "watch"} {
		out = append(out, Right{verb, "", "nodes", ""}, Right{verb, "", "pods", ""}, Right{verb, "policy", "poddisruptionbudgets", ""}, Right{verb, "apps", "daemonsets", ""})
	}
	return append(out,
		Right{"get", "", "configmaps", namespace},
		Right{"list", "", "configmaps", namespace})
}

// DriverRights are what it takes to tell who drives a run. Nobody asks for them before:
// status says where that is not known, and watch does without.
func DriverRights(namespace string) []Right {
	return []Right{{"get", "coordination.k8s.io", "leases", namespace}}
}

// WatchRights are what watch needs beyond ReadRights.
func WatchRights(namespace string) []Right {
	return []Right{{"watch", "", "configmaps", namespace}}
}

// WriteRights are what upgrade needs beyond ReadRights.
func WriteRights(namespace string) []Right {
	return []Right{
		{"get", "", "nodes", ""},
		{"patch", "", "nodes", ""},
		{"get", "", "pods", ""},
		{"create", "", "pods/eviction", ""},
		{"create", "", "configmaps", namespace},
		{"update", "", "configmaps", namespace},
		{"delete", "", "configmaps", namespace},
		{"get", "coordination.k8s.io", "leases", namespace},
		{"create", "coordination.k8s.io", "leases", namespace},
		{"update", "coordination.k8s.io", "leases", namespace},
	}
}

// RouteRights are what upgrade needs to know what routes to a node; nobody asks for them before: without
// them a drained node is waited for in full.
func RouteRights() []Right {
	return []Right{{"list", "discovery.k8s.io", "endpointslices", ""}, {"list", "", "services", ""}}
}

// EarRights are what upgrade needs to hear commands from elsewhere; it does without
// where it may not. The records are in namespace.
func EarRights(namespace string) (rights []Right) {
	for _, verb := range []string{"get", "list", "watch", "update", "delete"} {
		rights = append(rights, Right{verb, "", "configmaps", CommandsNamespace(namespace)})
	}
	return rights
}

// CommandRights are what giving commands to a run in another process needs. The records
// are in namespace.
func CommandRights(namespace string) []Right {
	commands := CommandsNamespace(namespace)
	return []Right{
		{"get", "", "configmaps", namespace},
		{"get", "coordination.k8s.io", "leases", namespace},
		{"create", "", "configmaps", commands},
		{"get", "", "configmaps", commands},
		{"watch", "", "configmaps", commands},
		{"delete", "", "configmaps", commands},
	}
}

// ForceRights are what a run that forces needs beyond WriteRights.
func ForceRights() []Right { return []Right{{"delete", "", "pods", ""}} }

// ScaleRights are for Deployments of one replica that get a second one for a while. A new run with that setting does not
// start without them. Nobody asks for them before an update of EKS is helped along: where they are missing such a
// Deployment is left alone, which is said.
func ScaleRights() []Right {
	return []Right{
		{"get", "apps", "replicasets", ""}, {"get", "apps", "deployments", ""}, {"list", "autoscaling", "horizontalpodautoscalers", ""},
		{"update", "apps", "deployments/scale", ""},
	}
}

// LogRights are for a pod's log on the dashboard. Nobody asks for them before: where they are
// missing that is what the dashboard shows.
func LogRights() []Right { return []Right{{"get", "", "pods/log", ""}} }

// AnnounceRights are for the Kubernetes Events of a run. Nobody asks for them before:
// where they are missing there are no Events, which is said once.
func AnnounceRights(namespace string) []Right {
	return []Right{{"create", "", "events", metav1.NamespaceDefault}, {"create", "", "events", namespace}}
}

// Need is nil if the user has all of the rights, and else says which he lacks, and where they
// are written down.
func (c *Client) Need(ctx context.Context, rights []Right, written string) error {
	missing, err := c.Check(ctx, rights)
	if err != nil || len(missing) == 0 {
		return err
	}
	lines := make([]string, len(missing))
	for i, r := range missing {
		lines[i] = fmt.Sprintf("%s  %s", r, r.Rule())
	}
	return &live.Trouble{
		Words: fmt.Sprintf("this user lacks %d of the needed rights (%s):\n  %s", len(missing), written, strings.Join(lines, "\n  ")),
		Kind:  live.ErrDenied,
	}
}

// Check asks the API which of the rights the user lacks, in the order given. It
// changes nothing. What a review of the user's rules shows is not asked one by one.
func (c *Client) Check(ctx context.Context, rights []Right) (missing []Right, err error) {
	shown := c.rules(ctx, rights)
	allowed := make([]bool, len(rights))
	errs := make([]error, len(rights))
	var all sync.WaitGroup
	for i, r := range rights {
		if allowed[i] = shown[r.place()].grant(r); allowed[i] {
			continue
		}
		all.Go(func() {
			errs[i] = live.Caught(func() (err error) {
				allowed[i], err = live.Retried(ctx, func(ctx context.Context) (bool, error) { return c.may(ctx, r) })
				return err
			})
		})
	}
	all.Wait()
	for i, r := range rights {
		if errs[i] != nil {
			return nil, errs[i]
		}
		if !allowed[i] {
			missing = append(missing, r)
		}
	}
	return missing, nil
}

func (c *Client) may(ctx context.Context, r Right) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, transport.RequestTimeout)
	defer cancel()
	resource, sub, _ := strings.Cut(r.Resource, "/")
	review := &authv1.SelfSubjectAccessReview{Spec: authv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authv1.ResourceAttributes{
			Verb: r.Verb, Group: r.Group, Resource: resource, Subresource: sub, Namespace: r.Namespace,
		},
	}}
	got, err := c.API().AccessReviews().Create(ctx, review, metav1.CreateOptions{})
	if err != nil {
		return false, fmt.Errorf("cannot find out what this user may do: %w", c.Explain(err))
	}
	return got.Status.Allowed, nil
}
