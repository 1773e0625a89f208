// Package programs builds what a lab runs and what its tests test, into bin/ of the repository, and finds
// it there: the programs lab and kwok, the definitions of machine-controller-manager's kinds, and
// drainboard.
package programs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// linkFlags give the components their version, which Kubernetes' own build does
// and without which clients cannot parse what the API server says of itself.
const linkFlags = "-s -w -X k8s.io/component-base/version.gitVersion=v1.36.3 -X k8s.io/client-go/pkg/version.gitVersion=v1.36.3"

// Build makes the programs lab and kwok in bin/ of the repository that the
// working directory is in, where lab.Start looks for them, with the definitions that
// Shoots need. The first time takes some ten minutes on two cores, since
// Kubernetes is compiled; later ones are quick.
func Build(ctx context.Context) error {
	root, err := Repository()
	if err != nil {
		return err
	}
	build := func(program, source string, flags ...string) error {
		args := append([]string{"build", "-ldflags", linkFlags, "-o", filepath.Join(root, "bin", program)}, flags...)
		cmd := exec.CommandContext(ctx, "go", append(args, source)...)
		cmd.Dir = filepath.Join(root, "lab")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("build %s: %w\n%s", program, err, out)
		}
		return nil
	}
	if err := build("lab", "./cmd/lab"); err != nil {
		return err
	}
	modfile, err := mendKwok(ctx, root)
	if err != nil {
		return fmt.Errorf("mend KWOK: %w", err)
	}
	if err := build("kwok", "sigs.k8s.io/kwok/cmd/kwok", "-modfile", modfile); err != nil {
		return err
	}
	if err := copyDefinitions(ctx, root); err != nil {
		return fmt.Errorf("copy the definitions of machine-controller-manager's kinds: %w", err)
	}
	return nil
}

// programEnv names a drainboard to test in place of the one of this repository.
const programEnv = "DRAINBOARD_E2E_PROGRAM"

// Drainboard is the program to test, as make builds it in bin/ of the repository that
// the working directory is in, or the one that the environment names.
func Drainboard(ctx context.Context) (string, error) {
	if program := os.Getenv(programEnv); program != "" {
		return program, nil
	}
	root, err := Repository()
	if err != nil {
		return "", err
	}
	program := filepath.Join(root, "bin", "drainboard")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", program, "./cmd/drainboard")
	cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build drainboard: %w\n%s", err, out)
	}
	return program, nil
}

// kwokFlaws are lines of KWOK v0.8.0 (pkg/kwok/controllers/controller.go), each with what
// stands there in the lab's.
var kwokFlaws = []struct{ flaw, mended string }{
	// The two halves of the fake kubelet were begun in a random order. Where the one for pods
	// came first, one time in eight, it was not told how to look at a node's lease, and the
	// pods of a silent node (Lab.Silence) ended as those of any other.
	{
		"for ref, stage := range c.conf.LocalStages {\n",
		"for _, ref := range []internalversion.StageResourceRef{nodeRef, podRef} {\n\t\t\tstage := c.conf.LocalStages[ref]\n",
	},
	// When KWOK took a node over (Lab.Revive) it looked at the pods there at once, and left
	// them alone for ever if its watch did not show the lease as its own yet.
	{
		"\t\topt := informer.Option{\n\t\t\tFieldSelector:     fields.OneTermEqualSelector(\"spec.nodeName\", nodeName)",
		"\t\tfor range 100 {\n\t\t\tif c.readOnlyFunc == nil || !c.readOnlyFunc(nodeName) {\n\t\t\t\tbreak\n\t\t\t}\n\t\t\tc.conf.Clock.Sleep(50 * time.Millisecond)\n\t\t}\n" +
			"\t\topt := informer.Option{\n\t\t\tFieldSelector:     fields.OneTermEqualSelector(\"spec.nodeName\", nodeName)",
	},
}

// mendKwok makes a copy of KWOK's source without kwokFlaws, and a go.mod beside that of the
// lab with which go build takes it from there.
func mendKwok(ctx context.Context, root string) (modfile string, err error) {
	module, err := moduleDir(ctx, root, "sigs.k8s.io/kwok")
	if err != nil {
		return "", err
	}
	const flawed = "pkg/kwok/controllers/controller.go"
	source, err := os.ReadFile(filepath.Join(module, flawed))
	if err != nil {
		return "", err
	}
	text := string(source)
	for _, f := range kwokFlaws {
		if n := strings.Count(text, f.flaw); n != 1 {
			return "", fmt.Errorf("%s of %s has the lines %q %d times, not once: see whether this release needs mending, and how", flawed, module, strings.TrimSpace(f.flaw), n)
		}
		text = strings.Replace(text, f.flaw, f.mended, 1)
	}
	copied := filepath.Join(root, "bin", "kwok-source")
	if err := os.RemoveAll(copied); err != nil {
		return "", err
	}
	if err := os.CopyFS(copied, os.DirFS(module)); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(copied, flawed), []byte(text), 0o644); err != nil {
		return "", err
	}
	modfile = copied + ".mod"
	for _, ending := range []string{".mod", ".sum"} {
		data, err := os.ReadFile(filepath.Join(root, "lab", "go"+ending))
		if err != nil {
			return "", err
		}
		if ending == ".mod" {
			data = fmt.Appendf(data, "\nreplace sigs.k8s.io/kwok => %q\n", copied)
		}
		if err := os.WriteFile(copied+ending, data, 0o644); err != nil {
			return "", err
		}
	}
	return modfile, nil
}

// moduleDir returns the directory of the source of a module of the lab. It downloads the
// module if it is not in the module cache, where only what was built so far is.
func moduleDir(ctx context.Context, root, module string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", module)
	cmd.Dir = filepath.Join(root, "lab")
	out, err := cmd.Output()
	var download struct{ Dir, Error string }
	if parse := json.Unmarshal(out, &download); parse != nil || download.Error != "" || download.Dir == "" {
		return "", fmt.Errorf("download %s: %w", module, errors.Join(err, parse, errors.New(download.Error)))
	}
	return download.Dir, nil
}

// crdDir, beside the programs, holds the definitions of machine-controller-manager's
// kinds. Build copies them from its module, which does not offer them to go:embed.
const crdDir = "crds"

// definitionFiles are their names there.
const definitionFiles = "machine.sapcloud.io_*.yaml"

// Definitions are the CustomResourceDefinitions of machine-controller-manager's kinds, in YAML,
// from the directory of the programs.
func Definitions(bin string) ([][]byte, error) {
	files, err := filepath.Glob(filepath.Join(bin, crdDir, definitionFiles))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("definitions missing in %s, build the lab's programs first: %w", filepath.Join(bin, crdDir), os.ErrNotExist)
	}
	var definitions [][]byte
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		definitions = append(definitions, data)
	}
	return definitions, nil
}

// copyDefinitions takes the definitions of machine-controller-manager's kinds out of its
// module, which is there once lab is built.
func copyDefinitions(ctx context.Context, root string) error {
	module, err := moduleDir(ctx, root, "github.com/gardener/machine-controller-manager")
	if err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(module, "kubernetes", "crds", definitionFiles))
	if err != nil {
		return err
	}
	to := filepath.Join(root, "bin", crdDir)
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(to, filepath.Base(file)), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// Repository finds the root of the Drainboard repository: the directory, this
// one or above, that contains lab/go.mod.
func Repository() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "lab", "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("not inside the Drainboard repository: no lab/go.mod above the working directory")
		}
		dir = parent
	}
}
