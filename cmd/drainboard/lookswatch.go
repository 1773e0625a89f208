package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"time"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/themes"
	"github.com/drainboard/drainboard/ui"
)

// lookEvery is how often the operator's files are looked at while a dashboard is
// open. They are few and small: looking costs less than a thousandth of a core,
// and unlike a watch it sees through links, renames, directories that come later
// and file systems of other machines.
const lookEvery = 250 * time.Millisecond

// screen is how a dashboard looks in a kubeconfig context, and goes on following
// the operator's files until ctx ends.
func (a *app) screen(ctx context.Context, kubeContext string) ui.Options {
	l := a.looks(kubeContext)
	look, c, seen := l.read(themes.Theme{})
	told := make(chan ui.Appearance, 1)
	told <- look
	go live.Guarded(func() { l.follow(ctx, lookEvery, look.Theme, seen, told) }, func(err error) {
		fmt.Fprintln(plain{os.Stderr}, "changes of the configuration are not followed any more:", err)
	})()
	return ui.Options{Theme: look.Theme, Mark: look.Mark, Silent: look.Silent, Mouse: c.mouse, Appearances: told}
}

// follow tells of every change of the files that have a say, until ctx ends. A
// change counts when the next look finds it again: what is being written is left
// alone until it is whole.
func (l looks) follow(ctx context.Context, every time.Duration, worn themes.Theme, seen map[string]string, told chan<- ui.Appearance) {
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
			look, _, seen = l.read(worn)
			worn, found = look.Theme, nil
			select {
			case told <- look:
			case <-ctx.Done():
				return
			}
		}
	}
}
