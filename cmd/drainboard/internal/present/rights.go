package present

import (
	"fmt"
	"slices"
	"strings"

	"github.com/drainboard/drainboard/engine/api"
	"github.com/drainboard/drainboard/engine/snapshot"
)

// rightsMissing names the rights without which a run does not start: what is denied, on what,
// why, and what to do.
func rightsMissing(p snapshot.Plan) []string {
	return rightsText(p, snapshot.Right.Stops, func(r snapshot.Right) string {
		return fmt.Sprintf("%s on %s: %s; allow it, or upgrade as a user or role that may", r.Action, r.Resource, r.Message)
	})
}

// RightsDenied names the rights that are missing and that not every run takes.
func RightsDenied(p snapshot.Plan) []string {
	return rightsText(p, func(r snapshot.Right) bool { return r.Verdict == snapshot.RightDenied && !r.Stops() }, func(r snapshot.Right) string {
		return fmt.Sprintf("%s on %s, needed %s: %s", r.Action, r.Resource, r.When, r.Message)
	})
}

func rightsText(p snapshot.Plan, has func(snapshot.Right) bool, words func(snapshot.Right) string) []string {
	var out []string
	for _, r := range p.Rights {
		if has(r) {
			out = append(out, words(r))
		}
	}
	return out
}

// RightsOpen names the rights that could not be checked, those with one reason in one line.
func RightsOpen(p snapshot.Plan) []string {
	var reasons []string
	of := map[string][]string{}
	for _, r := range p.Rights {
		if r.Verdict != snapshot.RightUnchecked {
			continue
		}
		if !slices.Contains(reasons, r.Message) {
			reasons = append(reasons, r.Message)
		}
		of[r.Message] = append(of[r.Message], r.Action)
	}
	out := make([]string, len(reasons))
	for i, why := range reasons {
		out[i] = strings.Join(of[why], ", ") + ": " + why
	}
	return out
}

// rightsOf returns the rights that a plan takes, for JSON.
func rightsOf(p snapshot.Plan) []api.Right {
	var out []api.Right
	for _, r := range p.Rights {
		verdict := api.Word(string(r.Verdict))
		if r.Verdict == snapshot.RightUnchecked {
			verdict = api.RightUnchecked
		}
		out = append(out, api.Right{Action: r.Action, Resource: r.Resource, When: r.When, Verdict: verdict, Message: r.Message})
	}
	return out
}
