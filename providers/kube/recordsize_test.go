package kube

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

	corev1 "k8s.io/api/core/v1"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim"
	"github.com/drainboard/drainboard/engine/world"
)

// many is a run many times as large as one that was simulated: each copy of it with
// names, ids and times of its own, as long and as random as real ones.
func many(t *testing.T, one record.Run, copies int) record.Run {
	t.Helper()
	text, err := json.Marshal(one)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	hex := func(n int) string { return fmt.Sprintf("%016x%016x", r.Uint64(), r.Uint64())[:n] }
	uid := func() string { return hex(8) + "-" + hex(4) + "-" + hex(4) + "-" + hex(4) + "-" + hex(12) }
	moment := regexp.MustCompile(`"20\d\d-\d\d-\d\dT[0-9:.]+Z"`)
	all := one
	for k := range copies {
		names := map[string]string{}
		for id, n := range one.Nodes {
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
		maps.Copy(all.Nodes, c.Nodes)
		maps.Copy(all.Pods, c.Pods)
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
	for i, id := range slices.Sorted(maps.Keys(run.Nodes)) {
		if n := run.Nodes[id]; i%2 == 0 && n.Stage != record.Replaced {
			waited.Nodes = append(waited.Nodes, n.Name)
			at := n.Since.Add(time.Minute)
			run.Deferrals[id+"/"+waited.Who] = record.Deferral{Wait: &record.Wait{For: "others", Start: at, End: at.Add(time.Hour), Needs: []world.Source{world.Cluster, world.Cloud}}}
		}
	}
	run.ExternalMovers = append(slices.Clone(run.ExternalMovers), waited)
	run.Takeover = &record.Takeover{Open: slices.Sorted(maps.Keys(run.Pending))}
	return run
}

// The record of a run of 5,000 nodes fits into a ConfigMap at its largest, and with
// room to spare: in the middle and near its end, 100 nodes in work at once, every
// drain forced after its pods were refused by their budgets.
func TestRecordOfLargestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("rolls a group of 50 nodes, a hundred times over")
	}
	s := sim.NewScript()
	if out, err := s.Do(`
		cluster zones=a,b,c nodes=50 slots=32
		workload web replicas=900
		workload api replicas=400
		workload db replicas=100
		budget web max=1
		budget api max=1
		budget db max=0
		settings max-unavailable=1 post-drain-wait=10s drain-timeout=40s on-drain-timeout=force approve=batch
		start
		run until=waiting
		operator approve`); err != nil {
		t.Fatal(err, out)
	}
	s.Driver.Audit = 100000
	const copies, room = 100, 800 << 10
	for replaced := 0; replaced <= 40; replaced, _ = s.Driver.Run.Outdated() {
		if replaced%40 == 0 {
			if out, err := s.Do("run until=forced\nrun for=2s"); err != nil {
				t.Fatal(err, out)
			}
			run := many(t, s.Driver.Run, copies)
			var m corev1.ConfigMap
			if err := encodeRun(&m, run); err != nil {
				t.Fatal(err)
			}
			size := len(m.BinaryData[recordKeyZip])
			t.Logf("%d of %d nodes replaced: %d KiB; %d nodes, %d pods, %d marks, %d batches, %d force orders", replaced*copies, 50*copies,
				size>>10, len(run.Nodes), len(run.Pods), len(run.Marks), len(run.Batches), len(run.Orders))
			if size > room {
				t.Errorf("that leaves too little room in 1 MiB")
			}
			if len(run.Nodes) < 50*copies || len(run.Pods) < 2000 || len(run.Orders) < copies*(1+replaced) {
				t.Errorf("this is no large run")
			}
		}
		if out, err := s.Do("run until=replaced"); err != nil {
			t.Fatal(err, out)
		}
		for s.Driver.Run.State == record.Running {
			if _, waiting := s.Driver.Run.Waiting(); waiting {
				break
			}
			if out, err := s.Do("run for=1s"); err != nil {
				t.Fatal(err, out)
			}
		}
		if out, err := s.Do("operator approve"); err != nil {
			t.Fatal(err, out)
		}
	}
}
