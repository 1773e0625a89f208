package kube

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	authv1 "k8s.io/api/authorization/v1"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/providers/kube/kubetest"
)

// reviews answers questions for rights: by a review of rules as a place has them, one by one
// by may. Each may fail before, as fail says.
func reviews(t *testing.T, rules map[string]authv1.SubjectRulesReviewStatus, may func(authv1.ResourceAttributes) bool, fail func() bool) *Client {
	return fakeAPI(t, func(w http.ResponseWriter, r *http.Request) {
		if fail() {
			kubetest.Say(w, 503, kubetest.Status(503, "ServiceUnavailable", "not now", ""))
			return
		}
		body, _ := io.ReadAll(r.Body)
		object, _, err := scheme.Codecs.UniversalDeserializer().Decode(body, nil, nil)
		switch review := object.(type) {
		case *authv1.SelfSubjectRulesReview:
			review.Status = rules[review.Spec.Namespace]
		case *authv1.SelfSubjectAccessReview:
			review.Status.Allowed = may(*review.Spec.ResourceAttributes)
		default:
			t.Errorf("%s %s: %v", r.Method, r.URL.Path, err)
		}
		b, _ := json.Marshal(object)
		kubetest.Say(w, 201, string(b))
	})
}

func never() bool { return false }

func TestCheck(t *testing.T) {
	denied := map[authv1.ResourceAttributes]bool{
		{Verb: "create", Resource: "pods", Subresource: "eviction"}:                                     true,
		{Verb: "update", Group: "coordination.k8s.io", Resource: "leases", Namespace: "drainboard"}:     true,
		{Verb: "get", Group: "coordination.k8s.io", Resource: "leases", Namespace: "another namespace"}: true,
	}
	c := reviews(t, nil, func(a authv1.ResourceAttributes) bool { return !denied[a] }, never)
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

// What a whole review of the rules shows is not asked again; what it does not show is, one by
// one, and so is everything where the review is incomplete: a webhook may allow and deny what it
// does not show.
func TestRulesOnlyConfirm(t *testing.T) {
	rule := func(verbs, resources string, names ...string) authv1.ResourceRule {
		return authv1.ResourceRule{Verbs: strings.Fields(verbs), APIGroups: []string{""}, Resources: strings.Fields(resources), ResourceNames: names}
	}
	rights := []Right{
		{"list", "", "pods", ""}, {"create", "", "pods/eviction", ""}, {"get", "", "configmaps", "ours"}, {"get", "", "nodes", ""},
		{"update", "", "configmaps", "ours"}, {"get", "coordination.k8s.io", "leases", "ours"}, {"delete", "", "pods", ""}, {"get", "", "services/proxy", ""},
	}
	whole := map[string]authv1.SubjectRulesReviewStatus{
		everywhere: {ResourceRules: []authv1.ResourceRule{rule("list", "pods"), rule("*", "*/eviction"), rule("get", "nodes", "n1")}},
		"ours":     {ResourceRules: []authv1.ResourceRule{rule("get watch", "configmaps"), rule("delete get list update", "pods *")}},
	}
	incomplete := map[string]authv1.SubjectRulesReviewStatus{}
	for place, rules := range whole {
		rules.Incomplete = true
		incomplete[place] = rules
	}
	for name, c := range map[string]struct {
		rules map[string]authv1.SubjectRulesReviewStatus
		asked []string
	}{
		"whole":      {whole, []string{"get nodes", "get leases in namespace ours", "delete pods", "get services/proxy"}},
		"incomplete": {incomplete, []string{"list pods", "create pods/eviction", "get configmaps in namespace ours", "get nodes", "update configmaps in namespace ours", "get leases in namespace ours", "delete pods", "get services/proxy"}},
	} {
		asked := make(chan string, 100)
		k := reviews(t, c.rules, func(a authv1.ResourceAttributes) bool {
			asked <- Right{a.Verb, a.Group, strings.TrimSuffix(a.Resource+"/"+a.Subresource, "/"), a.Namespace}.String()
			return a.Verb != "delete"
		}, never)
		missing, err := k.Check(t.Context(), rights)
		if err != nil || len(missing) != 1 || missing[0].Verb != "delete" {
			t.Errorf("%s: %v, %v", name, missing, err)
		}
		close(asked)
		var got []string
		for what := range asked {
			got = append(got, what)
		}
		slices.Sort(got)
		if slices.Sort(c.asked); !slices.Equal(got, c.asked) {
			t.Errorf("%s: asked one by one %q, want %q", name, got, c.asked)
		}
	}
}

// With half of the answers broken all that is needed is known in the end, and without
// patience it is said that it is not.
func TestCheckIsPatient(t *testing.T) {
	var n atomic.Int32
	c := reviews(t, nil, func(a authv1.ResourceAttributes) bool { return a.Verb != "delete" }, func() bool { return n.Add(1)%2 == 0 })
	rights := slices.Concat(ReadRights("drainboard"), ForceRights())
	if _, err := c.Check(t.Context(), rights); !errors.Is(err, live.ErrUnreachable) {
		t.Errorf("without patience: %v", err)
	}
	ctx := live.WithPatience(t.Context(), &live.Patience{Limit: time.Minute})
	if missing, err := c.Check(ctx, rights); err != nil || len(missing) != 1 || missing[0].Verb != "delete" {
		t.Errorf("%v, %v", missing, err)
	}
	if err := c.Need(ctx, rights, "README"); !errors.Is(err, live.ErrDenied) {
		t.Errorf("%v is not that a right is missing", err)
	}
}
