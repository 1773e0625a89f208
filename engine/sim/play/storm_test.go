package play

import (
	"flag"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim/script"
)

var stormsFlag = flag.Uint64("storms", 100, "how many seeds of a roll that is aborted in a storm to play")

// storm plays a random roll for a while, and aborts it while every second request
// fails. It returns what was left behind, and the first broken rule, "" if none was.
func storm(c *script.Script, seed uint64) (left []string, broken string) {
	strategy := strategyOf(seed)
	if seed%4 == 0 {
		strategy = "kops"
	}
	p := newPlayer(c, seed, 0x5708, strategy)
	p.setUp(strategy)
	p.say("start")
	if p.Driver == nil || p.broken != "" {
		return nil, p.broken
	}
	p.Driver.Audit, p.Hurried = 1000, true
	for range 1 + p.r.IntN(12) {
		if p.on() {
			p.say("run for=%dms", 200+p.r.IntN(15000))
		}
		if p.on() && p.one(3) {
			p.meddle()
		}
	}
	p.say("fault chance p=0.5")
	if p.one(3) { // what is tried again and again does not help against it
		p.say("fault refuse kind=%s as=forbidden count=1000", p.pick("untaint", "uncordon", "unlabel", "resume", "set-sizes", "set-template", "terminate", "detach", "deregister"))
	}
	for try := 0; p.on() && try < 3; try++ { // a crash may swallow what the operator says
		p.say("operator abort")
		p.say("run for=%s", 30*time.Minute)
	}
	if p.broken == "" && p.Driver.Run.State != record.Finished {
		p.broken = "the run does not end: " + p.RunLine()
	}
	return p.Driver.Run.Unrestored, p.broken
}

// TestAbortInAStorm: a run that is aborted while half of the API fails ends in time,
// and everything is as it was before or named with the command that puts it back: rule
// 5, which the checker holds every end to.
func TestAbortInAStorm(t *testing.T) {
	from, seeds, start := *fromFlag, *stormsFlag, time.Now()
	t.Logf("plays %s", span(from, seeds))
	var next, failed, aborted, leaving atomic.Uint64
	t.Run("seeds", func(t *testing.T) {
		for shard := range runtime.GOMAXPROCS(0) {
			t.Run(fmt.Sprint(shard), func(t *testing.T) {
				t.Parallel()
				for n := next.Add(1) - 1; n < seeds && failed.Load() < 5; n = next.Add(1) - 1 {
					c, seed := script.New(), from+n
					left, broken := storm(c, seed)
					if broken != "" {
						failed.Add(1)
						t.Errorf("seed %d: %s\nplay it again: go test ./engine/sim/play -run TestAbortInAStorm -from=%d -storms=1", seed, broken, seed)
					}
					if c.Driver == nil || c.Driver.Run.Result != record.Aborted {
						continue
					}
					aborted.Add(1)
					if len(left) > 0 {
						leaving.Add(1)
					}
					for _, line := range left {
						if strings.HasSuffix(line, ": ") {
							t.Errorf("seed %d: no command: %s", seed, line)
						}
					}
				}
			})
		}
	})
	t.Logf("%s in %s: %d aborted, %d of these left something behind", span(from, seeds), time.Since(start).Round(time.Second), aborted.Load(), leaving.Load())
	if failed.Load() == 0 && seeds >= 60 && (aborted.Load() < seeds/3 || leaving.Load() == 0) {
		t.Error("hardly anything was aborted, or everything could be restored")
	}
}
