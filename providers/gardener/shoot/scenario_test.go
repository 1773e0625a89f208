package shoot

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"sigs.k8s.io/yaml"

	"github.com/drainboard/drainboard/providers/gardener/names"
)

// start is the time of every scenario that names none: a Sunday afternoon.
var start = time.Date(2026, 11, 22, 15, 0, 0, 0, time.UTC)

// TestScenario plays the files of testdata/scenarios, each a lesson: a change of a Shoot, and
// what each pool gets. The Shoot is testdata/base.yaml; `given` changes it first. A line is a
// field and its value, null takes it away. go test -run Scenario -rewrite rewrites them.
//
// Every row of the trigger table, in a pool that is rolled and in one that is updated in
// place, and every rule has to be in one of them.
func TestScenario(t *testing.T) {
	seen := map[string]bool{}
	datadriven.Walk(t, "testdata/scenarios", func(t *testing.T, path string) {
		s := newScript(t)
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			out, err := s.do(d, seen)
			if err != nil {
				return "error: " + err.Error() + "\n"
			}
			return out
		})
	})
	for _, r := range triggers {
		for _, e := range []struct {
			pools string
			Effect
		}{{"rolled", r.rolling}, {"in place", r.inPlace}} {
			if !seen[r.field+" "+e.pools+" "+string(e.Effect)] {
				t.Errorf("no scenario shows that a change of %s is %s for pools %s", r.field, e.Effect, e.pools)
			}
		}
		if r.seed != "" && !seen[r.field+" document"] {
			t.Errorf("no scenario shows where the document says something else of %s", r.field)
		}
		if r.otherwise != "" && !seen[r.field+" "+r.otherwise] && r.field != fieldStrategy {
			t.Errorf("no scenario shows when a change of %s does nothing", r.field)
		}
	}
	for rule := range Rules() {
		if !seen[string(rule)] {
			t.Errorf("no scenario shows the rule %s", rule)
		}
	}
	for _, s := range Switches() {
		if !seen[s.From+" "+s.To] {
			t.Errorf("no scenario switches from %s to %s", s.From, s.To)
		}
	}
	for _, what := range []string{StartNow, StartWindow, StartNever, string(Added), string(Removed)} {
		if !seen[what] {
			t.Errorf("no scenario shows %q", what)
		}
	}
}

// script is a scenario that is played.
type script struct {
	t       *testing.T
	base    string
	old     *Shoot
	profile *Profile
}

func newScript(t *testing.T) *script {
	t.Helper()
	base, err := os.ReadFile("testdata/base.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s := &script{t: t, base: string(base)}
	if s.old, err = Decode("base.yaml", base); err != nil {
		t.Fatal(err)
	}
	profile, err := os.ReadFile("testdata/cloudprofile.yaml")
	if err != nil {
		t.Fatal(err)
	}
	noUnknownIn(t, names.Kind("core.CloudProfile"), "cloudprofile.yaml", string(profile))
	if s.profile, err = DecodeProfile("cloudprofile.yaml", profile); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *script) do(d *datadriven.TestData, seen map[string]bool) (string, error) {
	switch d.Cmd {
	case "given":
		var object map[string]any
		if err := yaml.Unmarshal([]byte(s.base), &object); err != nil {
			return "", err
		}
		if err := edit(object, d.Input); err != nil {
			return "", err
		}
		noUnknown(s.t, d.Pos, object)
		old, err := read(object)
		s.old = cmp.Or(old, s.old)
		return "", err
	case "profile":
		if d.Input == "" {
			s.profile = nil
			return "", nil
		}
		noUnknownIn(s.t, names.Kind("core.CloudProfile"), d.Pos, d.Input)
		profile, err := DecodeProfile("profile", []byte(d.Input))
		s.profile = profile
		return "", err
	case "change", "pace":
	default:
		return "", fmt.Errorf("no command %q", d.Cmd)
	}
	object := clone(s.old.object)
	if err := edit(object, d.Input); err != nil {
		return "", err
	}
	noUnknown(s.t, d.Pos, object)
	new, err := s.old.with(object)
	if err != nil {
		return "", err
	}
	now := start
	for _, arg := range d.CmdArgs {
		if now, err = time.Parse("now="+time.RFC3339, arg.String()); err != nil {
			return "", err
		}
	}
	p := Change{Old: s.old, New: new, Profile: s.profile, Now: now}.Plan()
	for _, pool := range p.Pools {
		seen[string(pool.Effect)] = true
		old, known := s.old.pool(pool.Name)
		for _, c := range pool.Causes {
			kind := "rolled"
			if known && old.inPlace() {
				kind = "in place"
			}
			seen[c.row+" "+kind+" "+string(c.Effect)] = true
			seen[c.row+" "+c.Why] = true
			if c.Seed != "" {
				seen[c.row+" document"] = true
			}
		}
		if pool.Switch != nil {
			seen[pool.Switch.From+" "+pool.Switch.To] = true
		}
	}
	for _, r := range p.Refusals {
		seen[string(r.Rule)] = true
	}
	seen[p.Start.When] = true
	return tell(p, d.Cmd == "pace"), nil
}

// tell is a plan as scenarios show it.
func tell(p Plan, pace bool) string {
	var b strings.Builder
	for _, r := range p.Refusals {
		fmt.Fprintf(&b, "refused (%s): %s%s: %s\n", r.Rule, r.Field, arrow(r.Old, r.New), r.Why)
	}
	if !p.Refused {
		fmt.Fprintf(&b, "starts %s", p.Start.When)
		if !p.Start.Opens.IsZero() {
			fmt.Fprintf(&b, ", %s to %s UTC", p.Start.Opens.Format("2006-01-02 15:04"), p.Start.Closes.Format("15:04"))
		}
		fmt.Fprintf(&b, ": %s\n", p.Start.Why)
	}
	for _, pool := range p.Pools {
		fmt.Fprintf(&b, "%s: %s\n", pool.Name, pool.Effect)
		for _, c := range pool.Causes {
			fmt.Fprintf(&b, "  %s: %s%s", c.Effect, c.Field, arrow(c.Old, c.New))
			if c.Why != "" {
				fmt.Fprintf(&b, ": %s", c.Why)
			}
			b.WriteByte('\n')
			if c.Seed != "" {
				fmt.Fprintf(&b, "    the document: %s\n", c.Seed)
			}
		}
		for _, n := range pool.Notes {
			fmt.Fprintf(&b, "  note: %s\n", n)
		}
		if pace && pool.Pace != nil {
			fmt.Fprintf(&b, "  maxSurge %s, maxUnavailable %s\n", cmp.Or(pool.Pace.MaxSurge, "none"), cmp.Or(pool.Pace.MaxUnavailable, "none"))
			for _, z := range pool.Pace.Zones {
				fmt.Fprintf(&b, "    %s: %s, %s\n", z.Zone, z.MaxSurge.String(), z.MaxUnavailable.String())
			}
			for _, t := range pool.Pace.Timeouts {
				fmt.Fprintf(&b, "  %s %s", t.Name, t.Value)
				if t.Default {
					b.WriteString(" (default")
					if t.Seed != "" {
						b.WriteString(", the document: " + t.Seed)
					}
					b.WriteString(")")
				}
				fmt.Fprintf(&b, ", then %s\n", t.Then)
			}
			for _, n := range pool.Pace.Notes {
				fmt.Fprintf(&b, "  note: %s\n", n)
			}
		}
	}
	for _, field := range p.Beside {
		fmt.Fprintf(&b, "beside: %s\n", field)
	}
	for _, n := range p.Notes {
		fmt.Fprintf(&b, "note: %s\n", n)
	}
	return b.String()
}

func arrow(old, new string) string {
	switch {
	case old == "" && new == "":
		return ""
	case old == "":
		return " → " + new
	case new == "":
		return " " + old + " → (none)"
	}
	return " " + old + " → " + new
}

// edit sets the fields of an object that lines name.
func edit(object map[string]any, lines string) error {
	for line := range strings.Lines(lines) {
		field, value, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok {
			return fmt.Errorf("%q is no field with a value", line)
		}
		var v any
		if err := yaml.Unmarshal([]byte(value), &v); err != nil {
			return err
		}
		if err := set(object, steps(field), v); err != nil {
			return fmt.Errorf("%s: %w", field, err)
		}
	}
	return nil
}

// steps splits a.b[c.d].e into a, b, [c.d], e.
func steps(field string) []string {
	var out []string
	for field != "" {
		end := strings.IndexAny(field, ".[")
		switch {
		case field[0] == '[':
			end = strings.IndexByte(field, ']') + 1
			out = append(out, field[:end])
		case end < 0:
			end = len(field)
			out = append(out, field)
		default:
			out = append(out, field[:end])
		}
		field = strings.TrimPrefix(field[end:], ".")
	}
	return out
}

// set sets a field; [name] is an item of a list, or a key with dots.
func set(m map[string]any, path []string, value any) error {
	key := strings.Trim(path[0], "[]")
	if len(path) > 1 && path[1][0] == '[' && key == "workers" {
		list, _ := m[key].([]any)
		name := strings.Trim(path[1], "[]")
		i := slices.IndexFunc(list, func(x any) bool { return x.(map[string]any)["name"] == name })
		switch {
		case len(path) == 2 && value == nil:
			m[key] = slices.Delete(list, i, i+1)
			return nil
		case i < 0:
			list = append(list, map[string]any{"name": name})
			i = len(list) - 1
			m[key] = list
		}
		return set(list[i].(map[string]any), path[2:], value)
	}
	if len(path) == 1 {
		if m[key] = value; value == nil {
			delete(m, key)
		}
		return nil
	}
	under, ok := m[key].(map[string]any)
	if !ok {
		under = map[string]any{}
		m[key] = under
	}
	return set(under, path[1:], value)
}
