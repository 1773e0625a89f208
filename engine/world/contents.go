package world

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/labels"
)

// Contents is all that a World holds, as it is written to a file. Early pods of a partial world
// are not in it.
type Contents struct {
	Group    Group
	Health   map[Source]Health
	Machines []Machine
	Nodes    []*Node
	Pods     []*Pod
	Budgets  []BudgetContents
	// DaemonSets are the UIDs of those that exist, nil where that is not known.
	DaemonSets []string
}

// BudgetContents is a budget with its selector as text.
type BudgetContents struct {
	Budget
	// Selector is the selector's text form, "" for every pod; None: it selects no pod.
	Selector string
	None     bool
}

// Contents returns what the World holds now. It shares the World's objects, which do not change.
func (w *World) Contents() Contents {
	c := Contents{Group: w.Group, Health: maps.Clone(w.Health), Nodes: w.Nodes()}
	for _, m := range w.Machines() {
		c.Machines = append(c.Machines, *m)
	}
	for _, uid := range slices.Sorted(maps.Keys(w.pods)) {
		c.Pods = append(c.Pods, w.pods[uid])
	}
	for _, b := range w.Budgets() {
		of := BudgetContents{Budget: *b, None: true}
		if b.Selector != nil {
			of.Selector = b.Selector.String()
			_, selects := b.Selector.Requirements()
			of.None = !selects
		}
		of.Budget.Selector = nil
		c.Budgets = append(c.Budgets, of)
	}
	if w.knowsDS {
		c.DaemonSets = append([]string{}, slices.Sorted(maps.Keys(w.daemons))...)
	}
	return c
}

// Fill sets an empty World to the contents. It fails on a selector that cannot be read.
func (c *Contents) Fill(w *World) error {
	w.SetGroup(c.Group)
	w.SetMachines(c.Machines)
	for _, n := range c.Nodes {
		w.SetNode(n)
	}
	for _, p := range c.Pods {
		w.SetPod(p)
	}
	for _, of := range c.Budgets {
		b := of.Budget
		b.Selector = labels.Nothing()
		if !of.None {
			var err error
			if b.Selector, err = labels.Parse(of.Selector); err != nil {
				return fmt.Errorf("PDB %s: %w", b.Ref(), err)
			}
		}
		w.SetBudget(&b)
	}
	if c.DaemonSets != nil {
		w.SetDaemonSets(c.DaemonSets)
	}
	for source, h := range c.Health {
		w.SetHealth(source, h)
	}
	return nil
}

// UnmarshalJSON reads the contents. Pods that ask for the same share their Needs again.
func (c *Contents) UnmarshalJSON(data []byte) error {
	type plain Contents
	if err := json.Unmarshal(data, (*plain)(c)); err != nil {
		return err
	}
	known := map[string]*Needs{}
	for i, p := range c.Pods {
		if p == nil {
			return fmt.Errorf("pod %d is null", i)
		}
		if p.Needs == nil {
			continue
		}
		key, err := json.Marshal(p.Needs)
		if err != nil {
			return err
		}
		if known[string(key)] == nil {
			known[string(key)] = p.Needs
		}
		p.Needs = known[string(key)]
	}
	if i := slices.Index(c.Nodes, nil); i >= 0 {
		return fmt.Errorf("node %d is null", i)
	}
	return nil
}
