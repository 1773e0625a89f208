package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// suite is a number of tests of one package.
type suite struct {
	name, pkg, run string
	args           []string
	seeds          uint64        // of a random play, 0 for other suites
	limit          time.Duration // of the processor, 0: what calibrate has found
}

// part is some of the seeds of a random play.
func (s suite) part(from, seeds uint64) suite {
	s.args, s.seeds = []string{fmt.Sprint("-from=", from), fmt.Sprint("-seeds=", seeds)}, seeds
	return s
}

// suites are what may find a mutation.
type suites struct {
	// scenarios are the files of engine/testdata, units the other tests of engine and live.
	scenarios, units []suite
	// random plays; the first one that finds a mutation is enough. soon are the same ones
	// with one seed in soonShare, in which most mutations are found.
	soon, random []suite
}

// soonShare is how many times more seeds a random play has at last.
const soonShare = 40

// newSuites returns the tests, with so many seeds for each random play.
func newSuites(seeds uint64) (all suites) {
	all = suites{
		scenarios: []suite{{name: "scenarios", pkg: "engine", run: "^TestScenario$"}},
		units:     []suite{{name: "engine", pkg: "engine", args: []string{"-test.skip=^TestScenario$"}}, {name: "movers", pkg: "engine/assess/movers"}, {name: "snapshot", pkg: "engine/snapshot"}, {name: "live", pkg: "engine/live", args: []string{"-test.skip=^(" + competing + "|" + followed + "|" + started + ")$"}}},
	}
	for _, name := range []string{"TestRandom", "TestRandomKops", "TestRandomDrainboard", "TestRandomGardener", "TestRandomGardenerInPlace", "TestRandomGardenerManual"} {
		play := suite{name: name, pkg: "engine/sim/play", run: "^" + name + "$"}
		all.soon, all.random = append(all.soon, play.part(1, max(1, seeds/soonShare))), append(all.random, play.part(1, seeds))
	}
	var ends []suite // here a roll has to end well, so these notice what does nothing
	for _, name := range []string{"TestCrashAtEveryAction", "TestCrashAtEveryActionOfKops"} {
		play := func(n int) suite {
			return suite{name: name, pkg: "engine/sim/play", run: "^" + name + "$", args: []string{fmt.Sprint("-boundaries=", n)}}
		}
		all.soon, ends = append(all.soon, play(1)), append(ends, play(3))
	}
	live := func(name, flag string, n uint64) suite {
		s := suite{name: name, pkg: "engine/live", run: "^" + name + "$"}
		if flag != "" {
			s.args = []string{fmt.Sprint(flag, max(1, n))}
		}
		return s
	}
	few := seeds / soonShare
	all.soon = append(all.soon, live(competing, "", 0), live(followed, "-updates=", few/4), live(started, "-started=", few/3))
	all.random = slices.Concat(ends, []suite{{name: "TestAbortInAStorm", pkg: "engine/sim/play", run: "^TestAbortInAStorm$"}, live(followed, "-updates=", seeds/8), live(started, "-started=", seeds/3)}, all.random)
	return all
}

// The random plays of package live: of competing processes, and of groups whose own controller is
// followed or started.
const (
	competing = "TestCompetingDrivers"
	followed  = "TestFollowedUpdates"
	started   = "TestStartedUpdates"
)

// playsIt reports whether a suite of engine/live has to do with a site: the competing processes
// with the loop and the record, those that follow with that, with what others do and with what is known, and those that start
// an update with all but other systems.
func (s suite) playsIt(m *site) bool {
	has := func(parts ...string) bool {
		return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(m.File, part) })
	}
	switch s.name {
	case followed:
		return has("live/", "engine/follow", "eksmanaged", "assess/follow", "selfdriven/", "mover", "world/", "externalactivity")
	case started:
		return !has("kops", "gardener")
	}
	return has("live/", "record/")
}

// near puts the suites first that know most of a site, which is only a matter of time, and
// leaves out those of engine/live where they have nothing to do with it.
func (all suites) near(m *site) suites {
	words := map[string]string{"kops": "Kops", "detach": "Kops", "drainboard": "Drainboard", "waves": "Drainboard", "single": "Drainboard", "isolate": "Drainboard", "eksmanaged": "Started", "valid": "Kops", "gardenermanual": "Manual", "gardenerinplace": "InPlace", "inplace": "InPlace", "gardener": "Gardener", "tried": "Gardener", "volumes": "Gardener", "live/": "Competing"}
	var first []string
	for _, word := range sortedKeys(words) {
		if strings.Contains(m.File, word) {
			first = append(first, words[word])
		}
	}
	rank := func(s suite) int {
		return one(!slices.ContainsFunc(first, func(word string) bool { return strings.Contains(s.name, word) }))
	}
	for _, of := range []*[]suite{&all.soon, &all.random} {
		*of = slices.SortedStableFunc(slices.Values(*of), func(a, b suite) int { return rank(a) - rank(b) })
		*of = slices.DeleteFunc(*of, func(s suite) bool { return s.pkg == "engine/live" && !s.playsIt(m) })
	}
	return all
}

// verdict is who has found a mutation: in each field the tests' first words, "" if they
// passed.
type verdict struct {
	site
	Tree      string        `json:"tree"` // the state of the sources that it is about
	Scenarios string        `json:"scenarios,omitempty"`
	Units     string        `json:"units,omitempty"`
	Random    string        `json:"random,omitempty"`
	Took      time.Duration `json:"took"`
}

// judge builds the tests with mutations and runs them.
type judge struct {
	root   string
	suites suites
	limits map[string]time.Duration // of the processor, by suite
	quick  bool                     // scenarios only for what random play does not find
}

// errCompile says that a mutated package, or one that needs it, does not compile.
var errCompile = errors.New("does not compile")

// workshop is a directory with the tests of a batch, nil for the engine as it is.
type workshop struct {
	*judge
	sync.Mutex
	dir   string
	batch *batch
}

// build makes the tests of a package, unless they are there.
func (w *workshop) build(pkg string) error {
	w.Lock()
	defer w.Unlock()
	tests := binary(w.dir, pkg)
	if _, err := os.Stat(tests); err == nil {
		return nil
	}
	args := []string{"test", "-c", "-vet=off", "-ldflags=-s -w", "-o", tests}
	if w.batch != nil {
		replace := map[string]string{}
		for name, text := range w.batch.overlay() {
			with := filepath.Join(w.dir, strings.ReplaceAll(name, "/", "_"))
			replace[filepath.Join(w.root, filepath.FromSlash(name))] = with
			if err := os.WriteFile(with, text, 0o600); err != nil {
				return err
			}
		}
		text, err := json.Marshal(map[string]map[string]string{"Replace": replace})
		if err != nil {
			return err
		}
		overlay := filepath.Join(w.dir, "overlay.json")
		if err := os.WriteFile(overlay, text, 0o600); err != nil {
			return err
		}
		args = append(args, "-overlay", overlay)
	}
	cmd := exec.Command("go", append(args, "./"+pkg)...)
	cmd.Dir = w.root
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", errCompile, bytes.TrimSpace(out))
	}
	return nil
}

// binary is where the tests of a package are.
func binary(dir, pkg string) string {
	return filepath.Join(dir, strings.ReplaceAll(pkg, "/", "_")+".test")
}

// A mutant may never end, and may ask for any amount of memory. The wall clock is only for
// those that wait for ever: a busy machine must not make a mutation look found.
const (
	memoryKiB = 6 << 20
	wallLimit = time.Hour
)

// run runs a suite with mutations on. It returns what failed, "" if nothing did, and the time
// that it took of the processor, which counts as the wall clock of a machine that does much else
// does not.
func (w *workshop) run(s suite, on ...*site) (failed string, took time.Duration, err error) {
	out, took, err := w.output(s, on...)
	if err != nil || out == "" {
		return "", took, err
	}
	return s.name + ": " + firstWords(out), took, nil
}

// output is what a suite says that fails, "" of one that passes.
func (w *workshop) output(s suite, on ...*site) (said string, took time.Duration, err error) {
	if err := w.build(s.pkg); err != nil {
		return "", 0, err
	}
	limit := wallLimit
	cpu := cmp.Or(s.limit, w.limits[s.name], wallLimit)
	args := append([]string{"-c", `ulimit -t $0; ulimit -v $1 2>/dev/null; shift; exec "$@"`, fmt.Sprint(int(cpu.Seconds())), fmt.Sprint(memoryKiB),
		binary(w.dir, s.pkg), "-test.failfast", "-test.short", "-test.timeout=" + limit.String()}, s.args...)
	if s.run != "" {
		args = append(args, "-test.run="+s.run)
	}
	cmd := exec.Command("sh", args...)
	cmd.Dir = filepath.Join(w.root, s.pkg)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	if w.batch != nil {
		var numbers []string
		for _, m := range on {
			numbers = append(numbers, fmt.Sprint(w.batch.number(m)))
		}
		cmd.Env = append(cmd.Env, switchVariable+"="+strings.Join(numbers, ","))
	}
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		return "", 0, err
	}
	took = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if err == nil {
		return "", took, nil
	}
	return cmp.Or(string(out), "it failed without a word"), took, nil
}

// firstWords is the line of a test's output that says most.
func firstWords(out string) string {
	var failed string
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(line)
		switch {
		case strings.Contains(line, "_test.go:") && strings.Contains(line, ": plays seeds "): // not why it failed
		case strings.HasPrefix(line, "panic:"), strings.HasPrefix(line, "SIGXCPU"), strings.HasPrefix(line, "fatal error:"), strings.Contains(line, "_test.go:"):
			if runes := []rune(line); len(runes) > 200 {
				line = string(runes[:200])
			}
			if failed != "" {
				line = failed + " " + line
			}
			return line
		case strings.HasPrefix(line, "--- FAIL:"):
			failed = strings.Fields(line)[2]
		}
	}
	if failed == "" {
		failed = "it ended without a word"
	}
	return failed
}

// calibrate runs every suite without a mutation, unless its limit is known: it has to pass,
// and the time that it takes bounds that of mutants. kept is called after each.
func (j *judge) calibrate(kept func() error) error {
	w, err := j.open(nil)
	if err != nil {
		return err
	}
	defer w.close()
	for _, s := range slices.Backward(slices.Concat(j.suites.scenarios, j.suites.units, j.suites.soon, j.suites.random)) {
		if j.limits[s.name] > 0 {
			continue // also of the same play with fewer seeds
		}
		failed, took, err := w.run(s)
		if err != nil {
			return err
		}
		if failed != "" {
			return fmt.Errorf("it fails without a mutation: %s", failed)
		}
		fmt.Fprintf(os.Stderr, "%-30s %6.1f s of the processor without a mutation\n", s.name, took.Seconds())
		j.limits[s.name] = 4*took + 20*time.Second
		if err := kept(); err != nil {
			return err
		}
	}
	return nil
}

// open makes a directory for a batch.
func (j *judge) open(b *batch) (*workshop, error) {
	dir, err := os.MkdirTemp("", "mutate")
	return &workshop{judge: j, dir: dir, batch: b}, err
}

func (w *workshop) close() { os.RemoveAll(w.dir) }

// first runs the first of some suites that finds a mutation, "" if none does.
func (w *workshop) first(suites []suite, m *site) (found string, err error) {
	for _, s := range suites {
		if found, _, err = w.run(s, m); found != "" || err != nil {
			return found, err
		}
	}
	return "", nil
}

// soon says what a few seeds find.
func (w *workshop) soon(v *verdict, m *site) (err error) {
	defer v.time(time.Now())
	v.site = *m
	v.Random, err = w.first(w.suites.near(m).soon, m)
	return err
}

// rest says who finds a mutation that was not found beside others: random play with all seeds and nothing
// but this one on, or else who besides random play.
func (w *workshop) rest(v *verdict, m *site) (err error) {
	defer v.time(time.Now())
	near := w.suites.near(m)
	if v.Random == "" { // others may have hidden it
		if v.Random, err = w.first(near.random, m); err != nil {
			return err
		}
	}
	if v.Random == "" || !w.quick {
		if v.Scenarios, err = w.first(near.scenarios, m); err != nil {
			return err
		}
	}
	if v.Random == "" && v.Scenarios == "" {
		v.Units, err = w.first(append(own(w.root, m), near.units...), m)
	}
	return err
}

// ownLimit is what the tests of a package may take of the processor.
const ownLimit = 2 * time.Minute

// own are the tests of a mutation's own package, if it has any that are not run anyway.
func own(root string, m *site) []suite {
	pkg := path.Dir(m.File)
	tests, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pkg), "*_test.go"))
	if err != nil || len(tests) == 0 || pkg == "engine" || pkg == "engine/live" {
		return nil
	}
	return []suite{{name: pkg, pkg: pkg, limit: ownLimit}}
}

func (v *verdict) time(start time.Time) { v.Took += time.Since(start) }
