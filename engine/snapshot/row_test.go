package snapshot

import (
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/record"
)

// A wait for hooks shows when the one that it interrupts ends. Where that moves, because its time stands
// still, the row is another one.
func TestRowWithAnInterruptedWait(t *testing.T) {
	begin := time.Date(2026, 11, 26, 3, 0, 0, 0, time.UTC)
	row := func(joins time.Duration) *NodeRow {
		return &NodeRow{ID: "i-0a1b2c3d4e5f60718", Stage: record.Launching, Wait: &record.Wait{
			For: "before-node", Start: begin, End: begin.Add(20 * time.Second),
			Interrupts: &record.Wait{For: "joining", Start: begin, End: begin.Add(joins)},
		}}
	}
	if !sameRow(row(time.Minute), row(time.Minute)) {
		t.Error("equal rows are not the same")
	}
	if sameRow(row(time.Minute), row(2*time.Minute)) {
		t.Error("a row is the same although what is interrupted ends later")
	}
	plain := row(time.Minute)
	plain.Wait.Interrupts = nil
	if sameRow(row(time.Minute), plain) || sameRow(plain, row(time.Minute)) {
		t.Error("a row is the same although its wait interrupts nothing")
	}
}
