package main

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/flags"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/providers/asg"
)

// plainGroup is a group of which only the settings matter.
type plainGroup struct{ backend.Group }

func (plainGroup) Strategy() string { return "eks" }

func (plainGroup) Provider() string { return asg.Provider }

func (plainGroup) Fits(rules engine.Strategy) error {
	if rules.Name() == present.StrategyKops {
		return context.Canceled
	}
	return nil
}

func (plainGroup) Settings(_ context.Context, rules engine.Strategy, asked backend.Asked) (record.Settings, []string, error) {
	s, err := asked.Settings(rules)
	return s, nil, err
}

// Each variation of a comparison differs from what was given by its own flags alone, and what was given
// stays as it is.
func TestVariationsOfAComparison(t *testing.T) {
	cmd, _, err := program().Find([]string{"plan"})
	if err != nil {
		t.Fatal(err)
	}
	var f flags.Roll
	cmd.ResetFlags()
	f.Add(cmd)
	if err := cmd.ParseFlags(strings.Fields("--max-unavailable 3 --order oldest,name --drain-timeout 7m")); err != nil {
		t.Fatal(err)
	}
	before := f
	list, err := f.Variations(cmd, plainGroup{})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(f, before) || cmd.Flags().Changed("strategy") || cmd.Flags().Changed("max-surge") {
		t.Errorf("the flags have changed: %+v", f)
	}
	given := list[0].Terms.Settings
	if len(list[0].Flags) > 0 || given.MaxUnavailable.N != 3 || len(list) < 8 {
		t.Errorf("%d variations: %+v", len(list), list[0])
	}
	for _, v := range list[1:] {
		name, value, _ := strings.Cut(strings.TrimPrefix(v.Flags[0], "--"), "=")
		s := v.Terms.Settings
		if s.DrainTimeout != given.DrainTimeout || len(v.Flags) != 1 || value == present.StrategyKops {
			t.Errorf("%q: %+v", v.Flags, s)
		}
		if name != "strategy" && v.Terms.Rules.Name() != "eks" || name != "max-unavailable" && s.MaxUnavailable != given.MaxUnavailable || name != "max-surge" && s.SurgeText() != given.SurgeText() && v.Terms.Rules.Name() == "eks" {
			t.Errorf("%q changes more: %+v", v.Flags, s)
		}
		if name != "order" && !slices.Equal(s.Order, given.Order) || name == "order" && !slices.Equal(s.Order, []record.Order{record.Order(value)}) {
			t.Errorf("%q: order %v", v.Flags, s.Order)
		}
	}
}
