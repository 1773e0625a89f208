package world

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
)

// budgetIndex finds the budgets of a pod without a look at all of its namespace: most ask for one
// value of a label, and are found by it.
type budgetIndex struct {
	of map[asked][]indexed
	// keys are the labels that budgets of a namespace ask for, "" where some ask for no one value, and
	// how many do.
	keys map[string]map[string]int
}

func newBudgetIndex() budgetIndex {
	return budgetIndex{of: map[asked][]indexed{}, keys: map[string]map[string]int{}}
}

// indexed is a budget of the index; alone: it asks for nothing else.
type indexed struct {
	*Budget
	alone bool
}

// asked is a label that all pods of a budget have, with its namespace; without a key it is that of
// budgets that ask for no one value.
type asked struct{ namespace, key, value string }

// asks is a label that all pods of a budget have, and whether it covers all pods that have it.
func asks(b *Budget) (out asked, alone bool) {
	out.namespace = b.Namespace
	if b.Selector == nil {
		return out, false
	}
	list, _ := b.Selector.Requirements()
	for i := range list {
		switch list[i].Operator() {
		case selection.In, selection.Equals, selection.DoubleEquals:
			if values := list[i].ValuesUnsorted(); len(values) == 1 {
				out.key, out.value = list[i].Key(), values[0]
				return out, len(list) == 1
			}
		}
	}
	return out, false
}

// sameSelector reports whether two selectors are one and the same.
func sameSelector(a, b labels.Selector) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	x, some := a.Requirements()
	y, any := b.Requirements()
	return some == any && len(x) == len(y) && (len(x) == 0 || &x[0] == &y[0])
}

func (x budgetIndex) put(b *Budget) {
	at, alone := asks(b)
	x.of[at] = append(x.of[at], indexed{b, alone})
	if x.keys[at.namespace] == nil {
		x.keys[at.namespace] = map[string]int{}
	}
	x.keys[at.namespace][at.key]++
}

func (x budgetIndex) take(b *Budget) {
	at, _ := asks(b)
	if x.of[at] = slices.DeleteFunc(x.of[at], func(have indexed) bool { return have.Budget == b }); len(x.of[at]) == 0 {
		delete(x.of, at)
	}
	keys := x.keys[at.namespace]
	if keys[at.key]--; keys[at.key] == 0 {
		delete(keys, at.key)
	}
	if len(keys) == 0 {
		delete(x.keys, at.namespace)
	}
}

// list are the budgets that cover a pod, sorted by name.
func (x budgetIndex) list(p *Pod) (out []*Budget) {
	for key := range x.keys[p.Namespace] {
		value, has := p.Labels[key]
		if key != "" && !has {
			continue
		}
		for _, b := range x.of[asked{p.Namespace, key, value}] {
			if b.alone || b.Selector != nil && b.Selector.Matches(labels.Set(p.Labels)) {
				out = append(out, b.Budget)
			}
		}
	}
	if len(out) > 1 {
		slices.SortFunc(out, func(a, b *Budget) int { return cmp.Compare(a.Name, b.Name) })
	}
	return out
}
