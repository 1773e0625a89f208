package present

import (
	"strings"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// PaceChange is what a run that is about to be driven changes of the pace of its pool, as a
// sentence without an end; "" for nothing.
func PaceChange(run record.Run, p *world.Pool) string {
	if run.Settings.Pace == nil || p == nil || p.Shoot == "" {
		return ""
	}
	now := p.Pace()
	was := now
	if run.Pace != nil {
		was = run.Pace.Was
	}
	set := run.Settings.Pace.Over(was)
	if set == now {
		return ""
	}
	s := text.SetPace(now.String(), set.String(), p.Name, p.Shoot)
	return strings.ToUpper(s[:1]) + s[1:]
}
