package accuracy

import (
	"context"
	"flag"
	"testing"

	"github.com/drainboard/drainboard/engine/record"
)

var (
	from     = flag.Uint64("from", 34, "seed of the first cluster")
	clusters = flag.Int("clusters", 15, "number of clusters, their seeds one after the other")
)

// Of random clusters the result is foreseen wherever its cause can be known.
func TestHiddenClusters(t *testing.T) {
	list := make([]Outcome, *clusters)
	t.Run("cluster", func(t *testing.T) {
		for i := range list {
			t.Run("", func(t *testing.T) {
				t.Parallel()
				c := Draw(*from + uint64(i))
				o, err := Play(context.Background(), c, false)
				if err != nil {
					t.Fatal(err)
				}
				if list[i] = o; o.Refused == "" && !o.Right() {
					t.Logf("seed %d, %s: foreseen %q after %s, came %q after %s\n%s%s", c.Seed, c.Kind, o.First.Result, o.First.Took, o.Came, o.Took, c.Script, c.Fault)
				}
			})
		}
	})
	if t.Failed() {
		return
	}
	rows := Table(list)
	for _, r := range rows {
		t.Logf("%+v", r)
	}
	if known := Known(rows); known.Clusters < *clusters/2 || known.Bad == 0 || known.Bad == known.Clusters || 100*known.Right < 95*known.Clusters {
		t.Errorf("of the results that can be known: %+v", known)
	}
}

// What no forecast can know at the start is foreseen once it shows.
func TestForeseenOnceItShows(t *testing.T) {
	for _, c := range []Cluster{
		{Seed: 1, Kind: NewCrash, Strategy: "eks", Script: "timing boot=40s ready=10s terminate=40s\ncluster zones=a,b nodes=5 slots=20\nworkload picky replicas=6 ready=5s crashes-on=v1.32\nbudget picky max=1\nsettings strategy=eks post-drain-wait=10s drain-timeout=10m\nwait for=12m\n"},
		{Seed: 2, Kind: NeverJoins, Strategy: "gardener", Script: "timing boot=40s ready=10s terminate=40s\ncluster zones=a,b nodes=5 slots=20\nworkload web replicas=6 ready=5s\nsettings strategy=gardener post-drain-wait=10s drain-timeout=10m max-surge=1\nwait for=12m\n", Fault: "fault never-join"},
	} {
		t.Run(string(c.Kind), func(t *testing.T) {
			t.Parallel()
			o, err := Play(context.Background(), c, true)
			if err != nil || o.Refused != "" {
				t.Fatal(err, o.Refused)
			}
			if !o.First.Smooth() || o.Came == record.Succeeded || o.Warned == 0 {
				t.Errorf("foreseen %q, came %q after %s, warned %s before", o.First.Result, o.Came, o.Took, o.Warned)
			}
		})
	}
}
