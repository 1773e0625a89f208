package kube

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"reflect"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/drainboard/drainboard/engine/world"
)

// fill gives every field of a value something, so that no field that is read by a
// conversion can be missed.
func fill(v reflect.Value, r *rand.Rand, words []string) {
	switch t := v.Addr().Interface().(type) {
	case *metav1.Time:
		*t = metav1.Unix(1_700_000_000+r.Int64N(1_000_000), 0)
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(words[r.IntN(len(words))])
	case reflect.Int32, reflect.Int64, reflect.Int:
		v.SetInt(r.Int64N(100))
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Pointer:
		if r.IntN(4) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), r, words)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), r.IntN(3), 3))
		for i := range v.Len() {
			fill(v.Index(i), r, words)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range r.IntN(3) {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			fill(key, r, words)
			fill(value, r, words)
			v.SetMapIndex(key, value)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i), r, words)
			}
		}
	}
}

// words are values that conversions look for, and others.
var words = []string{"", "a", "b-2", "True", "False", "Unknown", "Ready", "PodScheduled", "Exists", "CrashLoopBackOff", "Running", "Pending",
	corev1.MirrorPodAnnotationKey, "aws:///eu-west-1a/i-0abc", corev1.LabelTopologyZone, "NoSchedule", "DiskPressure"}

// An object that is pruned converts to the same as the whole one. Whoever reads one
// more field has to want it.
func TestPruneKeepsWhatIsRead(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 1))
		var pod corev1.Pod
		fill(reflect.ValueOf(&pod).Elem(), r, words)
		whole, err := pod.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		before := len(whole)
		left, err := prune(whole, podFields)
		if err != nil {
			t.Fatal(err)
		}
		var pruned corev1.Pod
		if err := pruned.Unmarshal(left); err != nil {
			t.Fatal(err)
		}
		same(t, seed, toPod(&pruned), toPod(through(t, &pod)))
		if len(left) >= before {
			t.Errorf("seed %d: nothing was left out of %d bytes", seed, before)
		}

		var node corev1.Node
		fill(reflect.ValueOf(&node).Elem(), r, words)
		if whole, err = node.Marshal(); err != nil {
			t.Fatal(err)
		}
		if left, err = prune(whole, nodeFields); err != nil {
			t.Fatal(err)
		}
		var n corev1.Node
		if err := n.Unmarshal(left); err != nil {
			t.Fatal(err)
		}
		want, _ := node.Marshal()
		var again corev1.Node
		if err := again.Unmarshal(want); err != nil {
			t.Fatal(err)
		}
		same(t, seed, toNode(&n), toNode(&again))
	}
}

// through is a pod as it comes back from the wire.
func through(t *testing.T, p *corev1.Pod) *corev1.Pod {
	t.Helper()
	b, err := p.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	var out corev1.Pod
	if err := out.Unmarshal(b); err != nil {
		t.Fatal(err)
	}
	return &out
}

func same(t *testing.T, seed uint64, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("seed %d:\npruned %+v\nwhole  %+v", seed, got, want)
	}
}

// What is not protobuf is an error, never a panic and never an endless loop.
func FuzzPrune(f *testing.F) {
	whole, err := (&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "web", Labels: map[string]string{"a": "b"}}}).Marshal()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add([]byte{0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f})
	f.Fuzz(func(t *testing.T, b []byte) {
		size := len(b)
		left, err := prune(bytes.Clone(b), podFields)
		if err == nil && len(left) > size {
			t.Errorf("%d bytes became %d", size, len(left))
		}
		page := &itemList[world.Pod]{}
		_ = listed[corev1.Pod, world.Pod, *corev1.Pod]{podFields, toPod}.read(&counted{from: bytes.NewReader(b)}, page)
	})
}

// A list in protobuf is read object by object, with the version that a watch goes on
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
	pods := listed[corev1.Pod, world.Pod, *corev1.Pod]{podFields, toPod}
	got, err := pods.list(t.Context(), c.api.CoreV1().RESTClient(), "pods", metav1.ListOptions{})
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
	if _, err := pods.list(t.Context(), c.api.CoreV1().RESTClient(), "pods", metav1.ListOptions{}); err == nil {
		t.Errorf("a list that breaks off: %v", err)
	}
}

// Pods of an owner share their labels, and one that has others keeps its own.
func TestShared(t *testing.T) {
	s := &shared{}
	pod := func(labels map[string]string) *world.Pod {
		return s.pod(&world.Pod{Owner: world.Owner{UID: "rs"}, Labels: labels, Node: string([]byte("n1"))})
	}
	a, b := pod(map[string]string{"app": "web"}), pod(map[string]string{"app": "web"})
	if reflect.ValueOf(a.Labels).Pointer() != reflect.ValueOf(b.Labels).Pointer() {
		t.Error("equal labels are not shared")
	}
	if c := pod(map[string]string{"app": "other"}); c.Labels["app"] != "other" || a.Labels["app"] != "web" {
		t.Errorf("labels %v and %v", c.Labels, a.Labels)
	}
}
