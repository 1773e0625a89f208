package config

import (
	"context"
	"maps"
	"time"

	"github.com/drainboard/drainboard/themes"
	"github.com/drainboard/drainboard/ui"
)

// ReadEvery is how often the operator's files are looked at while a dashboard is
// open. They are few and small: looking costs less than a thousandth of a core,
// and unlike a watch it sees through links, renames, directories that come later
// and file systems of other machines.
const ReadEvery = 250 * time.Millisecond

// Follow tells of every change of the files that have a say, until ctx ends. A
// change counts when the next look finds it again: what is being written is left
// alone until it is whole.
func (l ThemeSources) Follow(ctx context.Context, every time.Duration, worn themes.Theme, seen map[string]string, told chan<- ui.Appearance) {
	ticks := time.NewTicker(every)
	defer ticks.Stop()
	var found map[string]string
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		now := make(map[string]string, len(seen))
		for file := range seen {
			_, _ = readSeen(file, now)
		}
		switch {
		case maps.Equal(now, seen):
			found = nil
		case !maps.Equal(now, found):
			found = now
		default:
			var look ui.Appearance
			look, _, seen = l.Read(worn)
			worn, found = look.Theme, nil
			select {
			case told <- look:
			case <-ctx.Done():
				return
			}
		}
	}
}
