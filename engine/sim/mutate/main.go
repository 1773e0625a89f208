// Mutate measures the checks of the engine: it draws mutations of the engine and of the loop
// that drives it at random, and says who finds each: the scenarios of engine/testdata, the
// random plays of engine/sim and engine/live, or nobody.
//
//	go run ./engine/sim/mutate -n 70 -seed 1 -results /tmp/mutations.jsonl
//
// Sites come from the syntax and the types of the sources (site.go), without what only words
// something (text.go) and what no decision can come through (reach.go). They are dealt by
// the seed, as many of each kind (draw.go). The compiler lays them over the sources
// (go test -overlay), many in one build, each behind a switch (switch.go), so that nothing is
// changed on disk; for each, the suites are run (judge.go), at length together with others
// (together.go). A mutant that uses four times the processor time of the engine, or that crashes,
// is found.
//
// Results are kept in a file, a line each. A run that was ended continues from there, and one
// with a larger -n keeps what is known, as long as the sources are the same.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

func main() {
	var o options
	flag.IntVar(&o.n, "n", 70, "mutations to draw")
	flag.Uint64Var(&o.seed, "seed", 1, "what is drawn")
	flag.Uint64Var(&o.seeds, "seeds", 600, "random clusters that each random play may use to find a mutation")
	flag.IntVar(&o.parallel, "parallel", 2, "mutations at a time, each on one processor")
	flag.StringVar(&o.results, "results", "", "file that keeps results between runs (default: none are kept)")
	flag.StringVar(&o.only, "site", "", "only sites whose id begins with one of these, with commas between, e.g. engine/gate.go:120; drawn or not")
	flag.BoolVar(&o.quick, "quick", false, "run scenarios only for what random play does not find, and so leave their own share unknown")
	flag.BoolVar(&o.list, "list", false, "list the drawn mutations, and run nothing")
	flag.Parse()
	if err := o.main(); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

type options struct {
	n, parallel   int
	seed, seeds   uint64
	results, only string
	list, quick   bool
}

func (o options) main() error {
	root, err := filepath.Abs(".")
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(root, "engine", "sim", "mutate")); err != nil {
		return errors.New("run it in the root of the project")
	}
	l, sources, err := load(root)
	if err != nil {
		return err
	}
	decides := reached(sources)
	var all []*site
	for _, s := range sources {
		all = append(all, sitesOf(l, s, decides)...)
	}
	var list []*site
	if o.only == "" {
		var others int
		list, others = drawn(l, newDeck(all, o.seed), o.n)
		fmt.Printf("%s; %d drawn with seed %d, %d more do not compile\n\n", census(all), len(list), o.seed, others)
	} else {
		for _, m := range all {
			named := func(begin string) bool { return strings.HasPrefix(m.id(), begin) }
			if slices.ContainsFunc(strings.Split(o.only, ","), named) && l.compiles(m.of, m.in, m) {
				list = append(list, m)
			}
		}
	}
	if o.list {
		for _, m := range list {
			fmt.Printf("%s %s\n", m.id(), m.change())
		}
		return nil
	}
	verdicts, err := o.judgeAll(l, root, list)
	if err != nil {
		return err
	}
	report(os.Stdout, verdicts)
	return nil
}

// judgeAll judges the sites that the results do not know, and returns all verdicts.
func (o options) judgeAll(l *loader, root string, list []*site) ([]verdict, error) {
	tree, err := treeHash(root)
	if err != nil {
		return nil, err
	}
	tree = fmt.Sprintf("%s/%d/%t", tree, o.seeds, o.quick)
	known, limits, err := o.known(tree)
	if err != nil {
		return nil, err
	}
	j := &judge{root: root, suites: newSuites(o.seeds), quick: o.quick, limits: limits}
	var todo []*site
	for _, m := range list {
		if _, ok := known[m.id()]; !ok {
			todo = append(todo, m)
		}
	}
	if len(todo) > 0 {
		if err := j.calibrate(func() error { return o.keep(calibration{tree, j.limits}) }); err != nil {
			return nil, err
		}
	}
	var works []*work
	var shops []*workshop
	for _, b := range batches(l, todo) {
		w, err := j.open(b)
		if err != nil {
			return nil, err
		}
		defer w.close()
		shops = append(shops, w)
		for _, m := range b.sites {
			works = append(works, &work{in: w, m: m, v: verdict{Tree: tree}})
		}
	}
	err = o.play(works, shops)
	for _, w := range works {
		known[w.m.id()] = w.v
	}
	var out []verdict
	for _, m := range list {
		out = append(out, known[m.id()])
	}
	return out, err
}

// play plays the suites against the sites. What few seeds find comes first, so that a run that is ended
// early knows of most.
func (o options) play(works []*work, shops []*workshop) error {
	err := o.each(works, func(w *work) error {
		if err := w.in.soon(&w.v, w.m); err != nil || w.v.Random == "" || !o.quick {
			return err
		}
		return o.keep(w.v)
	})
	fmt.Fprintf(os.Stderr, "few seeds find %d of %d\n", len(works)-len(unfound(works)), len(works))
	for _, shop := range shops {
		if err != nil {
			return err
		}
		err = shop.together(slices.DeleteFunc(slices.Clone(works), func(w *work) bool { return w.in != shop || w.v.Random != "" }))
	}
	if err != nil {
		return err
	}
	return o.each(works, func(w *work) error {
		w.last = true
		if w.v.Random == "" || !o.quick {
			if err := w.in.rest(&w.v, w.m); err != nil {
				return err
			}
		}
		return o.keep(w.v)
	})
}

// work is a site to judge.
type work struct {
	in   *workshop
	m    *site
	v    verdict
	last bool // all suites are run
}

// each does something with every site, some at a time: those first that are found already.
func (o options) each(works []*work, do func(*work) error) error {
	order := slices.SortedStableFunc(slices.Values(works), func(a, b *work) int { return one(a.v.Random == "") - one(b.v.Random == "") })
	var mu sync.Mutex
	var failed error
	var workers sync.WaitGroup
	next := make(chan *work)
	for range o.parallel {
		workers.Go(func() {
			for w := range next {
				err := do(w)
				mu.Lock()
				if err != nil {
					failed = errors.Join(failed, fmt.Errorf("%s: %w", w.m.id(), err))
				}
				by := w.v.by()
				if !w.last && w.v.Random == "" {
					by = "not found by few seeds"
				}
				fmt.Fprintf(os.Stderr, "%s: %s (%.0f s)\n", w.m.id(), by, w.v.Took.Seconds())
				mu.Unlock()
			}
		})
	}
	for _, w := range order {
		mu.Lock()
		stop := failed != nil
		mu.Unlock()
		if stop {
			break
		}
		next <- w
	}
	close(next)
	workers.Wait()
	return failed
}

// calibration is how long suites may take, by name, at a state of the sources.
type calibration struct {
	Tree   string                   `json:"tree"`
	Limits map[string]time.Duration `json:"limits"`
}

// known reads the results of earlier runs on the same sources.
func (o options) known(tree string) (out map[string]verdict, limits map[string]time.Duration, err error) {
	out, limits = map[string]verdict{}, map[string]time.Duration{}
	if o.results == "" {
		return out, limits, nil
	}
	f, err := os.Open(o.results)
	if errors.Is(err, os.ErrNotExist) {
		return out, limits, nil
	} else if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var v struct {
			verdict
			Limits map[string]time.Duration `json:"limits"`
		}
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil || v.Tree != tree {
			continue // of other sources, or a line that was being written when the run was ended
		}
		if v.Limits != nil {
			maps.Copy(limits, v.Limits)
		} else {
			out[v.id()] = v.verdict
		}
	}
	return out, limits, lines.Err()
}

// keep writes a line of results down.
func (o options) keep(v any) error {
	if o.results == "" {
		return nil
	}
	f, err := os.OpenFile(o.results, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	text, err := json.Marshal(v)
	if err == nil {
		_, err = f.Write(append(text, '\n'))
	}
	return errors.Join(err, f.Close())
}
