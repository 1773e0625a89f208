package kube

import (
	"encoding/json"
	"io"
	"net/http"
	"reflect"
	"slices"
	"testing"

	authv1 "k8s.io/api/authorization/v1"
	"k8s.io/client-go/kubernetes/scheme"
)

func TestCheck(t *testing.T) {
	denied := map[authv1.ResourceAttributes]bool{
		{Verb: "create", Resource: "pods", Subresource: "eviction"}:                                     true,
		{Verb: "update", Group: "coordination.k8s.io", Resource: "leases", Namespace: "drainboard"}:     true,
		{Verb: "get", Group: "coordination.k8s.io", Resource: "leases", Namespace: "another namespace"}: true,
	}
	c := fakeAPI(t, func(w http.ResponseWriter, r *http.Request) {
		var review authv1.SelfSubjectAccessReview
		body, _ := io.ReadAll(r.Body)
		if _, _, err := scheme.Codecs.UniversalDeserializer().Decode(body, nil, &review); err != nil {
			t.Error(err)
		}
		review.Status.Allowed = !denied[*review.Spec.ResourceAttributes]
		review.Kind, review.APIVersion = "SelfSubjectAccessReview", "authorization.k8s.io/v1"
		b, _ := json.Marshal(review)
		say(w, 201, string(b))
	})
	missing, err := c.Check(t.Context(), slices.Concat(ReadRights("drainboard"), WriteRights("drainboard"), ForceRights()))
	want := []Right{{"create", "", "pods/eviction", ""}, {"update", "coordination.k8s.io", "leases", "drainboard"}}
	if err != nil || !reflect.DeepEqual(missing, want) {
		t.Errorf("got %v, %v", missing, err)
	}
	if got, want := want[0].Rule(), `{apiGroups: [""], resources: ["pods/eviction"], verbs: ["create"]}`; got != want {
		t.Errorf("got %s", got)
	}
	if got := want[1].String(); got != "update leases in namespace drainboard" {
		t.Error(got)
	}
}
