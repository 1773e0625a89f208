package shoot

import (
	"os"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/drainboard/drainboard/providers/gardener/names"
)

// imagesBase is the Shoot of the rows of testdata/images.txt.
const imagesBase = `apiVersion: core.gardener.cloud/v1beta1
kind: Shoot
metadata: {namespace: garden-shop, name: prod}
spec:
  region: eu-west-1
  cloudProfile: {name: cloud}
  kubernetes: {version: 1.33.1}
  networking: {type: calico}
  provider:
    type: aws
    workers:
    - {name: other, minimum: 1, maximum: 1, machine: {type: p, architecture: amd64, image: {name: a, version: 1.0.0}}}
`

// imageWords are what a row says of a version, as the profile has it.
var imageWords = map[string]string{
	"preview": "classification: preview", "deprecated": "classification: deprecated", "expired": `expirationDate: "2026-01-01T00:00:00Z"`,
	"preview-until-now": `lifecycle: [{classification: preview}, {classification: supported, startTime: "2026-11-01T00:00:00Z"}]`,
	"preview-still":     `lifecycle: [{classification: preview}, {classification: supported, startTime: "2026-12-01T00:00:00Z"}]`,
	"unavailable":       `lifecycle: [{classification: unavailable}, {classification: supported, startTime: "2026-12-01T00:00:00Z"}]`,
	"arm64":             "architectures: [arm64]", "arm64+amd64": "architectures: [arm64, amd64]",
	"in-place": "inPlaceUpdates: {supported: true, minVersionForUpdate: 1.0.0}", "in-place+deprecated": "classification: deprecated, inPlaceUpdates: {supported: true, minVersionForUpdate: 1.0.0}",
	"flavor-arm64": "capabilityFlavors: [{architecture: [arm64]}]", "flavor-amd64": "capabilityFlavors: [{architecture: [amd64]}]",
	"flavor-gen2": "capabilityFlavors: [{architecture: [amd64], generation: [gen2]}]", "flavor-both": "capabilityFlavors: [{architecture: [amd64], generation: [gen2]}, {architecture: [amd64]}]",
}

// TestImages holds the machine image that a plan says a pool gets against Gardener's source, row
// by row.
func TestImages(t *testing.T) {
	data, err := os.ReadFile("testdata/images.txt")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		c := strings.Split(strings.TrimSpace(line), "|")
		if len(c) != 8 {
			t.Fatalf("%q is no row", line)
		}
		for i := range c {
			c[i] = strings.TrimSpace(c[i])
		}
		rows++
		profile := imagesProfile(t, c[0], c[1], c[2] == "machineCapabilities")
		old, new := imagesShoot(t, c, c[3], true), imagesShoot(t, c, c[4], false)
		if c[3] != "-" {
			if new, err = old.with(new.object); err != nil {
				t.Fatal(err)
			}
		}
		change := Change{Old: old, New: new, Profile: profile, Now: start}
		p := change.Plan()
		got, takes := "refused", "-"
		for _, pool := range p.Pools {
			if pool.Name == "web" && !p.Refused {
				got = string(pool.Effect)
			}
		}
		if !p.Refused {
			change.complete()
			v, _ := change.New.pool("web")
			takes = v.Machine.Image.Name + " " + v.Machine.Image.Version
		}
		if got != c[5] || takes != c[6] {
			t.Errorf("%s\n\tgot %s, %s: %+v", line, got, takes, p.Refusals)
		}
	}
	if rows < 50 {
		t.Errorf("%d rows", rows)
	}
}

// imagesProfile is the CloudProfile of a row.
func imagesProfile(t *testing.T, a, b string, capable bool) *Profile {
	t.Helper()
	offered := func(list string) string {
		var out []string
		for one := range strings.SplitSeq(list, ",") {
			version, word, has := strings.Cut(strings.TrimSpace(one), " ")
			if version == "" {
				continue
			}
			is := "{version: \"" + version + "\""
			if has {
				if imageWords[word] == "" {
					t.Fatalf("%q is no word", word)
				}
				is += ", " + imageWords[word]
			}
			out = append(out, is+"}")
		}
		return "[" + strings.Join(out, ", ") + "]"
	}
	types, capabilities := "[{name: p}, {name: q, architecture: arm64}]", ""
	if capable {
		types = "[{name: p, capabilities: {architecture: [amd64], generation: [gen1]}}, {name: q, capabilities: {architecture: [arm64]}}]"
		capabilities = "\n  machineCapabilities: [{name: architecture, values: [amd64, arm64]}, {name: generation, values: [gen1, gen2]}]"
	}
	text := "kind: CloudProfile\nmetadata: {name: cloud}\nspec:\n  machineTypes: " + types + capabilities + "\n  machineImages:\n  - name: a\n    versions: " + offered(a)
	if b != "" {
		text += "\n  - name: b\n    versions: " + offered(b)
	}
	profile, err := DecodeProfile("row", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	noUnknownIn(t, names.Kind("core.CloudProfile"), a+b, text)
	return profile
}

// imagesShoot is the Shoot of a row with the pool's image, without the pool where it was none.
func imagesShoot(t *testing.T, c []string, image string, before bool) *Shoot {
	t.Helper()
	var object map[string]any
	if err := yaml.Unmarshal([]byte(imagesBase), &object); err != nil {
		t.Fatal(err)
	}
	if image != "-" || !before {
		edits := "spec.provider.workers[web].minimum: 1\nspec.provider.workers[web].maximum: 2\nspec.provider.workers[web].machine.type: p\n"
		for one := range strings.SplitSeq(c[2], ";") {
			if one = strings.TrimSpace(one); one != "" && one != "machineCapabilities" {
				edits += "spec.provider.workers[web]." + one + "\n"
			}
		}
		if name, version, _ := strings.Cut(image, " "); name != "-" {
			edits += "spec.provider.workers[web].machine.image.name: " + name + "\n"
			if version != "-" {
				edits += "spec.provider.workers[web].machine.image.version: \"" + version + "\"\n"
			}
		}
		if err := edit(object, edits); err != nil {
			t.Fatal(err)
		}
	}
	noUnknown(t, c[0], object)
	out, err := read(object)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
