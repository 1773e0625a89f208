// Package recordtest makes runs whose records are as large as they come, for tests of where
// records are kept.
package recordtest

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim/script"
	"github.com/drainboard/drainboard/engine/world"
)

// copies of the run of one group of 50 nodes make the largest run.
const copies = 100

// Largest is a run of 5,000 nodes at the moment that its record is largest: 100 nodes drain, with
// 250 pods each; some of them wait for their budgets, and others were deleted by force a moment
// ago. It is a simulated run of a group of 50 nodes, a hundred times over.
func Largest(t *testing.T) record.Run {
	t.Helper()
	s := script.New()
	if out, err := s.Do(`
		cluster zones=a,b,c nodes=50 slots=255
		workload web replicas=6000
		workload api replicas=4000
		workload db replicas=2400
		budget web max=1
		budget api max=1
		budget db max=0
		settings max-unavailable=1 post-drain-wait=10s drain-timeout=40s on-drain-timeout=force
		start`); err != nil {
		t.Fatal(err, out)
	}
	s.Driver.Audit = 100000
	var moments []record.Run
	for _, until := range []string{"run until=blocked\nrun for=20s", "run until=forced\nrun for=1s"} {
		if out, err := s.Do(until); err != nil {
			t.Fatal(err, out)
		}
		moments = append(moments, s.Driver.Run)
	}
	run := many(t, moments)
	if drain := draining(run); run.Nodes.Len() < 50*copies || drain != copies || run.Pods.Len() < 100*copies || len(run.Orders) < copies/2 {
		t.Fatalf("this is no large run: %d nodes, %d drain, %d pods, %d force orders", run.Nodes.Len(), drain, run.Pods.Len(), len(run.Orders))
	}
	return run
}

// many is a run many times as large as one that was simulated: copies of its moments in turn, each
// with names, ids and times of its own, as long and as random as real ones.
func many(t *testing.T, moments []record.Run) record.Run {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	hex := func(n int) string { return fmt.Sprintf("%016x%016x", r.Uint64(), r.Uint64())[:n] }
	uid := func() string { return hex(8) + "-" + hex(4) + "-" + hex(4) + "-" + hex(4) + "-" + hex(12) }
	moment := regexp.MustCompile(`"20\d\d-\d\d-\d\dT[0-9:.]+Z"`)
	var all record.Run
	for k := range copies {
		one := moments[k%len(moments)]
		text, err := json.Marshal(one)
		if err != nil {
			t.Fatal(err)
		}
		names := map[string]string{}
		for id, n := range one.Nodes.All() {
			names[`"`+id] = `"i-0` + hex(16)
			names["/"+id] = "/" + names[`"`+id][1:]
			names[`"`+n.Name+`"`] = fmt.Sprintf(`"ip-10-%d-%d-%d.eu-central-1.compute.internal"`, r.IntN(4), r.IntN(256), r.IntN(256))
		}
		for _, m := range regexp.MustCompile(`"(?:uid-)[a-z0-9-]+`).FindAllString(string(text), -1) {
			names[m] = `"` + uid()
			names["/"+m[1:]] = "/" + names[m][1:]
		}
		for _, m := range regexp.MustCompile(`app/[a-z]+-\d+`).FindAllString(string(text), -1) {
			app, _, _ := strings.Cut(m, "-")
			names[m] = strings.Replace(app, "app/", "team-checkout/checkout-", 1) + "-service-" + hex(10) + "-" + hex(5)
		}
		var pairs []string
		for _, old := range slices.SortedFunc(maps.Keys(names), func(a, b string) int { return len(b) - len(a) }) {
			pairs = append(pairs, old, names[old])
		}
		copied := strings.NewReplacer(pairs...).Replace(string(text))
		copied = moment.ReplaceAllStringFunc(copied, func(s string) string {
			at, err := time.Parse(`"`+time.RFC3339Nano+`"`, s)
			if err != nil {
				t.Fatal(err)
			}
			return at.Add(time.Duration(r.Int64N(int64(8 * time.Hour)))).Truncate(time.Millisecond).Format(`"` + time.RFC3339Nano + `"`)
		})
		var c record.Run
		if err := json.Unmarshal([]byte(copied), &c); err != nil {
			t.Fatal(err)
		}
		if k == 0 {
			all = c
			continue
		}
		for id, n := range c.Nodes.All() {
			all.Nodes = all.Nodes.With(id, n)
		}
		for uid, p := range c.Pods.All() {
			all.Pods = all.Pods.With(uid, p)
		}
		maps.Copy(all.Marks, c.Marks)
		maps.Copy(all.Pending, c.Pending)
		maps.Copy(all.Retries, c.Retries)
		maps.Copy(all.Evicted, c.Evicted)
		all.Order = append(all.Order, c.Order...)
		all.Batches = append(all.Batches, c.Batches...)
		all.Orders = append(all.Orders, c.Orders...)
	}
	return beset(all)
}

// beset is a run half of whose nodes that are left others take out of service, and that was left behind
// with all that was under way unknown.
func beset(run record.Run) record.Run {
	waited := record.ExternalMover{Kind: record.ExternalDrain, Who: "Cluster Autoscaler", Does: "drains", Mark: "taint ToBeDeletedByClusterAutoscaler=1793610000:NoSchedule", Handling: record.HandlingWaited, Acts: true}
	run.Deferrals = map[string]record.Deferral{}
	for i, id := range slices.Sorted(run.Nodes.Keys()) {
		if n := run.Nodes.Get(id); i%2 == 0 && n.Stage != record.Replaced {
			waited.Nodes = append(waited.Nodes, n.Name)
			at := n.Since.Add(time.Minute)
			run.Deferrals[id+"/"+waited.Who] = record.Deferral{Wait: &record.Wait{For: "others", Start: at, End: at.Add(time.Hour), Needs: []world.Source{world.Cluster, world.Cloud}}}
		}
	}
	run.ExternalMovers = append(slices.Clone(run.ExternalMovers), waited)
	run.Takeover = &record.Takeover{Open: slices.Sorted(maps.Keys(run.Pending))}
	return run
}

func draining(run record.Run) (n int) {
	for _, node := range run.Nodes.All() {
		if node.Stage == record.Draining {
			n++
		}
	}
	return n
}
