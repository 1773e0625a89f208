package world

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// The list of an owner's pods is merged with what has changed: it is the one that sorting would
// give, and those that were given away stay as they were.
func TestPodIndexMerges(t *testing.T) {
	for seed := range uint64(50) {
		odd := rand.New(rand.NewPCG(seed, 1))
		w := New()
		pods := map[string]*Pod{}
		var given, was []*Pod
		for step := range 2000 {
			n := odd.IntN(200)
			uid := fmt.Sprint("u", n)
			switch old := pods[uid]; {
			case old != nil && odd.IntN(4) == 0:
				w.DeletePod(uid)
				delete(pods, uid)
			case old != nil && odd.IntN(4) == 0:
				w.SetPod(old) // the same one again
			default:
				p := &Pod{UID: uid, Namespace: "shop", Name: fmt.Sprint("web-", n/3), Owner: Owner{UID: "rs"}, Ready: odd.IntN(2) == 0}
				w.SetPod(p)
				pods[uid] = w.Pod(uid)
			}
			if odd.IntN(10) > 0 {
				continue
			}
			if !slices.Equal(given, was) {
				t.Fatalf("seed %d, step %d: a list that was given away has changed", seed, step)
			}
			given = w.PodsOf("rs")
			was = slices.Clone(given)
			if want := slices.SortedFunc(maps.Values(pods), InOrder); !slices.Equal(given, want) {
				t.Fatalf("seed %d, step %d: the list has %d pods, in another order than the %d that are there", seed, step, len(given), len(want))
			}
		}
	}
}

// BenchmarkPodsOf asks for the pods of an owner of 1,500 after one of them has changed.
func BenchmarkPodsOf(b *testing.B) {
	w := New()
	pods := make([]*Pod, 1500)
	for i := range pods {
		pods[i] = &Pod{UID: fmt.Sprint("u", i), Namespace: "shop", Name: fmt.Sprintf("web-7d9f8c6b5-%05d", i*7919%1500), Owner: Owner{UID: "rs"}}
		w.SetPod(pods[i])
	}
	w.PodsOf("rs")
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		p := *pods[i%len(pods)]
		p.Ready = i%2 == 0
		w.SetPod(&p)
		w.PodsOf("rs")
	}
}
