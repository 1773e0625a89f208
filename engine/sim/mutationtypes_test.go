package sim

import (
	"bytes"
	"errors"
	"fmt"
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
	"slices"
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
	dirs := map[bool][]string{} // those of files that are tests, and of others
	for _, file := range files {
		if dir, tests := filepath.Dir(file), isTest(file); !slices.Contains(dirs[tests], dir) {
			dirs[tests] = append(dirs[tests], dir)
		}
	}
	built := map[string]string{}
	for tests, in := range dirs {
		args := []string{"list", "-export", "-deps", "-f", "{{if not .ForTest}}{{.ImportPath}} {{.Export}}{{end}}", fmt.Sprintf("-test=%v", tests)}
		list := exec.Command("go", append(args, in...)...)
		list.Stderr = os.Stderr
		out, err := list.Output()
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(out)) {
			path, export, _ := strings.Cut(strings.TrimSpace(line), " ")
			built[path] = export
		}
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

func isTest(file string) bool { return strings.HasSuffix(file, "_test.go") }

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
			if !ours { // of another system
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
		if name != file && parsed.Name.Name == changed.Name.Name && (isTest(file) || !isTest(name)) {
			files = append(files, parsed)
		}
	}
	_, err = (&types.Config{Importer: c.imports}).Check(changed.Name.Name, c.set, files, nil)
	return err
}
