package access

import (
	"net/http"
	"strings"

	"github.com/drainboard/drainboard/lab/cloud/wire"
)

// IAM answers what of IAM is about rights: "SimulatePrincipalPolicy" and "GetRole" in
// its API reference.
var IAM = map[string]func(*Rules, *wire.Request) ([]wire.Node, *wire.Error){
	"GetRole":                 getRole,
	"SimulatePrincipalPolicy": simulatePolicy,
}

func errNoEntity(message string) *wire.Error {
	return wire.NewError("NoSuchEntity", message, http.StatusNotFound)
}

func getRole(rs *Rules, r *wire.Request) ([]wire.Node, *wire.Error) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for _, known := range rs.roles {
		if known.name == r.Str("RoleName") {
			return []wire.Node{wire.El("Role",
				wire.Text("Path", known.path), wire.Text("RoleName", known.name), wire.Text("RoleId", "AROALABLABLABLABLABLA"),
				wire.Text("Arn", known.arn()), wire.Text("CreateDate", "2026-01-01T00:00:00Z"))}, nil
		}
	}
	return nil, errNoEntity("The role with name " + r.Str("RoleName") + " cannot be found.")
}

// simulatePolicy evaluates what the access key that asks may do: the lab has no policies, and
// many keys of one user. It answers for the asking key's own principal only. Nothing here
// depends on conditions, so that none is missing.
func simulatePolicy(rs *Rules, r *wire.Request) ([]wire.Node, *wire.Error) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if of := r.Str("PolicySourceArn"); of != rs.principal(r.Key) {
		return nil, errNoEntity("Could not find entity with ARN " + of)
	}
	actions, resources := r.List("ActionNames.member"), r.List("ResourceArns.member")
	if len(resources) == 0 {
		resources = []string{"*"}
	}
	type result struct{ action, decision, resource string }
	var results []result
	for _, action := range actions {
		service, name, named := strings.Cut(action, ":")
		if !named {
			return nil, wire.NewError("InvalidInput", "Invalid action: "+action, http.StatusBadRequest)
		}
		decision := "allowed"
		if rs.forbids(&wire.Request{Service: service, Action: name, Key: r.Key}) {
			decision = "implicitDeny"
		}
		for _, resource := range resources {
			results = append(results, result{action, decision, resource})
		}
	}
	return []wire.Node{wire.Text("IsTruncated", false), wire.Each("EvaluationResults", "member", results, func(e result) []wire.Node {
		return []wire.Node{
			wire.Text("EvalActionName", e.action), wire.Text("EvalDecision", e.decision), wire.Text("EvalResourceName", e.resource),
			wire.El("MatchedStatements"), wire.El("MissingContextValues"),
			wire.El("ResourceSpecificResults", wire.El("member",
				wire.Text("EvalResourceName", e.resource), wire.Text("EvalResourceDecision", e.decision), wire.El("MatchedStatements"), wire.El("MissingContextValues"))),
		}
	})}, nil
}

// STS answers "GetCallerIdentity" in its API reference.
var STS = map[string]func(*Rules, *wire.Request) ([]wire.Node, *wire.Error){
	"GetCallerIdentity": func(rs *Rules, r *wire.Request) ([]wire.Node, *wire.Error) {
		rs.mu.Lock()
		defer rs.mu.Unlock()
		return []wire.Node{wire.Text("Arn", rs.caller(r.Key)), wire.Text("UserId", "AIDALABLABLABLABLABLA"), wire.Text("Account", Account)}, nil
	},
}
