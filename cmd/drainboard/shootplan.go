package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/utils/ptr"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/providers/gardener/shoot"
	"github.com/drainboard/drainboard/providers/kube"
)

const changeHelp = `A change of a Gardener Shoot: what each of its worker pools gets (docs/gardener.md).

  drainboard plan --provider gardener --shoot garden-shop/prod --garden-kubeconfig FILE --change NEW.yaml
  drainboard plan --provider gardener --shoot-file OLD.yaml --change NEW.yaml        # no cluster is asked
  drainboard plan --provider gardener --shoot-file OLD.yaml --kubernetes-version 1.32.0
  drainboard plan POOL... --provider gardener ... --machine-image-version 1632.0.0

It exits with 0 if Gardener takes the change, whatever it does; with 1 if Gardener's API refuses it; with 2 if the plan could not be made.`

// planChange shows what a change of a Shoot would do; only the pools that are named, if any.
func (a *app) planChange(cmd *cobra.Command, pools []string, asJSON bool) error {
	f, err := readChange(cmd)
	if err != nil {
		return exitcode.Usage(err)
	}
	if all, _ := cmd.Flags().GetBool("all"); all && len(pools) > 0 {
		return exitcode.Usage(fmt.Errorf("--all is every pool, so %s need not be named: leave one of the two out", strings.Join(pools, ", ")))
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), lookLimit)
	defer cancel()
	change, notes, err := a.change(ctx, f, pools)
	if err != nil {
		return exitcode.Usage(err)
	}
	p := change.Plan()
	p.Notes = slices.Concat(notes, p.Notes)
	if asJSON {
		if err := present.JSON(a.Out, present.ChangeOf(p.Only(pools))); err != nil {
			return err
		}
	} else {
		present.WriteChange(a.Out, p, pools)
	}
	if p.Refused {
		return exitcode.With(exitcode.Failed, fmt.Errorf("refused by Gardener's API: %s", p.Refusals[0].Why))
	}
	return nil
}

// change reads the Shoot, and what it is to become.
func (a *app) change(ctx context.Context, f changeFlags, pools []string) (c shoot.Change, notes []string, err error) {
	c.Now = time.Now()
	var garden *kube.Client
	if f.shootFile != "" {
		c.Old, err = a.shootFile(f.shootFile)
	} else {
		if garden, err = openGarden(ctx, f.garden); err != nil {
			return c, nil, err
		}
		c.Old, err = readShoot(ctx, garden, f.shoot)
		c.Now = garden.Clock().Now()
	}
	if err != nil {
		return c, nil, err
	}
	if c.New, notes, err = a.become(c.Old, f, pools); err != nil {
		return c, nil, err
	}
	for _, pool := range pools { // one that comes or goes is in one of the two
		if err := c.Old.Has([]string{pool}); err != nil && c.New.Has([]string{pool}) != nil {
			return c, nil, err
		}
	}
	c.Profile, err = a.profile(f.profile, c.New)
	if garden != nil && f.profile == "" {
		var why string
		if c.Profile, why = readProfile(ctx, garden, c.New); why != "" {
			notes = append(notes, why)
		}
	}
	return c, notes, err
}

// become is the Shoot with the change in it.
func (a *app) become(old *shoot.Shoot, f changeFlags, pools []string) (become *shoot.Shoot, notes []string, err error) {
	become = old
	if f.change != "" {
		wanted, err := a.shootFile(f.change)
		if err != nil {
			return nil, nil, err
		}
		threeWay := false
		if become, threeWay, err = old.Apply(wanted); err != nil {
			return nil, nil, fmt.Errorf("--change %s: %w", f.change, err)
		}
		if threeWay {
			notes = append(notes, "the manifest is laid over the Shoot as kubectl apply does: what it never spoke of stays")
		} else {
			notes = append(notes, "the manifest is taken for the whole spec, as kubectl replace does: what it leaves out goes")
		}
	}
	if f.kubernetes != "" {
		if become, err = become.WithKubernetes(f.kubernetes, pools); err != nil {
			return nil, nil, fmt.Errorf("--kubernetes-version: %w", err)
		}
	}
	if f.image != "" {
		if become, err = become.WithImage(f.image, pools); err != nil {
			return nil, nil, fmt.Errorf("--machine-image-version: %w", err)
		}
	}
	if f.operation != "" {
		if become, err = become.WithOperation(f.operation); err != nil {
			return nil, nil, fmt.Errorf("--operation: %w", err)
		}
	}
	return become, notes, nil
}

func (a *app) shootFile(name string) (*shoot.Shoot, error) {
	called, data, err := manifest(name, a.In)
	if err != nil {
		return nil, err
	}
	return shoot.Decode(called, data)
}

// profile reads a CloudProfile from a file, if one is given. It has to be the Shoot's.
func (a *app) profile(name string, of *shoot.Shoot) (*shoot.Profile, error) {
	if name == "" {
		return nil, nil
	}
	called, data, err := manifest(name, a.In)
	if err != nil {
		return nil, err
	}
	p, err := shoot.DecodeProfile(called, data)
	if err != nil {
		return nil, err
	}
	if kind, want := of.ProfileRef(); want != "" && (p.Name != want || p.Kind != kind) {
		return nil, fmt.Errorf("--cloud-profile: %s is the %s %s, and the Shoot is made by the %s %s", called, p.Kind, p.Name, kind, want)
	}
	return p, nil
}

// openGarden opens the garden cluster, to read only.
func openGarden(ctx context.Context, kubeconfig string) (*kube.Client, error) {
	if _, err := os.Stat(kubeconfig); err != nil {
		return nil, fmt.Errorf("--garden-kubeconfig: %w", err)
	}
	k, err := kube.ConnectReadOnly(ctx, &genericclioptions.ConfigFlags{KubeConfig: &kubeconfig, Context: ptr.To(""), ClusterName: ptr.To("")}, version)
	if err != nil {
		return nil, fmt.Errorf("--garden-kubeconfig %s: %w", kubeconfig, err)
	}
	return k, nil
}

// gardenAPI is where the garden cluster has its objects.
const gardenAPI = "/apis/core.gardener.cloud/v1beta1"

// readShoot reads a Shoot by NAMESPACE/NAME.
func readShoot(ctx context.Context, garden *kube.Client, ref string) (*shoot.Shoot, error) {
	ns, name, _ := strings.Cut(ref, "/")
	data, err := garden.Read(ctx, gardenAPI+"/namespaces/"+url.PathEscape(ns)+"/shoots/"+url.PathEscape(name))
	switch {
	case errors.Is(err, kube.ErrNoKind):
		return nil, errors.New("this cluster has no Shoots: --garden-kubeconfig has to lead to the garden cluster, not to the Shoot's own or to its seed")
	case errors.Is(err, kube.ErrNoObject):
		return nil, fmt.Errorf("--shoot: there is no Shoot %s; kubectl get shoots -n %s lists them", ref, ns)
	case err != nil:
		return nil, err
	}
	return shoot.Decode("the Shoot "+ref, data)
}

// readProfile reads the CloudProfile of a Shoot; why it could not is no more than a note.
func readProfile(ctx context.Context, garden *kube.Client, of *shoot.Shoot) (p *shoot.Profile, why string) {
	kind, name := of.ProfileRef()
	if name == "" {
		return nil, ""
	}
	path := gardenAPI + "/cloudprofiles/" + url.PathEscape(name)
	if kind == shoot.NamespacedCloudProfile {
		path = gardenAPI + "/namespaces/" + url.PathEscape(of.Metadata.Namespace) + "/namespacedcloudprofiles/" + url.PathEscape(name)
	}
	data, err := garden.Read(ctx, path)
	if err == nil {
		p, err = shoot.DecodeProfile("the "+kind+" "+name, data)
	}
	if err != nil {
		return nil, fmt.Sprintf("the %s %s was not read: %s", kind, name, err)
	}
	return p, ""
}
