package record

import (
	"testing"
	"time"
)

func TestForeseenHeadline(t *testing.T) {
	now := time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)
	well := func(end, earliest, latest time.Duration) Foreseen {
		f := Foreseen{Outlook: EndsWell, End: now.Add(end)}
		if latest > 0 {
			f.Earliest, f.Latest = now.Add(earliest), now.Add(latest)
		}
		return f
	}
	stuck := Foreseen{Cause: "PDB shop/checkout never opens", Stay: 5, Nodes: 12, End: now.Add(20 * time.Minute), FailsAt: now.Add(263 * time.Second)}
	as := func(o Outlook, r Result) Foreseen {
		stuck.Outlook, stuck.Result = o, r
		return stuck
	}
	for _, c := range []struct {
		of   Foreseen
		want string
	}{
		{well(14*time.Minute, 11*time.Minute, 19*time.Minute), "about 14 min left (11-19)"},
		{well(14*time.Minute, 0, 0), "about 14 min left"},
		{well(14*time.Minute, 14*time.Minute, 14*time.Minute+20*time.Second), "about 14 min left"},
		{well(40*time.Second, 30*time.Second, 50*time.Second), "under a minute left"},
		{well(40*time.Second, 30*time.Second, 4*time.Minute), "about 1 min left (1-4)"},
		{well(130*time.Minute, 100*time.Minute, 3*time.Hour), "about 2 h 10 min left (1 h 40 min to 3 h 0 min)"},
		{well(-time.Second, 0, 0), ""},
		{as(WillFail, EvictionFail), "will fail in 4:23: PDB shop/checkout never opens, 5 of 12 nodes stay old"},
		{as(WillFail, NodesLeft), "will end in 4:23 with old nodes: PDB shop/checkout never opens, 5 of 12 nodes stay old"},
		{as(WillNotEnd, NotStartedYet), "will not end by itself: PDB shop/checkout never opens, 5 of 12 nodes stay old"},
		{Foreseen{Outlook: WillFail, FailsAt: now.Add(-time.Second)}, "will fail now"},
		{Foreseen{Outlook: NotEvaluated, Unevaluated: "no reason"}, ""},
	} {
		if got := c.of.Headline(now); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// The same trouble with another count of seconds is no other forecast.
func TestForeseenSameAs(t *testing.T) {
	a := Foreseen{Outlook: WillFail, Result: EvictionFail, Pod: "shop/db-0", Cause: "pod shop/db-0: past its grace period for 35s"}
	b := a
	b.Cause = "pod shop/db-0: past its grace period for 50s"
	if !a.SameAs(&b) {
		t.Error("told again")
	}
	if b.Pod = "shop/db-1"; a.SameAs(&b) {
		t.Error("another pod, and not told")
	}
}
