package ui

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/drainboard/drainboard/engine/snapshot"
)

// Snapshots that come one after the other are drawn together, the newest of them; one that
// comes alone is drawn at once, and the last one before the end is drawn as well.
func TestSnapshotsAreGathered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type drawn struct {
			at  time.Duration
			msg tea.Msg
		}
		var got []drawn
		began := time.Now()
		snapshots, done := make(chan *snapshot.Snapshot), make(chan struct{})
		defer close(done)
		go feed(func(msg tea.Msg) { got = append(got, drawn{time.Since(began), msg}) }, snapshots, done)

		const stride = 27 * time.Millisecond // never just when the next one is drawn
		all := make([]*snapshot.Snapshot, 40)
		for i := range all {
			all[i] = &snapshot.Snapshot{}
			snapshots <- all[i]
			synctest.Wait()
			time.Sleep(stride)
		}
		time.Sleep(20*together - time.Since(began))
		alone, last := &snapshot.Snapshot{}, &snapshot.Snapshot{}
		snapshots <- alone
		snapshots <- last
		close(snapshots)
		synctest.Wait()

		want := []drawn{
			{0, snapshotMsg{all[0]}},
			{together, snapshotMsg{all[9]}},
			{2 * together, snapshotMsg{all[18]}},
			{3 * together, snapshotMsg{all[27]}},
			{4 * together, snapshotMsg{all[37]}},
			{5 * together, snapshotMsg{all[39]}},
			{20 * together, snapshotMsg{alone}},
			{20 * together, snapshotMsg{last}},
			{20 * together, endedMsg{}},
		}
		if !slices.Equal(got, want) {
			t.Errorf("drawn: %v\nwant: %v", got, want)
		}
	})
}
