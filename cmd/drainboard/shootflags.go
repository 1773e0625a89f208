package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/providers/gardener/shoot"
)

// changeFlags say which change of which Shoot a plan is of.
type changeFlags struct {
	shoot, garden      string // NAMESPACE/NAME in the cluster of this kubeconfig
	shootFile          string // or in a file
	change             string // a manifest
	kubernetes, image  string // or a version
	operation, profile string
}

// addChange has the flags of a change on plan. Where the Shoot is, is with those that say
// where groups live.
func addChange(fl *pflag.FlagSet) {
	fl.String("shoot-file", "", "Gardener: the Shoot as it is, from a file (- for standard input) and not from a cluster")
	fl.String("change", "", "Gardener: a changed manifest of the Shoot (- for standard input): what each pool gets if it is applied")
	fl.String("machine-image-version", "", "Gardener: the change is this version of the machine image, of the POOLs or of all")
	fl.String("operation", "", "Gardener: the change is this operation, as the annotation gardener.cloud/operation has it")
	fl.String("cloud-profile", "", "Gardener: the Shoot's CloudProfile, from a file (default: that of the garden cluster)")
}

// ofChange are the flags that say that a plan is of a change.
var ofChange = []string{"shoot-file", "change", "machine-image-version", "operation", "cloud-profile", "shoot", "garden-kubeconfig"}

// makesChange are those of them that say what changes, or what of.
var makesChange = []string{"shoot-file", "change", "machine-image-version", "operation", "cloud-profile"}

// isChange reports whether a plan is of a change of a Shoot. A Kubernetes version is one where
// other flags speak of Shoots.
func isChange(cmd *cobra.Command, provider string) (bool, error) {
	given := func(name string) bool { return cmd.Flags().Changed(name) }
	if provider != backend.Any && provider != "" && provider != backend.Gardener {
		if i := slices.IndexFunc(ofChange, given); i >= 0 {
			return false, exitcode.Usage(fmt.Errorf("--%s is for Shoots of Gardener: --provider %s has no use for it", ofChange[i], provider))
		}
		return false, nil
	}
	shoots := provider == backend.Gardener || slices.ContainsFunc(ofChange, given)
	return slices.ContainsFunc(makesChange, given) || shoots && given("kubernetes-version"), nil
}

// readChange reads the flags of a plan of a change, and refuses what makes no sense together.
func readChange(cmd *cobra.Command) (f changeFlags, err error) {
	fl := cmd.Flags()
	for name, to := range map[string]*string{
		"shoot": &f.shoot, "garden-kubeconfig": &f.garden, "shoot-file": &f.shootFile, "change": &f.change, "machine-image-version": &f.image,
		"operation": &f.operation, "cloud-profile": &f.profile, "kubernetes-version": &f.kubernetes,
	} {
		if *to, err = fl.GetString(name); err != nil {
			return f, err
		}
		if fl.Changed(name) && strings.TrimSpace(*to) == "" {
			return f, fmt.Errorf("--%s is empty", name)
		}
	}
	fl.Visit(func(given *pflag.Flag) {
		if err == nil {
			err = fitsChange(given.Name)
		}
	})
	if err != nil {
		return f, err
	}
	return f, f.check()
}

// check refuses what makes no sense together.
func (f changeFlags) check() error {
	ns, name, both := strings.Cut(f.shoot, "/")
	switch {
	case f.shootFile != "" && (f.shoot != "" || f.garden != ""):
		return errors.New("--shoot-file is the Shoot: leave out --shoot and --garden-kubeconfig, which read it from a cluster")
	case f.shootFile == "" && f.shoot == "" && f.garden == "":
		return errors.New("which Shoot? Give --shoot NAMESPACE/NAME with --garden-kubeconfig FILE, or --shoot-file FILE")
	case f.shootFile == "" && f.garden == "":
		return errors.New("--shoot needs --garden-kubeconfig FILE, the kubeconfig of the garden cluster; without one give --shoot-file FILE")
	case f.shootFile == "" && f.shoot == "":
		return errors.New("--garden-kubeconfig needs --shoot NAMESPACE/NAME")
	case f.shoot != "" && (!both || ns == "" || name == "" || strings.Contains(name, "/")):
		return fmt.Errorf("--shoot: %q is not NAMESPACE/NAME", f.shoot)
	}
	return f.checkChange()
}

// checkChange refuses what makes no sense together of what changes.
func (f changeFlags) checkChange() error {
	inputs := 0
	for _, name := range []string{f.shootFile, f.change, f.profile} {
		if name == "-" {
			inputs++
		}
	}
	switch {
	case f.change != "" && (f.kubernetes != "" || f.image != ""):
		return errors.New("--change is the change: put the versions into it, or leave it out")
	case f.change == "" && f.kubernetes == "" && f.image == "" && f.operation == "":
		return errors.New("which change? Give --change FILE, --kubernetes-version, --machine-image-version or --operation")
	case inputs > 1:
		return errors.New("only one of --shoot-file, --change and --cloud-profile can be standard input (-)")
	}
	return nil
}

// fitsChange refuses the flags that a plan of a change has no use for.
func fitsChange(name string) error {
	switch name {
	case "provider", "kubernetes-version", "output", "all", "record-namespace", "shoot-file", "change", "machine-image-version", "operation", "cloud-profile", "shoot", "garden-kubeconfig":
		return nil
	case "kubeconfig", "context", "cluster":
		return fmt.Errorf("--%s is the cluster of the nodes, which a plan of a change does not look at: the Shoot is in the garden cluster (--garden-kubeconfig)", name)
	case "max-surge", "max-unavailable", "drain-timeout", "node-ready-timeout":
		return fmt.Errorf("--%s: Gardener rolls its pools by what the Shoot says (maxSurge, maxUnavailable, machineControllerManager): change it there", name)
	}
	return fmt.Errorf("--%s has no use in a plan of a change: Gardener rolls the pools, by what the Shoot says", name)
}

// manifest reads a file, or standard input for -, up to the size that a manifest may have.
// called is what errors call it.
func manifest(name string, in *bufio.Reader) (called string, data []byte, err error) {
	var from io.Reader = in
	called = name
	if name == "-" {
		called = "standard input"
	} else {
		file, err := os.Open(name)
		if err != nil {
			return called, nil, err
		}
		defer func() { _ = file.Close() }()
		if info, err := file.Stat(); err == nil && info.IsDir() {
			return called, nil, fmt.Errorf("%s is a directory: give a file", name)
		}
		from = file
	}
	data, err = io.ReadAll(io.LimitReader(from, shoot.Most+1))
	if err != nil {
		return called, nil, fmt.Errorf("cannot read %s: %w", called, err)
	}
	return called, data, nil
}
