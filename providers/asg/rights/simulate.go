package rights

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/arn"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	iamtypes "github.com/aws/aws-sdk-go-v2/service/iam/types"
	"github.com/aws/aws-sdk-go-v2/service/sts"

	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/providers/asg/transport"
)

// simulateAll has IAM simulate the caller's policies for rights, by resource the places in out.
func (k *Checker) simulateAll(ctx context.Context, on Objects, left map[string][]int, out []snapshot.Right) {
	of, err := k.principal(ctx)
	for _, resource := range slices.Sorted(maps.Keys(left)) {
		var actions []string
		for _, i := range left[resource] {
			actions = append(actions, out[i].Action)
		}
		var found map[string]iamtypes.EvaluationResult
		if err == nil {
			found, err = k.simulate(ctx, on, of, resource, actions)
		}
		for _, i := range left[resource] {
			r := &out[i]
			if err != nil {
				r.Message = "IAM does not simulate it: " + k.aws.Explain(err).Error()
				continue
			}
			r.Verdict, r.Message = judged(found[r.Action], of)
		}
	}
}

// judged is what a simulation says of a right. One that lacks values of a policy's conditions
// may be wrong either way, and decides nothing.
func judged(e iamtypes.EvaluationResult, of string) (snapshot.RightVerdict, string) {
	missing := slices.Clone(e.MissingContextValues)
	for _, r := range e.ResourceSpecificResults {
		missing = append(missing, r.MissingContextValues...)
	}
	slices.Sort(missing)
	switch missing = slices.Compact(missing); {
	case len(missing) > 0:
		return snapshot.RightUnchecked, transport.Clean("the policies of " + of + " have conditions that cannot be simulated: " + strings.Join(missing, ", "))
	case e.EvalDecision == iamtypes.PolicyEvaluationDecisionTypeAllowed:
		return snapshot.RightAllowed, ""
	case e.EvalDecision == iamtypes.PolicyEvaluationDecisionTypeExplicitDeny:
		return snapshot.RightDenied, transport.Clean("denied by a policy of " + of + ", as IAM simulates it")
	case e.EvalDecision == iamtypes.PolicyEvaluationDecisionTypeImplicitDeny:
		return snapshot.RightDenied, transport.Clean("not allowed by any policy of " + of + ", as IAM simulates it")
	}
	return snapshot.RightUnchecked, "IAM's simulation says nothing of it"
}

// simulate has IAM evaluate the policies of a user or role for actions on one resource, with
// what conditions can be known beforehand: the region, and the tags of the group.
func (k *Checker) simulate(ctx context.Context, on Objects, of, resource string, actions []string) (map[string]iamtypes.EvaluationResult, error) {
	ctx, cancel := transport.Bounded(ctx, timeout)
	defer cancel()
	known := []iamtypes.ContextEntry{contextOf("aws:RequestedRegion", k.aws.Region())}
	if resource == on.Group.ID {
		for _, key := range slices.Sorted(maps.Keys(on.Group.Tags)) {
			known = append(known, contextOf("aws:ResourceTag/"+key, on.Group.Tags[key]), contextOf("autoscaling:ResourceTag/"+key, on.Group.Tags[key]))
		}
	}
	in := &iam.SimulatePrincipalPolicyInput{PolicySourceArn: &of, ActionNames: actions, ResourceArns: []string{resource}, ContextEntries: known}
	found := map[string]iamtypes.EvaluationResult{}
	for {
		page, err := k.identity().SimulatePrincipalPolicy(ctx, in)
		if err != nil {
			return nil, err
		}
		for _, e := range page.EvaluationResults {
			found[aws.ToString(e.EvalActionName)] = e
		}
		if in.Marker = page.Marker; !page.IsTruncated || in.Marker == nil {
			return found, nil
		}
	}
}

func contextOf(key, value string) iamtypes.ContextEntry {
	return iamtypes.ContextEntry{ContextKeyName: &key, ContextKeyType: iamtypes.ContextKeyTypeEnumString, ContextKeyValues: []string{value}}
}

// twice is how often IAM and STS are asked: a connection may end under a request.
const twice = 2

func (k *Checker) identity() *iam.Client {
	return iam.NewFromConfig(k.aws.Config(), func(o *iam.Options) { o.RetryMaxAttempts = twice })
}

// errNotSimulated means that the caller has no policies of the kinds that IAM simulates.
var errNotSimulated = errors.New("only the policies of users and roles can be simulated")

// principal is the user or role whose policies the caller acts by. A session of a role has only
// the role's name, not its path: IAM is asked for that, and without an answer the role is taken
// to have none.
func (k *Checker) principal(ctx context.Context) (string, error) {
	ctx, cancel := transport.Bounded(ctx, timeout)
	defer cancel()
	who, err := sts.NewFromConfig(k.aws.Config(), func(o *sts.Options) { o.RetryMaxAttempts = twice }).GetCallerIdentity(ctx, &sts.GetCallerIdentityInput{})
	if err != nil {
		return "", err
	}
	is, err := arn.Parse(aws.ToString(who.Arn))
	if err != nil {
		return "", &transport.Problem{Kind: errNotSimulated, Words: "AWS names the caller " + transport.Text(who.Arn)}
	}
	kind, name, _ := strings.Cut(is.Resource, "/")
	switch {
	case is.Service == "iam" && kind == "user":
		return is.String(), nil
	case is.Service == "sts" && kind == "assumed-role":
		role, _, _ := strings.Cut(name, "/")
		if got, err := k.identity().GetRole(ctx, &iam.GetRoleInput{RoleName: &role}); err == nil && got.Role != nil {
			return aws.ToString(got.Role.Arn), nil
		}
		is.Service, is.Resource = "iam", "role/"+role
		return is.String(), nil
	}
	return "", &transport.Problem{Kind: errNotSimulated, Words: fmt.Sprintf("%s, and not those of %s", errNotSimulated, transport.Clean(is.String()))}
}
