package mirror

import (
	"bytes"
	"fmt"
	"net/http"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/kube"
	"github.com/drainboard/drainboard/providers/kube/kubetest"
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
	c := kubetest.Client(t, kube.Open, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", runtime.ContentTypeProtobuf)
		_, _ = w.Write(body[:len(body)-cut])
	})
	pods := Listed[objects.PodFields, world.Pod, *objects.PodFields]{objects.PodDecoder.Decode, objects.PodOf}
	got, err := pods.List(t.Context(), c.API().Core, "pods", metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	page := got.(*Page[world.Pod])
	if page.ResourceVersion != "7" || page.Continue != "more" || len(page.Items) != 3 {
		t.Fatalf("got %+v", page)
	}
	if p := page.Items[2]; p.Name != "web-2" || p.Value.Name != "web-2" || p.Value.Node != "n1" || p.Value.Grace != 30*time.Second {
		t.Errorf("got %+v, %+v", p, p.Value)
	}
	if p := page.Items[1].Value; p.Labels["app"] != "web" || len(p.Finalizers) != 1 {
		t.Errorf("what a pod has is not that of the one after it: %+v", p)
	}
	if p := page.Items[2].Value; len(p.Labels) > 0 || len(p.Finalizers) > 0 {
		t.Errorf("a pod has what the one before it has: %+v", p)
	}
	cut = 5
	if _, err := pods.List(t.Context(), c.API().Core, "pods", metav1.ListOptions{}); err == nil {
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
	pods := Listed[objects.PodFields, world.Pod, *objects.PodFields]{objects.PodDecoder.Decode, objects.PodOf}
	f.Fuzz(func(t *testing.T, b []byte) {
		page := &Page[world.Pod]{}
		if err := pods.take(&objects.Counted{From: bytes.NewReader(b)}, page); err == nil && len(page.Items) > len(b) {
			t.Errorf("%d pods in %d bytes", len(page.Items), len(b))
		}
	})
}
