package shoot

import (
	"os"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/drainboard/drainboard/engine/world"
)

// factsBase is the Shoot that each row of testdata/facts.txt changes a field of.
const factsBase = `apiVersion: core.gardener.cloud/v1beta1
kind: Shoot
metadata: {namespace: garden-shop, name: prod}
spec:
  region: eu-west-1
  networking: {type: calico}
  provider:
    workers:
    - name: web
      minimum: 1
      maximum: 6
      zones: [a]
      machine: {type: m5.large, image: {name: gardenlinux, version: 1630.0.0}}
      volume: {type: gp3, size: 50Gi}
      cri: {name: containerd}
`

// TestFacts holds the plan against what Gardener's source says of a change, row by row.
func TestFacts(t *testing.T) {
	data, err := os.ReadFile("testdata/facts.txt")
	if err != nil {
		t.Fatal(err)
	}
	words := map[Effect]string{Rolling: "rolling", InPlace: "in place", Nothing: "nothing", Forbidden: "refused", Unknown: "unknown"}
	rows, seen := 0, map[string]bool{}
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		c := strings.Split(strings.TrimSpace(line), " | ")
		if len(c) != 9 || seen[strings.Join(c[:7], "|")] || !strings.Contains(c[8], ".go:") {
			t.Fatalf("%q is no row with a source, or comes twice", line)
		}
		rows++
		seen[strings.Join(c[:7], "|")] = true
		old, errOld := factOf(t, c, c[1])
		new, errNew := factOf(t, c, c[2])
		if errOld != nil || errNew != nil {
			t.Errorf("%q: %v, %v", line, errOld, errNew)
			continue
		}
		p := Change{Old: old, New: new, Now: start}.Plan()
		got := words[p.Pools[0].Effect]
		if p.Refused {
			got = words[Forbidden]
		}
		if got != c[7] {
			t.Errorf("%s\n\tgot %s: %+v %+v", strings.TrimSpace(line), got, p.Refusals, p.Pools[0].Causes)
		}
		// What rolls a pool for Gardener itself is what goes into its hash of the nodes.
		v, _ := new.pool("web")
		if c[4] == world.AutoRollingUpdate && !strings.HasPrefix(c[8], "provider-") && !p.Refused {
			if changes := old.NodeSecret("web") != new.NodeSecret("web"); changes != (got == words[Rolling]) || v.Name != "web" {
				t.Errorf("%s\n\tthe hash of the nodes changes: %t", strings.TrimSpace(line), changes)
			}
		}
	}
	if rows < 140 {
		t.Errorf("%d rows", rows)
	}
}

// factOf is the Shoot of a row, with the field as it was, or as it is.
func factOf(t *testing.T, c []string, value string) (*Shoot, error) {
	t.Helper()
	var object map[string]any
	if err := yaml.Unmarshal([]byte(factsBase), &object); err != nil {
		return nil, err
	}
	edits := "spec.kubernetes.version: \"" + c[3] + "\"\nspec.provider.workers[web].updateStrategy: " + c[4] + "\nspec.provider.type: " + c[5] + "\nstatus.gardener.version: v1.150.0\n"
	if c[6] != "-" {
		edits += c[6] + "\n"
	}
	quoted := value
	if !strings.ContainsAny(value, "{[") && strings.Count(value, ".") > 0 || strings.HasPrefix(value, "20") && strings.Contains(value, "T") {
		quoted = "\"" + value + "\""
	}
	if err := edit(object, edits+c[0]+": "+quoted+"\n"); err != nil {
		return nil, err
	}
	noUnknown(t, c[0], object)
	return read(object)
}
