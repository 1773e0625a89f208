package watch

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/console"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
)

type wallClock struct{}

func (wallClock) Now() time.Time      { return time.Now() }
func (wallClock) Skew() time.Duration { return 0 }

// A watch for scripts ends with the update, by the exit codes of a run. A status that is not known, and updates that
// cannot be read, end none.
func TestAutoExitCodes(t *testing.T) {
	for name, tt := range map[string]struct {
		status, code string
		unread       string
		want         int
		says         string
	}{
		"successful":        {status: world.UpdateSucceeded},
		"cancelled":         {status: world.UpdateCancelled, want: exitcode.Failed, says: "cancelled"},
		"another error":     {status: world.UpdateFailed, code: "AccessDenied", want: exitcode.Failed, says: "AccessDenied"},
		"evictions":         {status: world.UpdateFailed, code: "PodEvictionFailure", want: 4, says: "PodEvictionFailure"},
		"creations":         {status: world.UpdateFailed, code: "NodeCreationFailure", want: 5, says: "NodeCreationFailure"},
		"a new status":      {status: "Hibernating", want: exitcode.Paused, says: "the watch was ended before the update was"},
		"under way":         {status: world.UpdateRuns, want: exitcode.Paused, says: "the watch was ended before the update was"},
		"not read any more": {status: world.UpdateRuns, unread: "its updates cannot be read: ThrottlingException", want: exitcode.Paused, says: "the watch was ended before the update was"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			now := time.Now()
			m := &world.ManagedGroup{Cluster: "prod", Name: "web", MaxUnavailable: "1", UpdatesKnown: true, UpdatesUnread: tt.unread,
				Update: &world.ManagedUpdate{ID: "u-1", Kind: world.VersionUpdate, Status: tt.status, Since: now.Add(-time.Minute)}}
			if tt.code != "" {
				m.Update.Errors = []world.ManagedIssue{{Code: tt.code, Message: "so"}}
			}
			w := world.New()
			w.SetGroup(world.Group{Name: "web", Provider: "eks", Template: world.Template{ID: "lt", Version: 2}, Managed: m})
			for _, source := range []world.Source{world.Cluster, world.Nodes, world.Cloud} {
				w.SetHealth(source, world.Health{Fresh: now})
			}
			var out bytes.Buffer
			a := &Watch{Console: console.Console{Out: &out, Err: &out}, Group: "web"}
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			defer cancel()
			err := a.toTheEnd(ctx, &live.Watch{World: w, Queue: &live.FeedQueue{}, Clock: wallClock{}, Rules: strategy.Named, Idle: strategy.EKS{}, Follow: strategy.EKSManaged{},
				NewID: func(time.Time) string { return "web-1" }})
			code, said := 0, ""
			var is *exitcode.Error
			if errors.As(err, &is) {
				code, said = is.Code, err.Error()
			} else if err != nil {
				t.Fatal(err)
			}
			if code != tt.want || !strings.Contains(said, tt.says) {
				t.Errorf("%d: %q\n%s", code, said, out.String())
			}
		})
	}
}
