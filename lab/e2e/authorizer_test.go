package e2e

import (
	"slices"
	"sync"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"

	"github.com/drainboard/drainboard/lab"
)

// authorizer is a webhook authorizer that grants rights, and denies one, and knows what it was
// asked.
type authorizer struct {
	mu      sync.Mutex
	grants  []right
	denies  right
	reviews int
}

func (a *authorizer) decides(what authorizationv1.ResourceAttributes) lab.Verdict {
	resource := what.Resource
	if what.Subresource != "" {
		resource += "/" + what.Subresource
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.reviews++
	everywhere := right{what.Verb, what.Group, resource, ""}
	here := right{what.Verb, what.Group, resource, what.Namespace}
	switch {
	case a.denies == everywhere || a.denies == here:
		return lab.Denied
	case slices.Contains(a.grants, everywhere), slices.Contains(a.grants, here):
		return lab.Allowed
	}
	return lab.NoOpinion
}

func (a *authorizer) set(grants []right, denies right) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.grants, a.denies, a.reviews = grants, denies, 0
}

// asked is how often the webhook was asked since it was set.
func (a *authorizer) asked() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.reviews
}

// Rights that a webhook authorizer grants do not show in a SelfSubjectRulesReview, and what it
// denies may show there as granted by RBAC. Neither is believed: a user with all rights from
// the webhook rolls, one with all but one of them is told which, and so is one whom RBAC grants
// all and the webhook denies one.
func TestWebhookAuthorizer(t *testing.T) {
	s := loneScene(t, "authorized", lab.GroupOptions{Nodes: 2, Zones: oneZone})
	s.deploy("web", "agent")
	all := published(t, "read", "upgrade", "events", "hear")
	lacks := right{"patch", "", "nodes", ""}

	byRBAC := *s
	byRBAC.as("authorized-denied", all)
	byWebhook := *s
	byWebhook.as("authorized-granted", lab.Rights{})
	byWebhook.upgrade().exits(11) // it has none of its own

	webhook := &authorizer{}
	decideFor := func(o *scene) (end func()) {
		t.Helper()
		end, err := shared.AuthorizeBy(s.ctx, o.user, webhook.decides)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(end)
		return end
	}

	end := decideFor(&byRBAC)
	webhook.set(nil, lacks)
	byRBAC.upgrade().exits(11).says("this user lacks 1 of the needed rights", lacks.String())
	if webhook.asked() == 0 {
		t.Error("the webhook was not asked: this test sees nothing")
	}
	end()

	decideFor(&byWebhook)
	webhook.set(single(without(all, lacks)), right{})
	byWebhook.upgrade().exits(11).says("this user lacks 1 of the needed rights", lacks.String())
	byWebhook.checkReadOnly()
	webhook.set(single(all), right{})
	p := byWebhook.upgrade().exits(0)
	checkFinished(t, p.said(), "succeeded", 0)
	byWebhook.checkRolled()
	byWebhook.checkNothingTwice()
}
