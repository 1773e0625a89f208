package strategy_test

import (
	"testing"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
)

// What is selected by hand has no quota.
func TestManualLimit(t *testing.T) {
	for text, want := range map[string]int{"1": 1, "150": 150, "50%": 150, "0%": 1} {
		a, err := record.ParseAmount(text)
		if err != nil {
			t.Fatal(err)
		}
		run := record.Run{Settings: record.Settings{MaxUnavailable: a}, Base: world.Sizes{Desired: 300}}
		if got := (strategy.GardenerManual{}).Limit(world.New(), &run); got != want {
			t.Errorf("%s of 300: %d, want %d", text, got, want)
		}
	}
}
