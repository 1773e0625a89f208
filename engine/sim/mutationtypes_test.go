package sim

import (
	"bytes"
	"errors"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// compiler type-checks a package with one of its files changed. Imports are read from what
// the compiler has built of them.
type compiler struct {
	set     *token.FileSet
	imports types.Importer
	parsed  map[string]map[string]*ast.File // by directory and file
}

// newCompiler prepares the compiler for the packages of files.
func newCompiler(t *testing.T, files []string) *compiler {
	t.Helper()
	args, listed := []string{"list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}"}, map[string]bool{}
	for _, file := range files {
		if dir := filepath.Dir(file); !listed[dir] {
			listed[dir] = true
			args = append(args, dir)
		}
	}
	list := exec.Command("go", args...)
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	built := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, export, _ := strings.Cut(strings.TrimSpace(line), " ")
		built[path] = export
	}
	c := &compiler{set: token.NewFileSet(), parsed: map[string]map[string]*ast.File{}}
	c.imports = importer.ForCompiler(c.set, "gc", func(path string) (io.ReadCloser, error) {
		if built[path] == "" {
			return nil, errors.New("not built: " + path)
		}
		return os.Open(built[path])
	})
	return c
}

// check says what the compiler would say of a file's package if the file had this text.
func (c *compiler) check(file, text string) error {
	dir := filepath.Dir(file)
	if c.parsed[dir] == nil {
		c.parsed[dir] = map[string]*ast.File{}
		names, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			return err
		}
		for _, name := range names {
			ours, err := build.Default.MatchFile(dir, filepath.Base(name))
			if err != nil {
				return err
			}
			if strings.HasSuffix(name, "_test.go") || !ours { // of another system
				continue
			}
			if c.parsed[dir][name], err = parser.ParseFile(c.set, name, nil, parser.SkipObjectResolution); err != nil {
				return err
			}
		}
	}
	changed, err := parser.ParseFile(c.set, file, bytes.NewBufferString(text), parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	files := []*ast.File{changed}
	for name, parsed := range c.parsed[dir] {
		if name != file {
			files = append(files, parsed)
		}
	}
	_, err = (&types.Config{Importer: c.imports}).Check(changed.Name.Name, c.set, files, nil)
	return err
}
