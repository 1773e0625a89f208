package lab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// linkFlags give the components their version, which Kubernetes' own build does
// and without which clients cannot parse what the API server says of itself.
const linkFlags = "-s -w -X k8s.io/component-base/version.gitVersion=v1.36.3 -X k8s.io/client-go/pkg/version.gitVersion=v1.36.3"

// Build makes the programs lab and kwok in bin/ of the repository that the
// working directory is in, where Start looks for them. The first time takes some
// ten minutes on two cores, since Kubernetes is compiled; later ones are quick.
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
