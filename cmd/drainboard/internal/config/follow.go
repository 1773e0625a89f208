package config

import (
	"context"
	"maps"
	"time"

	"github.com/drainboard/drainboard/themes"
	"github.com/drainboard/drainboard/ui"
)

// ReadEvery is how often the operator's files are read while a dashboard is open.
// They are few and small: polling costs less than a thousandth of a core, and
// unlike a watch it follows links, renames, directories created later and network
// file systems.
const ReadEvery = 250 * time.Millisecond

// Follow reports every change of the files that decide the appearance, until ctx ends.
// A change counts when two reads in a row agree, so that a half-written file is not
// used.
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
			var appearance ui.Appearance
			appearance, _, seen = l.Read(worn)
			worn, found = appearance.Theme, nil
			select {
			case told <- appearance:
			case <-ctx.Done():
				return
			}
		}
	}
}
