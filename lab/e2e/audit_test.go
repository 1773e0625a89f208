package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/drainboard/drainboard/lab"
	"github.com/drainboard/drainboard/lab/cloud"
)

// audit is the API server's audit log up to now, from the scene's beginning on.
func (s *scene) audit() lab.Requests {
	s.t.Helper()
	all, err := shared.AuditSync(s.ctx)
	if err != nil {
		s.t.Fatal(err)
	}
	from := s.from.Add(-1)
	first := slices.IndexFunc(all, func(r lab.Request) bool { return !r.Received.Before(from) })
	return all[max(0, first):].Where(func(r lab.Request) bool { return !r.Received.Before(from) })
}

// requests are what drainboard asked of the Kubernetes API in this scene.
func (s *scene) requests() lab.Requests {
	s.t.Helper()
	return s.audit().Where(lab.By(s.user), lab.By("drainboard/"))
}

// calls are what drainboard asked of AWS in this scene.
func (s *scene) calls() []cloud.Call {
	return slices.DeleteFunc(shared.Cloud().Calls(), func(c cloud.Call) bool { return c.AccessKey != s.key || c.Time.Before(s.from) })
}

// calls are those of an action, without dry runs.
func calls(list []cloud.Call, action string) []cloud.Call {
	return slices.DeleteFunc(slices.Clone(list), func(c cloud.Call) bool { return c.Action != action || c.Params.Get("DryRun") == "true" })
}

// review reports whether a request is a question for one's own name or rights, which
// changes nothing.
func review(r lab.Request) bool {
	return r.Resource == "selfsubjectaccessreviews" || r.Resource == "selfsubjectrulesreviews" || r.Resource == "selfsubjectreviews"
}

// bookkeeping reports whether a request is for the run's record or lock, answers a
// command from elsewhere, or announces what happens in the run.
func bookkeeping(r lab.Request) bool {
	if r.Resource == "events" && r.Verb == "create" {
		return true
	}
	if r.Namespace == "drainboard-commands" && r.Resource == "configmaps" {
		return r.Verb == "update" || r.Verb == "delete" || r.Verb == "create" && strings.Contains(r.URI, "dryRun=All")
	}
	return r.Namespace == "drainboard" && (r.Resource == "configmaps" || r.Resource == "leases")
}

// changes are the requests that may change something beside record, lock and Events.
func changes(rs lab.Requests) lab.Requests {
	return rs.Where(lab.Request.Write, func(r lab.Request) bool { return !review(r) && !bookkeeping(r) })
}

// checkReadOnly sees that no request and no call changed anything at all.
func (s *scene) checkReadOnly() {
	s.t.Helper()
	for _, r := range s.requests().Where(lab.Request.Write) {
		if !review(r) {
			s.t.Errorf("not read-only: %v", r)
		}
	}
	for _, c := range s.calls() {
		if !c.Reads() {
			s.t.Errorf("not read-only: %s:%s", c.Service, c.Action)
		}
	}
}

// checkUntouched sees that nothing was changed beside record and lock.
func (s *scene) checkUntouched() {
	s.t.Helper()
	for _, r := range changes(s.requests()) {
		s.t.Errorf("the cluster was touched: %v", r)
	}
	s.checkCloudUntouched()
}

func (s *scene) checkCloudUntouched() {
	s.t.Helper()
	for _, c := range s.calls() {
		if !c.Reads() && c.Code == "" {
			s.t.Errorf("the cloud was touched: %s:%s", c.Service, c.Action)
		}
	}
}

// checkRemovals sees that every pod that drainboard removed was evicted by UID,
// and that machines took nothing with them that had to be evicted.
func (s *scene) checkRemovals() {
	s.t.Helper()
	log := s.audit()
	for _, r := range log.Where(lab.By(s.user), lab.Request.Write) {
		switch {
		case r.Eviction():
			if r.UID() == "" && !(r.Code >= 300 && len(r.Body) == 0) { // refused before it was read: its connection was cut
				s.t.Errorf("an eviction without a UID: %v", r)
			}
		case r.PodDelete():
			s.t.Errorf("a delete of a pod: %v", r)
		case r.Verb == "patch" && r.Resource == "nodes", review(r), bookkeeping(r):
		case r.Resource == "deployments" && r.Subresource == "scale" && slices.Contains(s.singles, r.Name):
		default:
			s.t.Errorf("a change that is not one of ours: %v", r)
		}
	}
	for _, r := range log.Where(lab.By("lab"), lab.Request.PodDelete, func(r lab.Request) bool { return r.Namespace == s.place.Namespace && r.Code < 300 }) {
		if !strings.HasPrefix(r.Name, "agent-") && !strings.HasPrefix(r.Name, "finished-") {
			s.t.Errorf("a machine ended with a pod on it that had to leave: %v", r)
		}
	}
}

// checkBudgets sees that no budget was ever below what it promises, as the
// disruption controller counted.
func (s *scene) checkBudgets() {
	s.t.Helper()
	for _, r := range s.audit().Where(lab.By(lab.ControllerManager), func(r lab.Request) bool {
		return r.Resource == "poddisruptionbudgets" && r.Subresource == "status" && r.Namespace == s.place.Namespace
	}) {
		var body struct {
			Status struct{ CurrentHealthy, DesiredHealthy int }
		}
		if err := json.Unmarshal(r.Body, &body); err != nil {
			s.t.Fatal(err)
		}
		if body.Status.CurrentHealthy < body.Status.DesiredHealthy {
			s.t.Errorf("budget %s was broken: %d healthy of %d, at %v", r.Name, body.Status.CurrentHealthy, body.Status.DesiredHealthy, r)
		}
	}
}

// checkActions sees that only IAM actions were used that docs/reference/rights.md asks for.
func (s *scene) checkActions() {
	s.t.Helper()
	documented := documentedActions(s.t)
	for _, action := range granted(s.t, "eks read") { // groups lists those of other stories, too
		documented[action] = true
	}
	seen := map[string]bool{}
	for _, c := range s.calls() {
		name := c.Service + ":" + c.Action
		if !documented[name] && !seen[name] && name != "sts:GetCallerIdentity" {
			seen[name] = true
			s.t.Errorf("IAM action %s is used and not in docs/reference/rights.md", name)
		}
	}
}

// figures are the requests and calls for each replaced node, a line to print.
func (s *scene) figures(replaced int) string {
	perNode := func(n int) string { return fmt.Sprintf("%d (%.1f a node)", n, float64(n)/float64(replaced)) }
	requests := s.requests()
	counts := requests.Count()
	total, waiting := 0, 0
	for what, n := range counts {
		total += n
		if strings.HasSuffix(what, "/readyz") || strings.HasSuffix(what, " leases") || strings.HasPrefix(what, "watch ") {
			waiting += n
		}
	}
	awsCounts := map[string]int{}
	for _, c := range s.calls() {
		awsCounts[c.Action]++
	}
	return fmt.Sprintf("%d nodes replaced: %s Kubernetes requests, of which %d heartbeats, lock and watches; %s AWS calls\n  %v\n  %v",
		replaced, perNode(total), waiting, perNode(len(s.calls())), counts, awsCounts)
}
