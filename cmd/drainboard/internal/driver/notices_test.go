package driver

import (
	"strings"
	"testing"

	"github.com/drainboard/drainboard/engine/record"
)

// What is told before there is a loop is not lost, and comes in order.
func TestNotices(t *testing.T) {
	var n notices
	var told []string
	n.add(record.Event{Message: "a"})
	n.to(func(e record.Event) bool { told = append(told, e.Message); return true })
	n.add(record.Event{Message: "b"})
	if strings.Join(told, "") != "ab" {
		t.Errorf("told %q", told)
	}
}
