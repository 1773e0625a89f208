package typed

import (
	"context"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"

	"github.com/drainboard/drainboard/providers/kube/transport"
)

// object is a pointer to a typed object of the API.
type object[T any] interface {
	*T
	runtime.Object
	metav1.Object
}

// objectList is a pointer to a list of them.
type objectList[L any] interface {
	*L
	runtime.Object
}

// Resource reads and changes the objects of one kind. client-go has the same as package gentype,
// whose fakes for tests are in the same package: with them the program has the merging of
// manifests, OpenAPI, and protobuf's tables.
type Resource[T any, P object[T]] struct {
	client    rest.Interface
	name      string // as in the API's paths
	namespace string // "" for kinds without, and for all namespaces
}

// List is a resource that is listed too.
type List[T any, P object[T], L any, Q objectList[L]] struct{ Resource[T, P] }

// at leads a request to the resource.
func (r Resource[T, P]) at(q *rest.Request, options runtime.Object) *rest.Request {
	return q.NamespaceIfScoped(r.namespace, r.namespace != "").Resource(r.name).VersionedParams(options, parameters)
}

// bounded bounds a request for which its caller has set no end: an API that never answers is
// not waited for without one.
func bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, has := ctx.Deadline(); has {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, transport.RequestTimeout)
}

// done sends a request, and returns the object that is answered.
func (r Resource[T, P]) done(ctx context.Context, q *rest.Request) (P, error) {
	ctx, cancel := bounded(ctx)
	defer cancel()
	into := P(new(T))
	err := q.Do(ctx).Into(into)
	return into, err
}

// Get reads an object.
func (r Resource[T, P]) Get(ctx context.Context, name string, o metav1.GetOptions) (P, error) {
	return r.done(ctx, r.at(r.client.Get(), &o).Name(name))
}

// Create makes an object.
func (r Resource[T, P]) Create(ctx context.Context, obj P, o metav1.CreateOptions) (P, error) {
	return r.done(ctx, r.at(r.client.Post(), &o).Body(obj))
}

// Update replaces an object.
func (r Resource[T, P]) Update(ctx context.Context, obj P, o metav1.UpdateOptions) (P, error) {
	return r.done(ctx, r.at(r.client.Put(), &o).Name(obj.GetName()).Body(obj))
}

// Patch changes an object, or a part of it that has a path of its own.
func (r Resource[T, P]) Patch(ctx context.Context, name string, how types.PatchType, data []byte, o metav1.PatchOptions, part ...string) (P, error) {
	return r.done(ctx, r.at(r.client.Patch(how), &o).Name(name).SubResource(part...).Body(data))
}

// Delete deletes an object.
func (r Resource[T, P]) Delete(ctx context.Context, name string, o metav1.DeleteOptions) error {
	ctx, cancel := bounded(ctx)
	defer cancel()
	return r.client.Delete().NamespaceIfScoped(r.namespace, r.namespace != "").Resource(r.name).Name(name).Body(&o).Do(ctx).Error()
}

// Watch follows the objects of a selection, until the watch is stopped.
func (r Resource[T, P]) Watch(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
	o.Watch = true
	return r.at(r.client.Get(), &o).Watch(ctx)
}

// List reads a page of the objects of a selection.
func (l List[T, P, L, Q]) List(ctx context.Context, o metav1.ListOptions) (Q, error) {
	into := Q(new(L))
	err := l.at(l.client.Get(), &o).Do(ctx).Into(into)
	return into, err
}

// Stream asks for a page of a list, of which it returns the answer while it comes: in the API's
// protobuf form, or as what Decode reads. The caller closes it.
func Stream(ctx context.Context, group rest.Interface, resource string, o metav1.ListOptions) (io.ReadCloser, error) {
	return group.Get().Resource(resource).VersionedParams(&o, parameters).Stream(ctx)
}

// Decode reads an object, or a list, of a kind that is known here, from JSON.
func Decode(answer []byte) (runtime.Object, error) {
	return runtime.Decode(codecs.UniversalDeserializer(), answer)
}
