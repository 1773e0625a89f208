package feed

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/api/errors"

	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/kube/transport"
)

const (
	// beat is the time between two heartbeats, beatTimeout how long one may take.
	beat        = 2 * time.Second
	beatTimeout = 4 * time.Second
	// patience is how long a watch may be closed before that is a problem: the
	// server ends each every few minutes, and it is opened again at once.
	patience = 2 * time.Second
)

// watchHealth posts the health of what the feed reads as a source: fresh as of every
// heartbeat that was answered while everything was listed and watched, otherwise
// what is wrong and when the next attempt is due. It ends with ctx, or with the
// right whose lack no waiting mends.
func (f *Feed) watchHealth(ctx context.Context) error {
	ticks := time.NewTicker(beat)
	defer ticks.Stop()
	var (
		behind time.Time // since when something has not been up to date
		silent int       // heartbeats in a row that nobody answered
		begun  bool      // the first lists are in
		ahead  bool      // those but the pods'
		fresh  time.Time // as of when all is known
	)
	tell := func(h world.Health) { f.out.put(func(w *world.World) { f.told(w, h) }) }
	for {
		// What was just listed is fresh before anything is watched.
		if since, ok := f.listed(""); ok && !begun {
			begun, ahead, fresh = true, true, since
			tell(world.Health{Fresh: fresh})
		} else if since, ok := f.listed("pods"); ok && !ahead && f.early.pays() {
			ahead = true
			f.out.put(func(w *world.World) { w.SetHealth(world.Nodes, world.Health{Fresh: since}) })
		}
		asked := f.c.Clock().Now()
		err := f.c.Heartbeat(ctx, beatTimeout)
		if ctx.Err() != nil {
			return nil
		}
		if err := f.neverAllowed(); err != nil {
			return err
		}
		problem := ""
		switch kindsErr, ok := f.current(); {
		case err != nil:
			problem = f.c.Words(err)
		case ok:
			behind = time.Time{}
		case behind.IsZero():
			behind = asked
		case asked.Sub(behind) > patience && kindsErr != nil:
			problem = f.c.Words(kindsErr)
		case asked.Sub(behind) > patience && ahead == begun:
			problem = "reading " + f.what
		}
		switch {
		case problem != "":
			tell(world.Health{Fresh: fresh, Problem: problem, Retry: f.c.Clock().Now().Add(beat)})
		case behind.IsZero():
			fresh = asked
			tell(world.Health{Fresh: fresh})
		}

		// Connections that died in silence (a laptop that slept, another network)
		// would hold up the watches for most of a minute.
		if transport.IsTimeout(err) {
			silent++
		} else {
			silent = 0
		}
		if silent >= 2 {
			f.c.CloseConnections()
			silent = 0
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticks.C:
		case <-f.kick:
		}
	}
}

// listed reports whether all kinds but one ("" for all) were listed in full, and as of
// when.
func (f *Feed) listed(but string) (oldest time.Time, all bool) {
	all = true
	for _, s := range f.sources {
		if s.Resource == but {
			continue
		}
		at, ok := s.AsOf()
		if all = all && ok; oldest.IsZero() || at.Before(oldest) {
			oldest = at
		}
	}
	return oldest, all
}

// current reports whether all kinds are up to date; if not, with an error of
// those that are not, an expired login before others.
func (f *Feed) current() (error, bool) {
	var first error
	all := true
	for _, s := range f.sources {
		ok, err := s.Current()
		all = all && ok
		if !ok && err != nil && (first == nil || errors.IsUnauthorized(err)) {
			first = err
		}
	}
	return first, all
}
