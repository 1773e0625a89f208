package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// root is the repository's root, seen from here.
const root = "../.."

// TestImportsPointOneWay holds the layout: cmd → ui, providers, engine/live → engine/snapshot →
// engine → engine/assess → engine/roll and engine/validation → engine/record →
// engine/selfdriven → engine/world and engine/text. Within the command line: watch, send →
// driver → planner → session → backend → present, and no room knows those above it. Within
// providers/kube: records → feed → mirror → kube → typed, and commands → mirror. What a
// package may not import, directly or through others, it does not.
func TestImportsPointOneWay(t *testing.T) {
	const self = "github.com/drainboard/drainboard/"
	const cmd = self + "cmd/drainboard/internal/"
	const kube = self + "providers/kube/"
	list := exec.Command("go", "list", "-f", "{{.ImportPath}} {{join .Deps \" \"}}", "./...")
	list.Dir = root
	out, err := list.CombinedOutput()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, out)
	}
	var packages [][]string // each with what it depends on
	for line := range strings.Lines(string(out)) {
		packages = append(packages, strings.Fields(line))
	}
	for _, rule := range []struct {
		packages  string
		forbidden []string
	}{
		{"./engine/world", []string{self + "engine"}},
		{"./engine/selfdriven/...", []string{self + "engine$", self + "engine/assess", self + "engine/snapshot", self + "engine/live", self + "engine/strategy"}},
		{"./engine/drain", []string{self + "engine$", self + "engine/live", self + "engine/strategy", self + "providers", self + "ui"}},
		{"./engine/text", []string{self}},
		{"./engine/assess/...", []string{self + "engine$", self + "engine/live", self + "engine/sim", self + "engine/snapshot", self + "engine/strategy"}},
		{"./engine/assess", []string{self + "engine/assess/"}},
		{"./engine/assess/blockers", []string{self + "engine/assess/movers", self + "engine/assess/preflight"}},
		{"./engine/assess/movers", []string{self + "engine/assess/blockers", self + "engine/assess/preflight"}},
		{"./engine/snapshot", []string{self + "engine/live", self + "engine/sim", self + "engine/strategy"}},
		{"./engine/record/...", []string{self + "engine$", self + "engine/assess", self + "engine/snapshot", self + "engine/live", self + "engine/roll", self + "engine/sim", self + "engine/strategy", self + "engine/validation"}},
		{"./engine/record", []string{self + "engine/record/check", self + "engine/record/diff"}},
		{"./engine/record/diff", []string{self + "engine/record/check"}},
		{"./engine/validation", []string{self + "engine$", self + "engine/assess", self + "engine/snapshot", self + "engine/live", self + "engine/roll", self + "engine/sim", self + "engine/strategy"}},
		{"./engine/roll", []string{self + "engine$", self + "engine/assess", self + "engine/snapshot", self + "engine/live", self + "engine/sim", self + "engine/strategy", self + "engine/validation"}},
		{"./engine", []string{self + "engine/live", self + "engine/sim", self + "engine/snapshot", self + "engine/strategy"}},
		{"./engine", []string{self + "engine/validationwait"}},
		{"./engine/validationwait", []string{self + "engine/live", self + "engine/sim", self + "engine/snapshot", self + "engine/strategy"}},
		{"./engine/strategy", []string{self + "engine/live", self + "engine/sim", self + "engine/snapshot"}},
		{"./engine/api", []string{self + "engine$", self + "engine/assess", self + "engine/snapshot", self + "engine/live", self + "engine/roll", self + "engine/sim", self + "engine/strategy", self + "engine/validation", self + "providers", self + "ui", self + "cmd"}},
		{"./cmd/drainboard", []string{self + "engine/api/apitest", "github.com/santhosh-tekuri/jsonschema", "html/template", "k8s.io/client-go/kubernetes", "k8s.io/client-go/testing", "k8s.io/cli-runtime", "sigs.k8s.io/kustomize"}},
		{"./engine/sim", []string{self + "engine/live", self + "engine/sim/"}},
		{"./engine/sim/drive", []string{self + "engine/live", self + "engine/sim/"}},
		{"./engine/sim/check", []string{self + "engine/live", self + "engine/sim/script", self + "engine/sim/play", self + "engine/sim/rehearse"}},
		{"./engine/sim/script", []string{self + "engine/live", self + "engine/sim/play", self + "engine/sim/rehearse"}},
		{"./engine/sim/play", []string{self + "engine/live", self + "engine/sim/rehearse"}},
		{"./engine/sim/rehearse", []string{self + "engine/live", self + "engine/sim/check", self + "engine/sim/drive", self + "engine/sim/script"}},
		{"./engine/...", []string{self + "providers", self + "ui", self + "themes", self + "cmd", "k8s.io/client-go", "k8s.io/api/", "github.com/aws/", "charm.land/"}},
		{"./providers/...", []string{self + "ui", self + "themes", self + "cmd", "charm.land/"}},
		{"./providers/kube", []string{kube + "mirror", kube + "feed", kube + "records", kube + "commands", kube + "lock", kube + "actions", kube + "events"}},
		{"./providers/kube/typed", []string{self + "providers/kube$", kube + "objects"}},
		{"./providers/kube/mirror", []string{kube + "feed", kube + "records", kube + "commands", kube + "lock", kube + "actions", kube + "events"}},
		{"./providers/kube/feed", []string{kube + "records", kube + "commands", kube + "lock", kube + "actions", kube + "events"}},
		{"./providers/kube/records", []string{kube + "commands", kube + "lock", kube + "actions", kube + "events"}},
		{"./providers/kube/commands", []string{kube + "feed", kube + "records", kube + "lock", kube + "actions", kube + "events"}},
		{"./providers/kube/lock", []string{kube + "mirror", kube + "feed", kube + "records", kube + "commands", kube + "actions", kube + "events"}},
		{"./providers/kube/actions", []string{kube + "mirror", kube + "feed", kube + "records", kube + "commands", kube + "lock", kube + "events"}},
		{"./providers/kube/events", []string{kube + "mirror", kube + "feed", kube + "records", kube + "commands", kube + "lock", kube + "actions"}},
		{"./providers/asg", []string{self + "providers/asg/rights", self + "providers/asg/taglock"}},
		{"./providers/asg/transport", []string{self + "providers/asg$"}},
		{"./ui/...", []string{self + "providers", self + "engine/live", self + "cmd", "k8s.io/client-go", "github.com/aws/"}},
		{"./ui", []string{self + "ui/lines", self + "ui/picker"}},
		{"./ui/news", []string{self + "ui$", self + "ui/lines", self + "ui/picker"}},
		{"./ui/picker", []string{self + "ui$", self + "ui/lines"}},
		{"./ui/review", []string{self + "ui$", self + "ui/lines", self + "ui/picker", self + "ui/scene"}},
		{"./ui/scene", []string{self + "ui$", self + "ui/lines", self + "ui/picker", self + "ui/term"}},
		{"./ui/term", []string{self + "ui$", self + "ui/lines", self + "ui/picker", self + "ui/scene"}},
		{"./ui/style", []string{self + "ui$", self + "ui/lines", self + "ui/picker", self + "ui/scene", self + "ui/term"}},
		{"./cmd/drainboard/internal/present", []string{cmd + "backend", cmd + "session", cmd + "planner", cmd + "driver", cmd + "console"}},
		{"./cmd/drainboard/internal/backend", []string{cmd + "session", cmd + "planner", cmd + "driver", cmd + "console"}},
		{"./cmd/drainboard/internal/session", []string{cmd + "planner", cmd + "driver", cmd + "watch", cmd + "send", cmd + "status", cmd + "console", cmd + "config", self + "ui"}},
		{"./cmd/drainboard/internal/planner", []string{cmd + "driver", cmd + "watch", cmd + "send", cmd + "status", cmd + "console"}},
		{"./cmd/drainboard/internal/status", []string{cmd + "driver", cmd + "watch", cmd + "send", cmd + "console"}},
		{"./cmd/drainboard/internal/driver", []string{cmd + "watch", cmd + "send", cmd + "status"}},
		{"./cmd/drainboard/internal/watch", []string{cmd + "planner", cmd + "driver", cmd + "send", cmd + "status"}},
		{"./themes/...", []string{self + "engine", self + "ui", self + "providers"}},
		// What is kept, sent or printed by itself never has a pod's log.
		{"./engine/record", []string{self + "engine/podlog"}},
		{"./engine/snapshot", []string{self + "engine/podlog"}},
		{"./engine/api", []string{self + "engine/podlog"}},
		{"./engine/live", []string{self + "engine/podlog"}},
		{"./providers/hooks", []string{self + "engine/podlog"}},
	} {
		deps := map[string]bool{}
		for _, one := range packages {
			if path := "./" + strings.TrimPrefix(one[0], self); path == rule.packages || strings.HasPrefix(path+"/", strings.TrimSuffix(rule.packages, "...")) && strings.HasSuffix(rule.packages, "...") {
				for _, dep := range one {
					deps[dep] = true
				}
			}
		}
		if len(deps) < 10 {
			t.Errorf("%s: only %d dependencies listed: this test sees nothing", rule.packages, len(deps))
		}
		for dep := range deps {
			if "./"+strings.TrimPrefix(dep, self) == rule.packages {
				continue
			}
			for _, bad := range rule.forbidden {
				exact, whole := strings.CutSuffix(bad, "$")
				if whole && dep == exact || !whole && strings.HasPrefix(dep, bad) && !(bad == self+"engine" && (strings.HasPrefix(dep, self+"engine/world") || strings.HasPrefix(dep, self+"engine/text"))) {
					t.Errorf("%s depends on %s", rule.packages, dep)
				}
			}
		}
	}
}

// TestLabImportsPointOneWay holds the layout of the lab, a module of its own: end-to-end tests,
// benchmarks and commands → lab → gardener, eks → machines → kops, cloud → what knows nothing of
// the lab. Only what the packages of the lab import of each other is looked at.
func TestLabImportsPointOneWay(t *testing.T) {
	const self = "github.com/drainboard/drainboard/"
	imports := map[string][]string{} // by folder; tests apart
	err := filepath.WalkDir(filepath.Join(root, "lab"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		dir := filepath.ToSlash(strings.TrimPrefix(filepath.Dir(path), filepath.FromSlash(root+"/")))
		imports[dir] = append(imports[dir], "")
		for _, spec := range file.Imports {
			if of, own := strings.CutPrefix(strings.Trim(spec.Path.Value, `"`), self); own {
				imports[dir] = append(imports[dir], of)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var all func(dir string, seen map[string]bool)
	all = func(dir string, seen map[string]bool) {
		for _, of := range imports[dir] {
			if of != "" && !seen[of] {
				seen[of] = true
				all(of, seen)
			}
		}
	}
	for dir, allowed := range map[string][]string{
		"lab/try": {}, "lab/process": {}, "lab/line": {}, "lab/kwok": {}, "lab/gate": {}, "lab/programs": {}, "lab/vms": {},
		"lab/apigate":      {"lab/gate"},
		"lab/workload":     {"lab/kwok"},
		"lab/cloud/wire":   {},
		"lab/cloud/access": {"lab/cloud/wire"},
		"lab/cloud/s3":     {"lab/cloud/access", "lab/cloud/wire"},
		"lab/cloud":        {"lab/cloud/access", "lab/cloud/s3", "lab/cloud/wire", "lab/gate"},
		"lab/kops":         {"lab/cloud", "lab/workload"},
		"lab/machines":     {"lab/cloud", "lab/kops", "lab/kwok", "lab/try", "lab/workload"},
		"lab/eks":          {"lab/cloud", "lab/cloud/access", "lab/try"},
		"lab/gardener":     {"lab/machines", "lab/programs", "lab/try", "lab/vms", "lab/workload"},
	} {
		if len(imports[dir]) == 0 {
			t.Errorf("there is no %s: this test sees nothing", dir)
		}
		for _, of := range imports[dir] {
			if of != "" && !slices.Contains(allowed, of) {
				t.Errorf("%s imports %s", dir, of)
			}
		}
	}
	below := map[string]bool{}
	all("lab", below)
	for _, above := range []string{"lab/e2e", "lab/bench", "lab/mcm", "lab/cmd/lab"} { // mcm is the real controller, a program of its own
		if below[above] {
			t.Errorf("lab depends on %s", above)
		}
	}
	if len(below) < 15 {
		t.Errorf("lab depends on %d packages: this test sees nothing", len(below))
	}
}

// TestPackagesStaySmall holds that a package has few files, tests apart, and says what it is for:
// those of the engine, the dashboard and the command line on a page of their own.
func TestPackagesStaySmall(t *testing.T) {
	const most = 25
	pages := regexp.MustCompile(`^(engine|engine/assess.*|engine/sim|engine/snapshot.*|engine/text.*|providers/kube|ui.*|cmd/drainboard/internal/.*)$`)
	packages := 0
	for _, top := range []string{"engine", "providers", "themes", "ui", "cmd", "lab"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() || d.Name() == "testdata" {
				return err
			}
			files, err := filepath.Glob(path + "/*.go")
			files = slices.DeleteFunc(files, func(f string) bool { return strings.HasSuffix(f, "_test.go") })
			if err != nil || len(files) == 0 {
				return err
			}
			packages++
			dir := filepath.ToSlash(strings.TrimPrefix(path, filepath.FromSlash(root+"/")))
			if n := len(files); n > most {
				t.Errorf("%s has %d files, at most %d should do", dir, n, most)
			}
			if _, err := os.Stat(path + "/doc.go"); err != nil && pages.MatchString(dir) {
				t.Errorf("%s does not say what it is for: %v", dir, err)
			}
			said := slices.ContainsFunc(files, func(f string) bool {
				code, err := os.ReadFile(f)
				return err == nil && regexp.MustCompile(`(?m)^//.*\n(?:package )`).Match(code)
			})
			if !said {
				t.Errorf("%s does not say what it is for", dir)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	if packages < 70 {
		t.Errorf("only %d packages seen", packages)
	}
}

// TestTypesStaySmall holds that no type has more methods than a reader can know: a part that stands by
// itself is a function with arguments, or a type of its own. The simulator and its checker are not held to it: each rule is a method.
func TestTypesStaySmall(t *testing.T) {
	const most = 120
	of := map[string]int{}
	receiver := regexp.MustCompile(`(?m)^func \([a-z]\w* \*?([A-Za-z]\w*)`)
	for _, dir := range []string{"engine", "ui", "providers", "cmd"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(filepath.ToSlash(path), "engine/sim/") {
				return err
			}
			code, err := os.ReadFile(path)
			for _, m := range receiver.FindAllSubmatch(code, -1) {
				of[filepath.Dir(path)+"."+string(m[1])]++
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, n := range of {
		if n > most {
			t.Errorf("%s has %d methods, at most %d should do", name, n, most)
		}
	}
	if len(of) < 300 || of[root+"/engine.Step"] < 50 {
		t.Errorf("%d types seen: this test sees nothing", len(of))
	}
}

// TestCommandsOnlyHaveFlags holds that the package of the commands starts no goroutine, listens to
// no signal and drives no loop: it reads flags and hands over to the packages under internal.
func TestCommandsOnlyHaveFlags(t *testing.T) {
	list := exec.Command("go", "list", "-f", "{{join .Imports \"\\n\"}}", "./cmd/drainboard")
	list.Dir = root
	out, err := list.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "github.com/spf13/cobra") {
		t.Fatalf("go list: %v\n%s", err, out)
	}
	for _, path := range strings.Fields(string(out)) {
		if path == "os/signal" || path == "sync" || strings.HasPrefix(path, "k8s.io/client-go") || strings.HasPrefix(path, "github.com/aws/") {
			t.Errorf("package main imports %s", path)
		}
	}
}

// TestEngineHasNoClockAndNoGoroutines holds that everything of the engine but
// live and sim only decides.
func TestEngineHasNoClockAndNoGoroutines(t *testing.T) {
	grep := exec.Command("git", "grep", "--untracked", "-nE", `time\.(Now|Sleep|After|NewTimer|NewTicker|Since)\(|^\s*go func|\bgo [a-z]+\(`, "--", "engine/*.go", "engine/assess", "engine/snapshot", "engine/world", "engine/drain", "engine/strategy", "engine/record", "engine/roll", "engine/text", "engine/validation", "engine/validationwait", ":!*_test.go", ":!engine/live", ":!engine/sim")
	grep.Dir = root
	out, err := grep.Output()
	if err == nil {
		t.Errorf("the deciding part of the engine uses a clock or a goroutine:\n%s", out)
	}
}

// TestFilesOfOneSystemAreTagged: of such names only those of systems (linux, windows) select a
// file by themselves; unix does not.
func TestFilesOfOneSystemAreTagged(t *testing.T) {
	for _, dir := range []string{"cmd", "engine", "providers", "themes", "ui"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, _ fs.DirEntry, err error) error {
			name := strings.TrimSuffix(filepath.Base(path), ".go")
			if err != nil || !strings.HasSuffix(path, ".go") || !slices.ContainsFunc([]string{"_unix", "_other", "_bsd"}, func(of string) bool { return strings.HasSuffix(name, of) }) {
				return err
			}
			text, err := os.ReadFile(path)
			if err == nil && !strings.HasPrefix(string(text), "//go:build ") {
				t.Errorf("%s is compiled on every system: its name is no build constraint", path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestMarksAreSpelledOnce holds that the keys of marks which Drainboard puts and looks for
// are constants: one that is spelled in two ways is a mark that is never taken off. The
// simulator spells them on its own, so that it finds a wrong one.
func TestMarksAreSpelledOnce(t *testing.T) {
	for _, key := range []string{"eks.amazonaws.com/nodegroup", "drainboard.dev/surplus"} {
		grep := exec.Command("git", "grep", "--untracked", "-nF", `"`+key+`"`, "--", "*.go", ":!*_test.go", ":!engine/sim", ":!lab")
		grep.Dir = root
		out, err := grep.Output()
		if lines := strings.Split(strings.TrimSpace(string(out)), "\n"); err != nil || len(lines) != 1 || !strings.HasPrefix(lines[0], "engine/world/") {
			t.Errorf("%s is spelled out here (%v):\n%s", key, err, out)
		}
	}
}

// TestLanguage holds words that name nobody, or say what another word says better, out of code,
// scenarios and docs. What the record and the journal have as values keeps its words.
func TestLanguage(t *testing.T) {
	values := []string{"cmd/drainboard/layout_test.go:", "engine/api/reason.go:", "engine/record/event.go:", "engine/record/wait.go:", "engine/text/sentences_test.go:", "docs/reference/json.md:"}
	grep := exec.Command("git", "grep", "--untracked", "-inwE", `somebody|somebody's|whoever|whoever's|anew|goes on|go on|puts? back|(is|are) told of`, "--", "*.go", "*.md", "*.txt", "Makefile", ".github")
	grep.Dir = root
	out, err := grep.Output()
	if err != nil || !strings.Contains(string(out), "layout_test.go") {
		t.Fatalf("git grep does not even find this test: %v", err)
	}
	for line := range strings.Lines(string(out)) {
		if !slices.ContainsFunc(values, func(file string) bool { return strings.HasPrefix(line, file) }) {
			t.Error(line)
		}
	}
}

// TestTerminalLibrariesStayPinned holds the versions that were measured: a later
// ultraviolet repaints whole screens (240 times the bytes) when a line holds an
// emoji, and Lip Gloss 2.0.6 asks for it.
func TestTerminalLibrariesStayPinned(t *testing.T) {
	mod, err := os.ReadFile(root + "/go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for _, pin := range []string{
		"charm.land/bubbletea/v2 v2.0.9",
		"charm.land/lipgloss/v2 v2.0.5",
		"charm.land/bubbles/v2 v2.2.0",
		"github.com/charmbracelet/ultraviolet v0.0.0-20260703014108-f5a850f9c2b7",
	} {
		if !strings.Contains(string(mod), pin+"\n") && !strings.Contains(string(mod), pin+" //") {
			t.Errorf("go.mod no longer requires %s", pin)
		}
	}
}

// A file that a package's description names is there: in the package's folder, or in one above.
func TestFilesInDescriptionsExist(t *testing.T) {
	named := regexp.MustCompile(`\b[a-z][a-z0-9_/]*\.go\b`)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() != "doc.go" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(text)) {
			_, comment, _ := strings.Cut(line, "//")
			for _, name := range named.FindAllString(comment, -1) {
				if !isAbove(filepath.Dir(path), name) {
					t.Errorf("%s names %s, which is not there", path, name)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// isAbove reports whether a file is in a folder or in one above.
func isAbove(dir, name string) bool {
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return true
		}
		if dir == root {
			return false
		}
	}
}
