package present

import (
	"bytes"
	"strings"
	"testing"

	"github.com/drainboard/drainboard/engine/record"
)

func TestEventsAreReadAsTheyAre(t *testing.T) {
	var out bytes.Buffer
	NewPrinter(&out, true, false).Events([]record.Event{{Message: "a <b> & c"}, {Message: "d"}})
	if got := out.String(); !strings.Contains(got, `"a <b> & c"`) || strings.Count(got, "\n") != 2 {
		t.Errorf("got %s", got)
	}
}

// Where there are several groups each line of text names its own.
func TestEventsNameTheirGroup(t *testing.T) {
	e := record.Event{Type: record.NodeDrained, Group: "web", Node: "n1"}
	if text := (&Printer{groups: true}).line(e); !strings.Contains(text, "node.drained") || !strings.Contains(text, "  web n1") {
		t.Errorf("of several groups: %s", text)
	}
	if text := (&Printer{}).line(e); strings.Contains(text, "web") {
		t.Errorf("of one group: %s", text)
	}
}
