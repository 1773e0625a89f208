package world

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
)

// budgetIndex finds the budgets of a pod without a look at all of its namespace: most ask for one
// value of a label, and are found by it.
type budgetIndex map[asked][]*Budget

// asked is a label that all pods of a budget have, with its namespace; without a key it is that of
// budgets that ask for no one value.
type asked struct{ namespace, key, value string }

// asks is a label that all pods of a budget have.
func asks(b *Budget) asked {
	out := asked{namespace: b.Namespace}
	if b.Selector == nil {
		return out
	}
	list, _ := b.Selector.Requirements()
	for i := range list {
		switch list[i].Operator() {
		case selection.In, selection.Equals, selection.DoubleEquals:
			if values := list[i].ValuesUnsorted(); len(values) == 1 {
				out.key, out.value = list[i].Key(), values[0]
				return out
			}
		}
	}
	return out
}

func (x budgetIndex) put(b *Budget) {
	at := asks(b)
	x[at] = append(x[at], b)
}

func (x budgetIndex) take(b *Budget) {
	at := asks(b)
	if x[at] = slices.DeleteFunc(x[at], func(have *Budget) bool { return have == b }); len(x[at]) == 0 {
		delete(x, at)
	}
}

// list are the budgets that cover a pod, sorted by name.
func (x budgetIndex) list(p *Pod) (out []*Budget) {
	if len(x) == 0 {
		return nil
	}
	add := func(at asked) {
		for _, b := range x[at] {
			if b.Selector != nil && b.Selector.Matches(labels.Set(p.Labels)) {
				out = append(out, b)
			}
		}
	}
	add(asked{namespace: p.Namespace})
	for key, value := range p.Labels {
		add(asked{p.Namespace, key, value})
	}
	if len(out) > 1 {
		slices.SortFunc(out, func(a, b *Budget) int { return cmp.Compare(a.Name, b.Name) })
	}
	return out
}
