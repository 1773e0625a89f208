package cloud

import (
	"net/http"
	"strings"
)

// iamHandlers answer what of IAM is about rights: "SimulatePrincipalPolicy" and "GetRole" in
// its API reference.
var iamHandlers = map[string]handler{
	"GetRole":                 getRole,
	"SimulatePrincipalPolicy": simulatePolicy,
}

// role is one whose session an access key is of.
type role struct{ path, name string }

// arn is the role's own, with its path; session that of who has assumed it, without.
func (r role) arn() string     { return "arn:aws:iam::" + Account + ":role" + r.path + r.name }
func (r role) session() string { return "arn:aws:sts::" + Account + ":assumed-role/" + r.name + "/lab" }

// Assume makes an access key one of a session of a role, whose path begins and ends with a
// slash. Keys are the user lab's otherwise.
func (c *Cloud) Assume(key, path, name string) {
	c.set(func(f *faults) { f.roles[key] = role{path, name} })
}

// caller is who an access key is of, as STS and refusals name them; principal is whose policies
// that is.
func (f *faults) caller(key string) string {
	if r, assumed := f.roles[key]; assumed {
		return r.session()
	}
	return identity
}

func (f *faults) principal(key string) string {
	if r, assumed := f.roles[key]; assumed {
		return r.arn()
	}
	return identity
}

func errNoEntity(message string) *apiError {
	return &apiError{"NoSuchEntity", message, http.StatusNotFound}
}

func getRole(c *Cloud, r *request) ([]node, *apiError) {
	for _, known := range c.faults.roles {
		if known.name == r.str("RoleName") {
			return []node{el("Role",
				text("Path", known.path), text("RoleName", known.name), text("RoleId", "AROALABLABLABLABLABLA"),
				text("Arn", known.arn()), text("CreateDate", "2026-01-01T00:00:00Z"))}, nil
		}
	}
	return nil, errNoEntity("The role with name " + r.str("RoleName") + " cannot be found.")
}

// simulatePolicy evaluates what the access key that asks may do: the lab has no policies, and
// many keys of one user. It answers for the asking key's own principal only. Nothing here
// depends on conditions, so that none is missing.
func simulatePolicy(c *Cloud, r *request) ([]node, *apiError) {
	if of := r.str("PolicySourceArn"); of != c.faults.principal(r.key) {
		return nil, errNoEntity("Could not find entity with ARN " + of)
	}
	actions, resources := r.list("ActionNames.member"), r.list("ResourceArns.member")
	if len(resources) == 0 {
		resources = []string{"*"}
	}
	type result struct{ action, decision, resource string }
	var results []result
	for _, action := range actions {
		service, name, named := strings.Cut(action, ":")
		if !named {
			return nil, &apiError{"InvalidInput", "Invalid action: " + action, http.StatusBadRequest}
		}
		decision := "allowed"
		if c.faults.forbids(&request{service: service, action: name, key: r.key}) {
			decision = "implicitDeny"
		}
		for _, resource := range resources {
			results = append(results, result{action, decision, resource})
		}
	}
	return []node{text("IsTruncated", false), each("EvaluationResults", "member", results, func(e result) []node {
		return []node{
			text("EvalActionName", e.action), text("EvalDecision", e.decision), text("EvalResourceName", e.resource),
			el("MatchedStatements"), el("MissingContextValues"),
			el("ResourceSpecificResults", el("member",
				text("EvalResourceName", e.resource), text("EvalResourceDecision", e.decision), el("MatchedStatements"), el("MissingContextValues"))),
		}
	})}, nil
}
