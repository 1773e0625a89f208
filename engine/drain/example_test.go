package drain_test

import (
	"fmt"

	"github.com/drainboard/drainboard/engine/drain"
	"github.com/drainboard/drainboard/engine/world"
)

// Judge says what a drain means for each pod of a node, as kubectl drain would.
func ExampleJudge() {
	w := world.New()
	for _, p := range []*world.Pod{
		{Namespace: "shop", Name: "checkout-59fc56b974-86ltl", UID: "1", Owner: world.Owner{Kind: "ReplicaSet", UID: "rs-1"}},
		{Namespace: "shop", Name: "cache-0", UID: "2", Owner: world.Owner{Kind: "StatefulSet", UID: "ss-1"}, EmptyDir: true},
		{Namespace: "kube-system", Name: "etcd-ip-10-0-1-5", UID: "3", Mirror: true},
		{Namespace: "default", Name: "debug", UID: "4"},
	} {
		v := drain.Judge(w, p, drain.Consents{EmptyDir: true})
		fmt.Printf("%s %s: %s\n", p.Name, v.Fate, v.Reason.Sentence())
	}
	// Output:
	// checkout-59fc56b974-86ltl leaves: can be evicted
	// cache-0 leaves: can be evicted
	// etcd-ip-10-0-1-5 stays: mirrors a static pod, which only its kubelet can remove
	// debug asks: has no controller: nothing recreates it (allow with --force-unmanaged)
}
