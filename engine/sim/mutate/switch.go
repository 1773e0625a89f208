package main

import (
	"fmt"
	"go/parser"
	"go/types"
	"path"
	"slices"
	"strings"
)

// Building the tests costs more than finding most mutations. Mutations that do not overlap
// are therefore built together, each behind a switch: the environment says which one is on.

// switchVariable is the environment variable with the numbers of the mutations that are on.
const switchVariable = "DRAINBOARD_MUTANT"

// switchFile is added to each package with switches.
const switchFile = `package %s

import (
	"os"
	"strconv"
	"strings"
)

var mutantsOn = func() (on [1 << 12]bool) {
	for number := range strings.SplitSeq(os.Getenv("` + switchVariable + `"), ",") {
		n, _ := strconv.Atoi(number)
		on[n] = true
	}
	on[0] = false
	return on
}()

func mutant(n int) bool { return mutantsOn[n] }
`

// switched is the text in the place of a site that is mutated if number n is on. It
// evaluates what the one or the other would, and nothing twice.
func (m *site) switched(n int) string {
	if m.typ == nil {
		return fmt.Sprintf("if !mutant(%d) { %s }", n, m.Before)
	}
	typ := types.TypeString(m.typ, func(p *types.Package) string {
		if p == m.of.types {
			return ""
		}
		return p.Name()
	})
	either := func(before, after string) string {
		return fmt.Sprintf("func() %s { if mutant(%d) { return %s }; return %s }()", typ, n, after, before)
	}
	switch {
	case strings.HasPrefix(typ, "untyped bool"), typ == "bool":
		return fmt.Sprintf("(mutant(%d) && (%s) || !mutant(%d) && (%s))", n, m.After, n, m.Before)
	case m.args[0] != "":
		return either(m.args[0], m.args[1]) + ", " + either(m.args[1], m.args[0])
	}
	return either(m.Before, m.After)
}

// batch is mutations that are built together, or one by itself.
type batch struct {
	sites []*site
	// alone: the one mutation needs no switch.
	alone bool
}

// number is the switch of a site.
func (b *batch) number(m *site) int { return slices.Index(b.sites, m) + 1 }

// batches puts sites together. Those that cannot be switched, such as in constants, are by
// themselves.
func batches(l *loader, list []*site) (out []*batch) {
	for _, m := range list {
		i := slices.IndexFunc(out, func(b *batch) bool {
			return !slices.ContainsFunc(b.sites, func(o *site) bool { return o.File == m.File && o.Start < m.End && m.Start < o.End })
		})
		if i < 0 {
			out, i = append(out, &batch{}), len(out)
		}
		out[i].sites = append(out[i].sites, m)
	}
	for _, b := range slices.Clone(out) {
		if l.switches(b) {
			continue
		}
		b.sites = slices.DeleteFunc(b.sites, func(m *site) bool {
			if one := (&batch{sites: []*site{m}}); !l.switches(one) {
				one.alone = true
				out = append(out, one)
				return true
			}
			return false
		})
	}
	return out
}

// switches reports whether the packages of a batch compile with its switches.
func (l *loader) switches(b *batch) bool {
	texts := b.overlay()
	var done []*source
	for _, m := range b.sites {
		if slices.Contains(done, m.of) {
			continue
		}
		done = append(done, m.of)
		mutated := *m.of
		mutated.files = nil
		for _, f := range m.of.files {
			if text, ok := texts[f.name]; ok {
				syntax, err := parser.ParseFile(l.fset, f.name, text, parser.SkipObjectResolution)
				if err != nil {
					return false
				}
				f = &file{f.name, text, syntax}
			}
			mutated.files = append(mutated.files, f)
		}
		extra, err := parser.ParseFile(l.fset, "switch.go", fmt.Sprintf("package %s\nfunc mutant(int) bool { return false }", m.of.types.Name()), 0)
		if err != nil {
			return false
		}
		mutated.files = append(mutated.files, &file{syntax: extra})
		if _, _, err := l.check(&mutated, nil, nil); err != nil {
			return false
		}
	}
	return true
}

// overlay is the files of a batch, by their names in the project.
func (b *batch) overlay() map[string][]byte {
	out := map[string][]byte{}
	if b.alone {
		m := b.sites[0]
		out[m.File] = m.mutated(m.in.text)
		return out
	}
	order := slices.SortedFunc(slices.Values(b.sites), func(a, o *site) int { return o.Start - a.Start }) // from behind
	for _, m := range order {
		text, ok := out[m.File]
		if !ok {
			text = m.in.text
			out[path.Join(path.Dir(m.File), "mutant_switch.go")] = fmt.Appendf(nil, switchFile, m.of.types.Name())
		}
		out[m.File] = slices.Concat(text[:m.Start], []byte(m.switched(b.number(m))), text[m.End:])
	}
	return out
}
