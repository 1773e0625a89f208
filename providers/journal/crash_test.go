package journal

import (
	"context"
	"strings"
	"testing"
	"time"
)

// A fault of ours while lines are written ends the journal and not the process: that
// is told, and a process that waits for the disk hears at once that it is in vain.
func TestWriterCrashes(t *testing.T) {
	told := make(chan error, 4)
	w := newWriter(func() (file, error) { panic("a fault") }, "r-1", time.Now, func(err error) { told <- err })
	w.start()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if _, err := w.Commit(ctx, Line{At: time.Now(), Kind: KindClosed, Closed: &Closed{}}); err == nil || ctx.Err() != nil {
		t.Errorf("it says that a line is on the disk, or nothing: %v", err)
	}
	select {
	case err := <-told:
		if err == nil || !strings.Contains(err.Error(), "a fault") {
			t.Errorf("told %v", err)
		}
	case <-ctx.Done():
		t.Error("nobody was told")
	}
	w.Close()
}
