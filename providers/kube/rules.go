package kube

import (
	"context"
	"slices"
	"strings"
	"sync"

	authv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drainboard/drainboard/engine/live"
)

// everywhere stands for a namespace where the rules of the whole cluster are asked for: no
// namespace can have this name, so no role binding of one adds to them.
const everywhere = "NONE"

// place is the namespace in which the rules are asked for that may grant a right.
func (r Right) place() string {
	if r.Namespace == "" {
		return everywhere
	}
	return r.Namespace
}

// rules are what a user may do in one place, as a SelfSubjectRulesReview shows it.
type rules []authv1.ResourceRule

// grant reports whether the rules show a right. That they do not means nothing.
func (all rules) grant(r Right) bool {
	_, sub, _ := strings.Cut(r.Resource, "/")
	return slices.ContainsFunc(all, func(rule authv1.ResourceRule) bool {
		return len(rule.ResourceNames) == 0 && has(rule.Verbs, r.Verb) && has(rule.APIGroups, r.Group) &&
			(has(rule.Resources, r.Resource) || sub != "" && slices.Contains(rule.Resources, "*/"+sub))
	})
}

// has reports whether a list of a rule has a word, or all words.
func has(list []string, word string) bool {
	return slices.Contains(list, word) || slices.Contains(list, "*")
}

// rules reviews the rules of each place that some rights are about. A review is a help: one that
// fails shows nothing, and neither does an incomplete one. Then there are authorizers beside
// RBAC that it does not show (webhooks, those of EKS access entries among them), and they may
// deny what RBAC allows.
func (c *Client) rules(ctx context.Context, rights []Right) map[string]rules {
	var mu sync.Mutex
	out := map[string]rules{}
	var all sync.WaitGroup
	for _, r := range rights {
		place := r.place()
		mu.Lock()
		_, asked := out[place]
		if !asked {
			out[place] = nil
		}
		mu.Unlock()
		if asked {
			continue
		}
		all.Go(func() {
			_ = live.Caught(func() error {
				shown := c.rulesIn(ctx, place)
				mu.Lock()
				defer mu.Unlock()
				out[place] = shown
				return nil
			})
		})
	}
	all.Wait()
	return out
}

// rulesIn are the rules in one place, none if they are not known.
func (c *Client) rulesIn(ctx context.Context, place string) rules {
	ctx, cancel := context.WithTimeout(ctx, rulesTimeout)
	defer cancel()
	review := &authv1.SelfSubjectRulesReview{Spec: authv1.SelfSubjectRulesReviewSpec{Namespace: place}}
	got, err := c.API().RulesReviews().Create(ctx, review, metav1.CreateOptions{})
	if err != nil || got.Status.Incomplete || got.Status.EvaluationError != "" {
		return nil
	}
	return got.Status.ResourceRules
}
