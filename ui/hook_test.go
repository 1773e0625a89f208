package ui

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/themes"
	"github.com/drainboard/drainboard/ui/uitest"
)

// A node whose hooks are asked is queued, with what is waited for and for how long; what
// they said is in the log, in words and by a sign.
func TestHooksOnTheScreen(t *testing.T) {
	s := uitest.Busy()
	row := *s.Zones[0].Rows[1]
	row.Stage, row.Wait, row.Blocked = record.Queued, &record.Wait{For: string(record.BeforeNode), Start: uitest.Moment.Add(-32 * time.Second), End: uitest.Moment.Add(88 * time.Second)}, false
	s.Zones[0].Rows[1] = &row
	s.Events = append(s.Events,
		record.Event{Time: uitest.Moment, Type: record.HookPassed, Node: row.Name, Reason: string(record.BeforeNode), Message: "the hooks before it are done"},
		record.Event{Time: uitest.Moment, Type: record.HookFailed, Node: row.Name, Reason: string(record.BeforeNode), Message: "hook may-drain: exit code 3: the backup still runs"})
	for _, size := range uitest.Sizes {
		frame := board(s, size[0], size[1], themes.None).View().Content
		uitest.CheckFrame(t, frame, size[0], size[1])
		if words := regexp.MustCompile(`hooks asked .*1:28`); !words.MatchString(ansi.Strip(frame)) {
			t.Errorf("at %v the row does not count down:\n%s", size, ansi.Strip(frame))
		}
	}
	frame := ansi.Strip(board(s, 200, 50, themes.None).View().Content)
	for _, want := range []string{"hook passed: the hooks before it are done", "hook failed: hook may-drain: exit code 3: the backup still runs"} {
		if !strings.Contains(frame, want) {
			t.Errorf("the log lacks %q:\n%s", want, frame)
		}
	}
}
