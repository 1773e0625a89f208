package ui

import (
	"fmt"
	"slices"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/themes"
	"github.com/drainboard/drainboard/ui/uitest"
)

// large is a run of n nodes in 3 zones.
func large(n int) *snapshot.Snapshot {
	s := uitest.Busy()
	for z := range s.Zones {
		for i := len(s.Zones[z].Rows); i < n/3; i++ {
			s.Zones[z].Rows = append(s.Zones[z].Rows, &snapshot.NodeRow{ID: fmt.Sprintf("i-%d-%d", z, i), Name: uitest.Host(z+1, 300+i), Zone: s.Zones[z].Name,
				Stage: record.Draining, Version: s.From, Ready: true, Pods: 30, PodsLeft: i % 30, Wait: uitest.Wait("drain deadline", time.Duration(i)*time.Second, 15*time.Minute)})
		}
	}
	return s
}

// BenchmarkView renders a frame of 200x50 with 1,000 rows.
func BenchmarkView(b *testing.B) {
	m := board(large(1000), 200, 50, themes.Dark)
	b.ReportAllocs()
	for b.Loop() {
		m.redraw()
	}
}

// BenchmarkSnapshot takes a snapshot of a busy roll, in which a node in ten has
// changed since the last one and 30 events have come, and renders it: the mean, and
// the 99th percentile.
func BenchmarkSnapshot(b *testing.B) {
	for _, nodes := range []int{60, 5000} {
		b.Run(fmt.Sprint(nodes), func(b *testing.B) {
			m, s := board(large(nodes), 200, 50, themes.Dark), large(nodes)
			var took []time.Duration
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				b.StopTimer()
				s = later(s, i)
				b.StartTimer()
				from := time.Now()
				m.Update(snapshotMsg{uitest.Judge(s)})
				m.View()
				took = append(took, time.Since(from))
			}
			slices.Sort(took)
			b.ReportMetric(took[(len(took)*99+99)/100-1].Seconds()*1000, "p99-ms")
		})
	}
}

// BenchmarkKey moves the cursor in a roll of 5,000 nodes, of whose pods 3,000 are
// terminating, until the frame is rendered.
func BenchmarkKey(b *testing.B) {
	s := uitest.Judge(large(5000))
	s.Blockers = nil
	for i := range 3000 {
		r := s.Zones[i%len(s.Zones)].Rows[i/100]
		s.Evictions = append(s.Evictions, &snapshot.Eviction{Pod: fmt.Sprintf("shop/web-7d9f8c6b5-%04d", i), UID: fmt.Sprint(i), Node: r.Name, Machine: r.ID, Owner: "web", Grace: uitest.Wait("grace period", 21*time.Second, time.Minute)})
	}
	m := board(s, 200, 50, themes.Dark)
	down := tea.KeyPressMsg{Code: tea.KeyDown}
	b.ReportAllocs()
	for b.Loop() {
		m.Update(down)
		m.View()
	}
}

// later is a snapshot a tenth of a second after another one. What has not changed is
// shared with it, as engine.View does.
func later(was *snapshot.Snapshot, turn int) *snapshot.Snapshot {
	s := *was
	s.At = s.At.Add(100 * time.Millisecond)
	s.Zones = slices.Clone(s.Zones)
	for z := range s.Zones {
		s.Zones[z].Rows = slices.Clone(s.Zones[z].Rows)
		rows := s.Zones[z].Rows
		for i := turn % 10; i < len(rows); i += 10 {
			row := *rows[i]
			row.PodsLeft = (row.PodsLeft + 1) % 30
			rows[i] = &row
		}
	}
	row := s.Zones[0].Rows[turn%len(s.Zones[0].Rows)]
	for i := range 30 {
		s.Events = append(s.Events, record.Event{Time: s.At, Type: record.PodEvicted, Node: row.Name, Pod: fmt.Sprintf("shop/web-%d-%d", turn, i)})
	}
	if n := len(s.Events); n > 2000 {
		s.Events = slices.Clone(s.Events[n-1000:])
	}
	return &s
}
