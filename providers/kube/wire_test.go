package kube

import (
	"bytes"
	"fmt"
	"net/http"
	"reflect"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/kube/objects"
)

// A list in protobuf is read object by object, with the version that a watch continues
// from, and one that breaks off is an error.
func TestListInProtobuf(t *testing.T) {
	list := corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: "7", Continue: "more"}}
	for i := range 3 {
		list.Items = append(list.Items, corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: fmt.Sprint("web-", i), UID: "u", ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "x"}}},
			Spec:       corev1.PodSpec{NodeName: "n1", Containers: []corev1.Container{{Image: "nginx"}}},
		})
	}
	list.Items[1].Labels, list.Items[1].Finalizers = map[string]string{"app": "web"}, []string{"shop/guard"}
	raw, err := list.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	unknown := runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: "v1", Kind: "PodList"}, Raw: raw}
	body, err := unknown.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	body = append(bytes.Clone(magic), body...)
	cut := 0
	c := fakeAPI(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", runtime.ContentTypeProtobuf)
		_, _ = w.Write(body[:len(body)-cut])
	})
	pods := listed[objects.PodFields, world.Pod, *objects.PodFields]{objects.PodDecoder.Decode, objects.PodOf}
	got, err := pods.list(t.Context(), c.API().Core, "pods", metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	page := got.(*itemList[world.Pod])
	if page.ResourceVersion != "7" || page.Continue != "more" || len(page.Items) != 3 {
		t.Fatalf("got %+v", page)
	}
	if p := page.Items[2]; p.Name != "web-2" || p.value.Name != "web-2" || p.value.Node != "n1" || p.value.Grace != 30*time.Second {
		t.Errorf("got %+v, %+v", p, p.value)
	}
	if p := page.Items[1].value; p.Labels["app"] != "web" || len(p.Finalizers) != 1 {
		t.Errorf("what a pod has is not that of the one after it: %+v", p)
	}
	if p := page.Items[2].value; len(p.Labels) > 0 || len(p.Finalizers) > 0 {
		t.Errorf("a pod has what the one before it has: %+v", p)
	}
	cut = 5
	if _, err := pods.list(t.Context(), c.API().Core, "pods", metav1.ListOptions{}); err == nil {
		t.Errorf("a list that breaks off: %v", err)
	}
}

// A list that is no protobuf is an error, never a panic and never an endless loop.
func FuzzListInProtobuf(f *testing.F) {
	list := corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: "7"}, Items: []corev1.Pod{{ObjectMeta: metav1.ObjectMeta{Name: "web-0"}}}}
	raw, err := list.Marshal()
	if err != nil {
		f.Fatal(err)
	}
	whole, err := (&runtime.Unknown{Raw: raw}).Marshal()
	if err != nil {
		f.Fatal(err)
	}
	for cut := range len(whole) {
		f.Add(whole[cut:])
		f.Add(whole[:cut])
	}
	f.Add([]byte{0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f})
	pods := listed[objects.PodFields, world.Pod, *objects.PodFields]{objects.PodDecoder.Decode, objects.PodOf}
	f.Fuzz(func(t *testing.T, b []byte) {
		page := &itemList[world.Pod]{}
		if err := pods.take(&objects.Counted{From: bytes.NewReader(b)}, page); err == nil && len(page.Items) > len(b) {
			t.Errorf("%d pods in %d bytes", len(page.Items), len(b))
		}
	})
}

// Pods of an owner share their labels, and one that has others keeps its own.
func TestShared(t *testing.T) {
	s := &objects.Shared{}
	pod := func(labels map[string]string) *world.Pod {
		return s.Pod(&world.Pod{Owner: world.Owner{UID: "rs"}, Labels: labels, Node: string([]byte("n1"))})
	}
	a, b := pod(map[string]string{"app": "web"}), pod(map[string]string{"app": "web"})
	if reflect.ValueOf(a.Labels).Pointer() != reflect.ValueOf(b.Labels).Pointer() {
		t.Error("equal labels are not shared")
	}
	if c := pod(map[string]string{"app": "other"}); c.Labels["app"] != "other" || a.Labels["app"] != "web" {
		t.Errorf("labels %v and %v", c.Labels, a.Labels)
	}
}
