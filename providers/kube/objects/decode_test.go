package objects

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drainboard/drainboard/engine/world"
)

// A pod and a node are the same to us however they came: from a list (protobuf, read
// field by field), from a watch or a single read (decoded by the API's own library), or as
// JSON. The objects are random in every field that the API knows, with the texts that our
// code compares with. An outcome that no object had, or that all had, is an error too: what
// it is made of would not have been tested.
func TestDecodesAlike(t *testing.T) {
	v := vocabularyOf(t)
	pods, nodes := newOutcomes[world.Pod](), newOutcomes[world.Node]()
	var pod PodFields // as in a list, of one object after the other
	var node NodeFields
	w := Words{}
	const jsonToo = 8 // every so many, for it takes ten times as long
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 1))

		var p corev1.Pod
		v.fill(reflect.ValueOf(&p).Elem(), r)
		if r.IntN(4) == 0 { // chance would hardly bring three texts together
			p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: ByEviction})
		}
		if r.IntN(8) == 0 { // nor one moment after another
			for i, kind := range []corev1.PodConditionType{corev1.PodScheduled, corev1.PodReady} {
				at := metav1.Unix(1_700_000_000+int64(i)*r.Int64N(100), 0)
				p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{Type: kind, Status: corev1.ConditionTrue, LastTransitionTime: at})
			}
		}
		wire, decoded := encoded(t, &p, new(corev1.Pod))
		if err := PodDecoder.Decode(wire, &pod, w); err != nil {
			t.Fatal(err)
		}
		listed := PodOf(&pod)
		same(t, seed, listed, ToPod(decoded))
		if seed%jsonToo == 0 {
			same(t, seed, listed, ToPod(fromJSON(t, &p, new(corev1.Pod))))
		}
		same(t, seed, decodedFresh(t, PodDecoder, wire), PodDecoder.Pick(decoded))
		pods.add(listed)

		var n corev1.Node
		v.fill(reflect.ValueOf(&n).Elem(), r)
		wire, decodedNode := encoded(t, &n, new(corev1.Node))
		if err := NodeDecoder.Decode(wire, &node, w); err != nil {
			t.Fatal(err)
		}
		listedNode := NodeOf(&node)
		same(t, seed, listedNode, ToNode(decodedNode))
		if seed%jsonToo == 0 {
			same(t, seed, listedNode, ToNode(fromJSON(t, &n, new(corev1.Node))))
		}
		same(t, seed, decodedFresh(t, NodeDecoder, wire), NodeDecoder.Pick(decodedNode))
		nodes.add(listedNode)
	}
	pods.want(t, map[string][]any{
		"Critical": {"", world.ClusterCritical, world.NodeCritical},
		"Phase":    {world.PodPending, world.PodRunning, world.PodSucceeded, world.PodFailed, "Unknown"},
	})
	nodes.want(t, nil)
}

// outcomes are the values that the fields of a T have had.
type outcomes[T any] struct {
	zero, other map[string]bool         // by field
	had         map[string]map[any]bool // by field, of texts
}

func newOutcomes[T any]() *outcomes[T] {
	return &outcomes[T]{map[string]bool{}, map[string]bool{}, map[string]map[any]bool{}}
}

func (o *outcomes[T]) add(x *T) {
	v := reflect.ValueOf(x).Elem()
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		o.zero[name] = o.zero[name] || v.Field(i).IsZero()
		o.other[name] = o.other[name] || !v.Field(i).IsZero()
		if v.Field(i).Kind() == reflect.String {
			if o.had[name] == nil {
				o.had[name] = map[any]bool{}
			}
			o.had[name][v.Field(i).String()] = true
		}
	}
}

func (o *outcomes[T]) want(t *testing.T, values map[string][]any) {
	t.Helper()
	of := reflect.TypeFor[T]()
	for i := range of.NumField() {
		if name := of.Field(i).Name; !o.zero[name] || !o.other[name] {
			t.Errorf("%s.%s was never set, or always", of, name)
		}
	}
	for name, all := range values {
		for _, value := range all {
			if !o.had[name][value] {
				t.Errorf("%s.%s was never %q", of, name, value)
			}
		}
	}
}

// apiObject is a type of the API that writes itself as protobuf and reads itself.
type apiObject interface {
	Marshal() ([]byte, error)
	Unmarshal([]byte) error
}

// encoded is an object as it is on the wire, and what the API's library decodes of that,
// into what it is given for it.
func encoded[O apiObject](t *testing.T, from, decoded O) (wire []byte, _ O) {
	t.Helper()
	wire, err := from.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	if err := decoded.Unmarshal(wire); err != nil {
		t.Fatal(err)
	}
	return wire, decoded
}

// fromJSON is what becomes of an object that goes through JSON.
func fromJSON[O any](t *testing.T, from, to O) O {
	t.Helper()
	text, err := json.Marshal(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, to); err != nil {
		t.Fatal(err)
	}
	return to
}

// decodedFresh is an object that is read from the wire into what has held no other.
func decodedFresh[F, O any](t *testing.T, d Decoder[F, O], wire []byte) *F {
	t.Helper()
	f := new(F)
	if err := d.Decode(wire, f, Words{}); err != nil {
		t.Fatal(err)
	}
	return f
}

func same(t *testing.T, seed uint64, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("seed %d:\nread    %+v\ndecoded %+v", seed, got, want)
	}
}

// A field is declared with the name and in the form that it has in the API, or the
// program does not start.
func TestDeclaredWrongly(t *testing.T) {
	for name, declare := range map[string]func(){
		"unknown":       func() { NewDecoder[struct{ Priorityclass string }, corev1.PodSpec]() },
		"another form":  func() { NewDecoder[struct{ PriorityClassName bool }, corev1.PodSpec]() },
		"another depth": func() { NewDecoder[struct{ EmptyDir *struct{} }, corev1.Volume]() },
		"part of time":  func() { NewDecoder[struct{ CreationTimestamp struct{} }, metav1.ObjectMeta]() },
		"other list":    func() { NewDecoder[struct{ Finalizers []bool }, metav1.ObjectMeta]() },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: accepted", name)
				}
			}()
			declare()
		}()
	}
}

// What is not protobuf is an error, never a panic and never an endless loop; and
// what the API's own decoder takes is read as it does.
func FuzzDecode(f *testing.F) {
	v := vocabularyOf(f)
	for seed := range uint64(8) {
		var pod corev1.Pod
		v.fill(reflect.ValueOf(&pod).Elem(), rand.New(rand.NewPCG(seed, 2)))
		whole, err := pod.Marshal()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(whole)
	}
	f.Add([]byte{0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f})
	f.Fuzz(func(t *testing.T, b []byte) {
		var pod PodFields
		var decodedPod corev1.Pod
		if PodDecoder.Decode(b, &pod, Words{}) == nil && decodedPod.Unmarshal(b) == nil {
			same(t, 0, PodOf(&pod), ToPod(&decodedPod))
		}
		var node NodeFields
		var decodedNode corev1.Node
		if NodeDecoder.Decode(b, &node, Words{}) == nil && decodedNode.Unmarshal(b) == nil {
			same(t, 0, NodeOf(&node), ToNode(&decodedNode))
		}
	})
}

func BenchmarkDecodePods(b *testing.B) {
	v := vocabularyOf(b)
	var whole [][]byte
	for seed := range uint64(200) {
		var pod corev1.Pod
		v.fill(reflect.ValueOf(&pod).Elem(), rand.New(rand.NewPCG(seed, 3)))
		raw, err := pod.Marshal()
		if err != nil {
			b.Fatal(err)
		}
		whole = append(whole, raw)
	}
	w := Words{}
	var pod PodFields
	for i := 0; b.Loop(); i++ {
		if err := PodDecoder.Decode(whole[i%len(whole)], &pod, w); err != nil {
			b.Fatal(err)
		}
	}
}
