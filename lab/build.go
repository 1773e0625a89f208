package lab

import (
	"context"
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
// working directory is in, where Start looks for them, with the definitions that
// AddShoot needs. The first time takes some ten minutes on two cores, since
// Kubernetes is compiled; later ones are quick.
func Build(ctx context.Context) error {
	root, err := repository()
	if err != nil {
		return err
	}
	for program, source := range map[string]string{"lab": "./cmd/lab", Kwok: "sigs.k8s.io/kwok/cmd/kwok"} {
		cmd := exec.CommandContext(ctx, "go", "build", "-ldflags", linkFlags, "-o", filepath.Join(root, "bin", program), source)
		cmd.Dir = filepath.Join(root, "lab")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("build %s: %w\n%s", program, err, out)
		}
	}
	if err := copyDefinitions(ctx, root); err != nil {
		return fmt.Errorf("copy the definitions of machine-controller-manager's kinds: %w", err)
	}
	return nil
}

// programEnv names a drainboard to test in place of the one of this repository.
const programEnv = "DRAINBOARD_E2E_PROGRAM"

// BuildDrainboard is the program to test, as make builds it in bin/ of the repository that
// the working directory is in, or the one that the environment names.
func BuildDrainboard(ctx context.Context) (string, error) {
	if program := os.Getenv(programEnv); program != "" {
		return program, nil
	}
	root, err := repository()
	if err != nil {
		return "", err
	}
	program := filepath.Join(root, "bin", "drainboard")
	cmd := exec.CommandContext(ctx, "go", "build", "-o", program, "./cmd/drainboard")
	cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build drainboard: %w\n%s", err, out)
	}
	return program, nil
}

// copyDefinitions takes the definitions of machine-controller-manager's kinds out of its
// module, which is there once lab is built.
func copyDefinitions(ctx context.Context, root string) error {
	cmd := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/gardener/machine-controller-manager")
	cmd.Dir = filepath.Join(root, "lab")
	module, err := cmd.Output()
	if err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(module)), "kubernetes", "crds", definitionFiles))
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

// repository finds the root of the Drainboard repository: the directory, this
// one or above, that contains lab/go.mod.
func repository() (string, error) {
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
