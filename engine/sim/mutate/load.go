package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// module is the import path of the project.
const module = "github.com/drainboard/drainboard"

// targets are the packages that are mutated: what decides, and the loop that drives it.
var targets = []string{"engine", "engine/assess", "engine/assess/blockers", "engine/assess/movers", "engine/assess/preflight", "engine/drain", "engine/live", "engine/record", "engine/record/check", "engine/record/diff", "engine/roll", "engine/snapshot", "engine/strategy", "engine/text", "engine/validation", "engine/validationwait", "engine/world"}

// source is a package with its syntax and types.
type source struct {
	path  string // import path
	files []*file
	types *types.Package
	info  *types.Info
}

// file is a source file; its name is relative to the root of the module.
type file struct {
	name   string
	text   []byte
	syntax *ast.File
}

// loader parses and type-checks packages. Imports come from the compiler's export data.
type loader struct {
	root    string
	fset    *token.FileSet
	exports map[string]string // import path → file with export data
	imports types.Importer
}

// listed is what `go list` tells of a package.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
}

// load reads the targets of the module in root.
func load(root string) (*loader, []*source, error) {
	l := &loader{root: root, fset: token.NewFileSet(), exports: map[string]string{}}
	args := []string{"list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles"}
	for _, t := range targets {
		args = append(args, "./"+t)
	}
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Stderr = root, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, nil, fmt.Errorf("go list: %w", err)
	}
	wanted := map[string]listed{}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			return nil, nil, fmt.Errorf("go list: %w", err)
		}
		l.exports[p.ImportPath] = p.Export
		wanted[strings.TrimPrefix(p.ImportPath, module+"/")] = p
	}
	l.imports = importer.ForCompiler(l.fset, "gc", l.open)
	var sources []*source
	for _, t := range targets {
		s, err := l.source(wanted[t])
		if err != nil {
			return nil, nil, err
		}
		sources = append(sources, s)
	}
	return l, sources, nil
}

// open reads what a package exports.
func (l *loader) open(path string) (io.ReadCloser, error) { return os.Open(l.exports[path]) }

// source parses and checks a package.
func (l *loader) source(p listed) (*source, error) {
	s := &source{path: p.ImportPath}
	for _, name := range p.GoFiles {
		text, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			return nil, err
		}
		rel, err := filepath.Rel(l.root, filepath.Join(p.Dir, name))
		if err != nil {
			return nil, err
		}
		syntax, err := parser.ParseFile(l.fset, rel, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		s.files = append(s.files, &file{filepath.ToSlash(rel), text, syntax})
	}
	var err error
	s.types, s.info, err = l.check(s, nil, nil)
	return s, err
}

// check type-checks a package, with one file in the place of another if there is one.
func (l *loader) check(s *source, old, with *ast.File) (*types.Package, *types.Info, error) {
	var files []*ast.File
	for _, f := range s.files {
		if old != nil && f.syntax == old {
			files = append(files, with)
		} else {
			files = append(files, f.syntax)
		}
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
	conf := types.Config{Importer: l.imports}
	p, err := conf.Check(s.path, l.fset, files, info)
	return p, info, err
}

// compiles reports whether a package compiles with the site's mutation.
func (l *loader) compiles(s *source, f *file, m *site) bool {
	syntax, err := parser.ParseFile(l.fset, f.name, m.mutated(f.text), parser.SkipObjectResolution)
	if err != nil {
		return false
	}
	_, _, err = l.check(s, f.syntax, syntax)
	return err == nil
}
