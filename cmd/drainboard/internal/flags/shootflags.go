package flags

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/planner"
)

// AddChange adds the flags of a Shoot change to plan. Those that locate the Shoot are with
// the flags that locate groups.
func AddChange(fl *pflag.FlagSet) {
	fl.String("shoot-file", "", "Gardener: the Shoot as it is, from a file (- for standard input) and not from a cluster")
	fl.String("change", "", "Gardener: a changed manifest of the Shoot (- for standard input): what each pool gets if it is applied")
	fl.String("machine-image-version", "", "Gardener: the change is this version of the machine image, of the POOLs or of all")
	fl.String("operation", "", "Gardener: the change is this operation, as the annotation gardener.cloud/operation has it")
	fl.String("cloud-profile", "", "Gardener: the Shoot's CloudProfile, from a file (default: that of the garden cluster)")
}

// ofChange are the flags that make a plan one of a Shoot change.
var ofChange = []string{"shoot-file", "change", "machine-image-version", "operation", "cloud-profile", "shoot", "garden-kubeconfig"}

// makesChange are those of them that give the change or the Shoot's file.
var makesChange = []string{"shoot-file", "change", "machine-image-version", "operation", "cloud-profile"}

// IsChange reports whether a plan is of a Shoot change. --kubernetes-version is one where other
// flags refer to a Shoot.
func IsChange(cmd *cobra.Command, provider string) (bool, error) {
	given := func(name string) bool { return cmd.Flags().Changed(name) }
	if provider != backend.Any && provider != "" && provider != backend.Gardener {
		if i := slices.IndexFunc(ofChange, given); i >= 0 {
			return false, exitcode.Usage(fmt.Errorf("--%s is for Gardener Shoots and cannot be used with --provider %s", ofChange[i], provider))
		}
		return false, nil
	}
	shoots := provider == backend.Gardener || slices.ContainsFunc(ofChange, given)
	return slices.ContainsFunc(makesChange, given) || shoots && given("kubernetes-version"), nil
}

// ReadChange reads the flags of a plan of a change, and refuses those that contradict each other.
func ReadChange(cmd *cobra.Command) (c planner.Change, err error) {
	fl := cmd.Flags()
	for name, to := range map[string]*string{
		"shoot": &c.Shoot, "garden-kubeconfig": &c.Garden, "shoot-file": &c.ShootFile, "change": &c.Manifest, "machine-image-version": &c.Image,
		"operation": &c.Operation, "cloud-profile": &c.Profile, "kubernetes-version": &c.Kubernetes,
	} {
		if *to, err = fl.GetString(name); err != nil {
			return c, err
		}
		if fl.Changed(name) && strings.TrimSpace(*to) == "" {
			return c, fmt.Errorf("--%s is empty", name)
		}
	}
	fl.Visit(func(given *pflag.Flag) {
		if err == nil {
			err = fitsChange(given.Name)
		}
	})
	if err != nil {
		return c, err
	}
	return c, c.Check()
}

// fitsChange refuses the flags that do not apply to a plan of a change.
func fitsChange(name string) error {
	switch name {
	case "provider", "kubernetes-version", "output", "all", "record-namespace", "start-timeout", "shoot-file", "change", "machine-image-version", "operation", "cloud-profile", "shoot", "garden-kubeconfig":
		return nil
	case "kubeconfig", "context", "cluster":
		return fmt.Errorf("--%s selects the Shoot's own cluster, which a plan of a change does not read: the Shoot is in the garden cluster (--garden-kubeconfig)", name)
	case "max-surge", "max-unavailable", "drain-timeout", "node-ready-timeout":
		return fmt.Errorf("--%s: Gardener rolls its pools by the Shoot's settings (maxSurge, maxUnavailable, machineControllerManager): change them there", name)
	}
	return fmt.Errorf("--%s does not apply to a plan of a change: Gardener rolls the pools by the Shoot's settings", name)
}
