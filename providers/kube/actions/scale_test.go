package actions

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/providers/kube/kubetest"
)

// A second replica is ours where managedFields names Drainboard alone for it. One that a user has set is never taken for
// ours, also where the answer to our request was lost: it is neither found to have happened nor scaled back.
func TestScale(t *testing.T) {
	const path = "/apis/apps/v1/namespaces/shop/deployments/web"
	field := func(manager, subresource, field string) string {
		return fmt.Sprintf(`{"manager":%q,"operation":"Update","subresource":%q,"fieldsType":"FieldsV1","fieldsV1":{"f:spec":{%q:{}}}}`, manager, subresource, field)
	}
	ours, user := field("drainboard", "scale", "f:replicas"), field("kubectl", "scale", "f:replicas")
	raise := record.Single{Namespace: "shop", Name: "web", UID: "u"}.Raise()
	restore := record.Single{Namespace: "shop", Name: "web", UID: "u"}.Restore()
	const sent = "sent"
	for _, c := range []struct {
		name     string
		replicas int
		fields   string
		action   record.Action
		comes    string
		happened bool
	}{
		{"raised", 1, user, raise, sent, false},
		{"raised before", 2, ours, raise, "done", true},
		{"a user has set two", 2, user, raise, "conflict", false},
		{"nobody is named", 2, "", raise, "conflict", false},
		{"a user has applied two beside ours", 2, ours + "," + field("argo", "", "f:replicas"), raise, "conflict", false},
		{"ours is another field", 2, field("drainboard", "scale", "f:paused") + "," + user, raise, "conflict", false},
		{"three", 3, user, raise, "conflict", false},
		{"restored", 2, ours, restore, sent, false},
		{"restored beside another field of a user", 2, ours + "," + field("kubectl", "", "f:template"), restore, sent, false},
		{"restored before", 1, ours, restore, "done", true},
		{"a user has set one", 1, user, restore, "done", true},
		{"a user has set two since", 2, user, restore, "conflict", false},
	} {
		s := newStore(t)
		s.Put(path, fmt.Sprintf(`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"shop","uid":"u","managedFields":[%s]},"spec":{"replicas":%d}}`, c.fields, c.replicas))
		got := ""
		s.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method != http.MethodPut || r.URL.Path != path+"/scale" || r.URL.Query().Get("fieldManager") != "drainboard" {
				return false
			}
			got = sent
			kubetest.Say(w, 200, `{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"web"}}`)
			return true
		})
		e := New(s.Client)
		o := e.Do(t.Context(), c.action)
		if got == "" && o.Verdict == record.Done {
			got = "done"
		} else if o.Refusal != "" {
			got = string(o.Refusal)
		}
		if got != c.comes {
			t.Errorf("%s: %s (%+v), want %s", c.name, got, o, c.comes)
		}
		if o := e.Do(t.Context(), record.Action{Kind: record.CheckEffect, Key: "check", Of: &c.action}); o.Verdict != record.Done || o.Happened != c.happened {
			t.Errorf("%s: looked up: %+v", c.name, o)
		}
	}
}
