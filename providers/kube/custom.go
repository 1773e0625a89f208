package kube

import (
	"context"
	"errors"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/providers/kube/transport"
)

// Kind is a kind of custom resources in a namespace, or one of them by its name.
type Kind struct {
	Group, Version, Resource, Namespace string
	// Name limits it to one object, "" for all.
	Name string
}

// Rights are what it takes to follow a kind.
func (k Kind) Rights() (rights []Right) {
	for _, verb := range []string{"list", "watch"} {
		rights = append(rights, Right{verb, k.Group, k.Resource, k.Namespace})
	}
	return rights
}

func (k Kind) api(c *Client) dynamic.ResourceInterface {
	return c.Dynamic().Resource(schema.GroupVersionResource{Group: k.Group, Version: k.Version, Resource: k.Resource}).Namespace(k.Namespace)
}

func (k Kind) narrow(o metav1.ListOptions) metav1.ListOptions {
	if k.Name != "" {
		o.FieldSelector = fields.OneTermEqualSelector("metadata.name", k.Name).String()
	}
	return o
}

// ListCustom reads a page of the objects of a kind. The error is as client-go has it.
func (c *Client) ListCustom(ctx context.Context, k Kind, o metav1.ListOptions) (*unstructured.UnstructuredList, error) {
	return k.api(c).List(ctx, k.narrow(o))
}

// WatchCustom follows the objects of a kind, until the watch is stopped. The error is as client-go has it.
func (c *Client) WatchCustom(ctx context.Context, k Kind, o metav1.ListOptions) (watch.Interface, error) {
	return k.api(c).Watch(ctx, k.narrow(o))
}

// Custom reads the objects of a kind once.
func (c *Client) Custom(ctx context.Context, k Kind) ([]unstructured.Unstructured, error) {
	ctx, cancel := context.WithTimeout(ctx, transport.ListTimeout)
	defer cancel()
	list, err := c.ListCustom(ctx, k, metav1.ListOptions{})
	if err = Forbidden(err, "list", k.Group, k.Resource, k.Namespace); err != nil {
		var no *ForbiddenError
		if errors.As(err, &no) {
			return nil, no
		}
		return nil, fmt.Errorf("read the %s: %w", k.Resource, c.Explain(err))
	}
	return list.Items, nil
}

// PatchCustom changes one object, that of the kind's name, by a merge patch, and says what
// came of it.
func (c *Client) PatchCustom(ctx context.Context, k Kind, patch []byte) record.Outcome {
	return c.patchCustom(ctx, k, types.MergePatchType, patch)
}

func (c *Client) patchCustom(ctx context.Context, k Kind, how types.PatchType, patch []byte) record.Outcome {
	ctx, cancel := context.WithTimeout(ctx, transport.RequestTimeout)
	defer cancel()
	_, err := k.api(c).Patch(ctx, k.Name, how, patch, metav1.PatchOptions{})
	out := Classify(err)
	if out.Refusal == record.RefusedForbidden {
		out.Message = (&ForbiddenError{Right: Right{"patch", k.Group, k.Resource, k.Namespace}}).Error()
	}
	return out
}

// PatchCustomIf changes one object by a JSON patch, whose tests must hold: nothing happens if one
// does not, which is a conflict. The API server says of such a patch only that it cannot be
// applied (k8s.io/apiserver pkg/endpoints/handlers/patch.go, applyJSPatch).
func (c *Client) PatchCustomIf(ctx context.Context, k Kind, patch []byte) record.Outcome {
	out := c.patchCustom(ctx, k, types.JSONPatchType, patch)
	if out.Refusal == record.RefusedInvalid && strings.HasPrefix(out.Message, "the server rejected our request due to an error in our request") {
		out.Refusal, out.Message = record.RefusedConflict, "it was changed meanwhile"
	}
	return out
}

// LookAtCustom reads one object, that of the kind's name, by a consistent read: none if it
// is not there. The outcome says why it could not be read.
func (c *Client) LookAtCustom(ctx context.Context, k Kind) ([]unstructured.Unstructured, record.Outcome) {
	list, err := c.Custom(ctx, k)
	if err != nil {
		return nil, record.Outcome{Verdict: record.Refused, Refusal: record.RefusedBusy, Message: err.Error()}
	}
	return list, record.Outcome{Verdict: record.Done}
}
