package mirror

import (
	"bufio"
	"bytes"
	"context"
	"io"

	"google.golang.org/protobuf/encoding/protowire"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"

	"github.com/drainboard/drainboard/providers/kube/objects"
	"github.com/drainboard/drainboard/providers/kube/typed"
)

// Item is an object of which only what the world shows is left: the reflector sees
// its metadata, the mirror takes the value.
type Item[T any] struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	Value *T
}

// DeepCopyObject makes it a runtime.Object; values are never changed.
func (i *Item[T]) DeepCopyObject() runtime.Object {
	out := *i
	return &out
}

// Page is a page of a list.
type Page[T any] struct {
	metav1.TypeMeta
	metav1.ListMeta
	Items []*Item[T]
}

// DeepCopyObject makes it a runtime.Object.
func (l *Page[T]) DeepCopyObject() runtime.Object {
	out := *l
	return &out
}

// object is what is read of an object of the API.
type object[F any] interface {
	*F
	Object() *objects.ObjectFields
}

// Listed is how a page of objects becomes values T: the fields F that are read of each,
// and what is made of those. Decode gets the same F for each, and must leave nothing in it
// of the one before.
type Listed[F, T any, P object[F]] struct {
	Decode  func([]byte, *F, objects.Words) error
	Convert func(*F) *T
}

// magic begins an answer in the API's protobuf form (runtime/serializer/protobuf).
var magic = []byte("k8s\x00")

// List reads a page while it comes: each object is read and converted on its own, so
// that the whole is never in memory. An API that answers in JSON is read
// as usual.
func (l Listed[F, T, P]) List(ctx context.Context, api rest.Interface, resource string, o metav1.ListOptions) (runtime.Object, error) {
	body, err := typed.Stream(ctx, api, resource, o)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	in := bufio.NewReaderSize(body, 1<<16)
	if head, _ := in.Peek(len(magic)); !bytes.Equal(head, magic) {
		all, err := io.ReadAll(in)
		if err != nil {
			return nil, err
		}
		return typed.Decode(all)
	}
	_, _ = in.Discard(len(magic))
	page := &Page[T]{}
	return page, l.take(&objects.Counted{From: in}, page)
}

// take takes a page apart: runtime.Unknown holds the list as its field 2, which has
// its metadata as field 1 and the objects as field 2.
func (l Listed[F, T, P]) take(r *objects.Counted, page *Page[T]) error {
	const raw, listMeta, items = 2, 1, 2
	var buf []byte
	var o F // of one object after the other
	w := objects.Words{}
	next := func(n int64) ([]byte, error) {
		if int64(cap(buf)) < n {
			buf = make([]byte, n+n/2)
		}
		_, err := io.ReadFull(r, buf[:n])
		return buf[:n], err
	}
	return objects.EachField(r, -1, func(number protowire.Number, n int64) error {
		if number != raw {
			return nil
		}
		return objects.EachField(r, n, func(number protowire.Number, n int64) error {
			message, err := next(n)
			if err != nil {
				return err
			}
			switch number {
			case listMeta:
				return page.ListMeta.Unmarshal(message)
			case items:
				return l.add(page, &o, message, w)
			}
			return nil
		})
	})
}

// add reads an object into o, which is used again for the next: what is taken of it
// is copied.
func (l Listed[F, T, P]) add(page *Page[T], o P, message []byte, w objects.Words) error {
	if err := l.Decode(message, o, w); err != nil {
		return err
	}
	is := o.Object()
	page.Items = append(page.Items, &Item[T]{
		ObjectMeta: metav1.ObjectMeta{Namespace: is.Namespace, Name: is.Name, UID: is.UID},
		Value:      l.Convert(o),
	})
	return nil
}
