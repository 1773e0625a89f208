package ui

import (
	"fmt"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/themes"
)

// large is a run of n nodes in 3 zones.
func large(n int) *engine.Snapshot {
	s := busy()
	for z := range s.Zones {
		for i := len(s.Zones[z].Rows); i < n/3; i++ {
			s.Zones[z].Rows = append(s.Zones[z].Rows, &engine.NodeRow{ID: fmt.Sprintf("i-%d-%d", z, i), Name: host(z+1, 300+i), Zone: s.Zones[z].Name,
				Stage: engine.Draining, Version: s.From, Ready: true, Pods: 30, PodsLeft: i % 30, Wait: wait("drain deadline", time.Duration(i)*time.Second, 15*time.Minute)})
		}
	}
	return s
}

// BenchmarkView renders a frame of 200x50 with 1,000 rows.
func BenchmarkView(b *testing.B) {
	m := board(large(1000), 200, 50, themes.Dark)
	b.ReportAllocs()
	for b.Loop() {
		m.dirty = true
		m.View()
	}
}

// BenchmarkSnapshot takes a snapshot of 5,000 rows and renders it.
func BenchmarkSnapshot(b *testing.B) {
	m, s := board(large(5000), 200, 50, themes.Dark), large(5000)
	b.ReportAllocs()
	for b.Loop() {
		m.Update(snapshotMsg{s})
		m.View()
	}
}
