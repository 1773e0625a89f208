package record

import (
	"os"
	"regexp"
	"slices"
	"testing"
	"time"
)

// How long a pod took to stop counts from when that was accepted, not from attempts that were refused.
func TestPodWent(t *testing.T) {
	at := func(s int) time.Time { return time.Date(2026, 11, 2, 9, 0, s, 0, time.UTC) }
	for _, c := range []struct {
		pod  Pod
		want time.Time
	}{
		{Pod{First: at(1), Last: at(20), Evicted: at(21)}, at(21)},
		{Pod{First: at(1), Last: at(30), Forced: true}, at(30)},
		{Pod{First: at(1)}, at(1)},
	} {
		if got := c.pod.Went(); !got.Equal(c.want) {
			t.Errorf("%+v: %s", c.pod, got)
		}
	}
}

// Stages has every stage that there is, once.
func TestStagesAreAll(t *testing.T) {
	source, err := os.ReadFile("run.go")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile(` Stage = "([a-z-]+)"`).FindAllStringSubmatch(string(source), -1)
	if len(named) != len(Stages) || len(named) < 10 {
		t.Errorf("run.go has %d stages, the list %d", len(named), len(Stages))
	}
	for _, stage := range named {
		if !slices.Contains(Stages, Stage(stage[1])) {
			t.Errorf("the list lacks %q", stage[1])
		}
	}
}
