package gardener

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// TestScenario looks at the files of testdata/watching, each a lesson on what is reported of a pool
// that Gardener moves: with the control cluster, with the Shoot, and from the nodes alone.
// go test ./providers/gardener -run Scenario -rewrite rewrites them.
func TestScenario(t *testing.T) {
	seen := map[string]bool{}
	datadriven.Walk(t, "testdata/watching", func(t *testing.T, path string) {
		s := newScene()
		s.seen = seen
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd == "given" {
				if err := s.given(d.Input); err != nil {
					t.Fatalf("%s: %v", d.Pos, err)
				}
				return ""
			}
			var at, from string
			d.ScanArgs(t, "at", &at)
			d.MaybeScanArgs(t, "from", &from)
			var out strings.Builder
			for _, side := range sides {
				if from == "" && side.name != "shoot" || slices.Contains(strings.Split(from, "+"), side.name) {
					out.WriteString(side.says + "\n" + s.look(side.name, clock(at), d.HasArg("pool")))
				}
			}
			return out.String()
		})
	})
	rows, _ := countdowns(t)
	for name := range seen {
		if _, named := rows[name]; !named {
			t.Errorf("docs/internals/gardener-watching.md does not name the countdown %q", name)
		}
	}
	for name := range rows {
		if word, _, _ := strings.Cut(name, ","); !seen[word] {
			t.Errorf("no scenario shows the countdown %q", name)
		}
	}
}

// TestScenariosOfCountdowns: each row of the table of countdowns in docs/internals/gardener-watching.md names the
// scenarios that show it, with the control cluster and without, and each scenario is named by
// the page: one of a countdown by its row.
func TestScenariosOfCountdowns(t *testing.T) {
	rows, states := countdowns(t)
	if len(rows) < 9 || len(states) < 5 {
		t.Fatalf("%d countdowns and %d states were read: the page has more", len(rows), len(states))
	}
	files, err := filepath.Glob("testdata/watching/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no scenarios", err)
	}
	named := map[string]string{} // by scenario, the countdown that names it
	for countdown, scenarios := range rows {
		for _, name := range scenarios {
			named[name] = countdown
		}
	}
	for _, name := range states {
		if of, twice := named[name]; twice {
			t.Errorf("%s is the scenario of the countdown %q, and of a state", name, of)
		}
		named[name] = ""
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		countdown, is := named[name]
		if delete(named, name); !is {
			t.Errorf("docs/internals/gardener-watching.md does not name the scenario %s", name)
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		showsCountdown(t, name, countdown, string(text))
	}
	for name := range named {
		t.Errorf("docs/internals/gardener-watching.md names a scenario %s that is not there", name)
	}
}

// showsCountdown: a scenario says of which countdown it is, shows it with the control cluster,
// and from the nodes alone, or with what else tells of it, as an estimate or as not known.
func showsCountdown(t *testing.T, name, countdown, text string) {
	said, is := strings.CutPrefix(text[:strings.IndexByte(text, '\n')], "# Countdown: ")
	if is != (countdown != "") || is && said != countdown {
		t.Errorf("%s says that it is of the countdown %q, and docs/internals/gardener-watching.md of %q", name, said, countdown)
	}
	if !is {
		return
	}
	shown := map[string]bool{}
	side := ""
	word, _, _ := strings.Cut(countdown, ",")
	for line := range strings.Lines(text) {
		switch line = strings.TrimRight(line, "\n"); {
		case slices.ContainsFunc(sides, func(s struct{ name, says string }) bool { return s.says == line }):
			side = line
		case strings.HasPrefix(strings.TrimSpace(line), word+" in "), strings.HasPrefix(strings.TrimSpace(line), "not known: "):
			shown[side] = true
		}
	}
	for _, s := range sides {
		if s.name != "shoot" && !shown[s.says] {
			t.Errorf("%s does not show the countdown %q %s, nor that it is not known", name, countdown, s.says)
		}
	}
}

// countdowns are the scenarios of docs/internals/gardener-watching.md: those of each countdown, and
// of states. The page for users has the same countdowns.
func countdowns(t *testing.T) (rows map[string][]string, states []string) {
	table := func(path, name string) (lines [][]string) {
		page, err := os.ReadFile("../../docs/" + path)
		if err != nil {
			t.Fatal(err)
		}
		_, text, _ := strings.Cut(string(page), "<!-- "+name+" -->")
		text, _, _ = strings.Cut(text, "<!-- end -->")
		for line := range strings.Lines(text) {
			if cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|"); len(cells) > 1 && !strings.Contains(line, "---") {
				for i := range cells {
					cells[i] = strings.TrimSpace(cells[i])
				}
				lines = append(lines, cells)
			}
		}
		if len(lines) == 0 {
			t.Fatalf("docs/%s has no table %s", path, name)
		}
		return lines[1:]
	}
	const inside = "internals/gardener-watching.md"
	rows = map[string][]string{}
	for _, cells := range table(inside, "countdowns") {
		rows[cells[0]] = strings.Split(cells[1], ", ")
	}
	for _, cells := range table(inside, "states") {
		states = append(states, cells[1])
	}
	forUsers := map[string]bool{}
	for _, cells := range table("providers/gardener.md", "countdowns") {
		forUsers[cells[0]] = true
		if rows[cells[0]] == nil {
			t.Errorf("docs/%s names no scenario of the countdown %q", inside, cells[0])
		}
	}
	for name := range rows {
		if !forUsers[name] {
			t.Errorf("docs/providers/gardener.md does not name the countdown %q", name)
		}
	}
	return rows, states
}
