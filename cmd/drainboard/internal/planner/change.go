package planner

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/drainboard/drainboard/providers/gardener/shoot"
	"github.com/drainboard/drainboard/providers/kube"
)

// Change is a change of a Shoot to plan, as given on the command line.
type Change struct {
	Shoot, Garden     string // NAMESPACE/NAME in the cluster of this kubeconfig
	ShootFile         string // or in a file
	Manifest          string // the changed Shoot
	Kubernetes, Image string // or a version
	Operation         string
	Profile           string        // the file of its CloudProfile, "" for that of the garden cluster
	In                *bufio.Reader // what - is
	Version           string        // of this program, for the user agent
}

// Check refuses flags that contradict each other.
func (c Change) Check() error {
	ns, name, both := strings.Cut(c.Shoot, "/")
	switch {
	case c.ShootFile != "" && (c.Shoot != "" || c.Garden != ""):
		return errors.New("--shoot-file contradicts --shoot and --garden-kubeconfig, which read the Shoot from a cluster")
	case c.ShootFile == "" && c.Shoot == "" && c.Garden == "":
		return errors.New("no Shoot: give --shoot NAMESPACE/NAME with --garden-kubeconfig FILE, or --shoot-file FILE")
	case c.ShootFile == "" && c.Garden == "":
		return errors.New("--shoot needs --garden-kubeconfig FILE, the kubeconfig of the garden cluster; without it use --shoot-file FILE")
	case c.ShootFile == "" && c.Shoot == "":
		return errors.New("--garden-kubeconfig needs --shoot NAMESPACE/NAME")
	case c.Shoot != "" && (!both || ns == "" || name == "" || strings.Contains(name, "/")):
		return fmt.Errorf("--shoot: %q is not NAMESPACE/NAME", c.Shoot)
	}
	return c.checkChange()
}

// checkChange refuses flags of the change that contradict each other.
func (c Change) checkChange() error {
	inputs := 0
	for _, name := range []string{c.ShootFile, c.Manifest, c.Profile} {
		if name == "-" {
			inputs++
		}
	}
	switch {
	case c.Manifest != "" && (c.Kubernetes != "" || c.Image != ""):
		return errors.New("--change contradicts --kubernetes-version and --machine-image-version: put the versions into the file")
	case c.Manifest == "" && c.Kubernetes == "" && c.Image == "" && c.Operation == "":
		return errors.New("no change: give --change FILE, --kubernetes-version, --machine-image-version or --operation")
	case inputs > 1:
		return errors.New("only one of --shoot-file, --change and --cloud-profile can be standard input (-)")
	}
	return nil
}

// Read reads the Shoot, and applies the change.
func (c Change) Read(ctx context.Context, pools []string) (out shoot.Change, notes []string, err error) {
	out.Now = time.Now()
	var garden *kube.Client
	if c.ShootFile != "" {
		if out.Old, err = c.shoot(c.ShootFile); err != nil {
			err = fmt.Errorf("--shoot-file: %w", err)
		}
	} else {
		if garden, err = openGarden(ctx, c.Garden, c.Version); err != nil {
			return out, nil, err
		}
		out.Old, err = readShoot(ctx, garden, c.Shoot)
		out.Now = garden.Clock().Now()
	}
	if err != nil {
		return out, nil, err
	}
	if out.New, notes, err = c.become(out.Old, pools); err != nil {
		return out, nil, err
	}
	for _, pool := range pools { // an added or removed pool is in one of the two
		if err := out.Old.Has([]string{pool}); err != nil && out.New.Has([]string{pool}) != nil {
			return out, nil, err
		}
	}
	out.Profile, err = c.profile(out.New)
	if garden != nil && c.Profile == "" {
		var why string
		if out.Profile, why = readProfile(ctx, garden, out.New); why != "" {
			notes = append(notes, why)
		}
	}
	return out, notes, err
}

// become returns the Shoot with the change applied.
func (c Change) become(old *shoot.Shoot, pools []string) (become *shoot.Shoot, notes []string, err error) {
	become = old
	if c.Manifest != "" {
		wanted, err := c.shoot(c.Manifest)
		if err != nil {
			return nil, nil, fmt.Errorf("--change: %w", err)
		}
		how := shoot.How("")
		if become, how, err = old.Apply(wanted); err != nil {
			return nil, nil, fmt.Errorf("--change %s: %w", c.Manifest, err)
		}
		notes = append(notes, map[shoot.How]string{
			shoot.Applies:  "the manifest is applied as by kubectl apply: pools are merged by name, fields that it never had stay",
			shoot.Adds:     "the manifest is applied as by kubectl apply: pools are merged by name. What was applied last is not known, so nothing is removed",
			shoot.Replaces: "the manifest has a resourceVersion: it replaces the whole spec, as by kubectl edit or replace; missing fields are removed",
		}[how])
	}
	if c.Kubernetes != "" {
		if become, err = become.WithKubernetes(c.Kubernetes, pools); err != nil {
			return nil, nil, fmt.Errorf("--kubernetes-version: %w", err)
		}
	}
	if c.Image != "" {
		if become, err = become.WithImage(c.Image, pools); err != nil {
			return nil, nil, fmt.Errorf("--machine-image-version: %w", err)
		}
	}
	if c.Operation != "" {
		if become, err = become.WithOperation(c.Operation); err != nil {
			return nil, nil, fmt.Errorf("--operation: %w", err)
		}
	}
	return become, notes, nil
}

// shoot reads a Shoot from a file.
func (c Change) shoot(name string) (*shoot.Shoot, error) {
	called, data, err := manifest(name, c.In)
	if err != nil {
		return nil, err
	}
	return shoot.Decode(called, data)
}

// profile reads a CloudProfile from a file, if one is given. It has to be the Shoot's.
func (c Change) profile(of *shoot.Shoot) (*shoot.Profile, error) {
	if c.Profile == "" {
		return nil, nil
	}
	called, data, err := manifest(c.Profile, c.In)
	if err != nil {
		return nil, err
	}
	p, err := shoot.DecodeProfile(called, data)
	if err != nil {
		return nil, err
	}
	if kind, want := of.ProfileRef(); want != "" && (p.Name != want || p.Kind != kind) {
		return nil, fmt.Errorf("--cloud-profile: %s is %s %s, the Shoot uses %s %s", called, p.Kind, p.Name, kind, want)
	}
	return p, nil
}
