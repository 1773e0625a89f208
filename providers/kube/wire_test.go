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
func fill(v reflect.Value, r *rand.Rand, texts []string) {
	switch t := v.Addr().Interface().(type) {
	case *metav1.Time:
		*t = metav1.Unix(1_700_000_000+r.Int64N(1_000_000), 0)
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(texts[r.IntN(len(texts))])
	case reflect.Int32, reflect.Int64, reflect.Int:
		v.SetInt(r.Int64N(100))
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Pointer:
		if r.IntN(4) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), r, texts)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), r.IntN(3), 3))
		for i := range v.Len() {
			fill(v.Index(i), r, texts)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range r.IntN(3) {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			fill(key, r, texts)
			fill(value, r, texts)
			v.SetMapIndex(key, value)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i), r, texts)
			}
		}
	}
}

// texts are values that conversions look for, and others.
var texts = []string{"", "a", "b-2", "True", "False", "Unknown", "Ready", "PodScheduled", "Exists", "CrashLoopBackOff", "Running", "Pending",
	corev1.MirrorPodAnnotationKey, "aws:///eu-west-1a/i-0abc", corev1.LabelTopologyZone, "NoSchedule", "DiskPressure", "KernelReady", "weave.works/kured-reboot-in-progress"}

// An object that is read from the wire converts to the same as one that is decoded
// whole, also into what has held others. Whoever looks at one more field has to read
// it.
func TestReadsWhatIsLookedAt(t *testing.T) {
	var pod corev1.Pod
	var node corev1.Node
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 1))
		w := words{}
		var p, decodedPod corev1.Pod
		fill(reflect.ValueOf(&p).Elem(), r, texts)
		whole := through(t, &p, &decodedPod)
		if err := readPod(whole, &pod, w); err != nil {
			t.Fatal(err)
		}
		same(t, seed, toPod(&pod), toPod(&decodedPod))

		var n, decodedNode corev1.Node
		fill(reflect.ValueOf(&n).Elem(), r, texts)
		whole = through(t, &n, &decodedNode)
		if err := readNode(whole, &node, w); err != nil {
			t.Fatal(err)
		}
		same(t, seed, toNode(&node), toNode(&decodedNode))
	}
}

// onWire is a type of the API that writes itself as protobuf and reads itself.
type onWire interface {
	Marshal() ([]byte, error)
	Unmarshal([]byte) error
}

// through is an object as it is on the wire, and decodes it from there.
func through(t *testing.T, from, to onWire) []byte {
	t.Helper()
	b, err := from.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	if err := to.Unmarshal(b); err != nil {
		t.Fatal(err)
	}
	return b
}

func same(t *testing.T, seed uint64, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("seed %d:\nread    %+v\ndecoded %+v", seed, got, want)
	}
}

// What is not protobuf is an error, never a panic and never an endless loop; and
// what the API's own decoder takes is read as it does.
func FuzzRead(f *testing.F) {
	for seed := range uint64(8) {
		var pod corev1.Pod
		fill(reflect.ValueOf(&pod).Elem(), rand.New(rand.NewPCG(seed, 2)), texts)
		whole, err := pod.Marshal()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(whole)
	}
	f.Add([]byte{0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f})
	f.Fuzz(func(t *testing.T, b []byte) {
		var pod, decodedPod corev1.Pod
		if readPod(b, &pod, words{}) == nil && decodedPod.Unmarshal(b) == nil {
			same(t, 0, toPod(&pod), toPod(&decodedPod))
		}
		var node, decodedNode corev1.Node
		if readNode(b, &node, words{}) == nil && decodedNode.Unmarshal(b) == nil {
			same(t, 0, toNode(&node), toNode(&decodedNode))
		}
		page := &itemList[world.Pod]{}
		_ = listed[corev1.Pod, world.Pod, *corev1.Pod]{readPod, toPod}.take(&counted{from: bytes.NewReader(b)}, page)
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
	pods := listed[corev1.Pod, world.Pod, *corev1.Pod]{readPod, toPod}
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
