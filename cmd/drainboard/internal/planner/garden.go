package planner

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"

	"github.com/drainboard/drainboard/providers/gardener/shoot"
	"github.com/drainboard/drainboard/providers/kube"
)

// openGarden opens the garden cluster, to read only.
func openGarden(ctx context.Context, kubeconfig, version string) (*kube.Client, error) {
	if _, err := os.Stat(kubeconfig); err != nil {
		return nil, fmt.Errorf("--garden-kubeconfig: %w", err)
	}
	k, err := kube.ConnectReadOnly(ctx, kube.Flags{Kubeconfig: kubeconfig}, version)
	if err != nil {
		return nil, fmt.Errorf("--garden-kubeconfig %s: %w", kubeconfig, err)
	}
	return k, nil
}

// gardenAPI is the API path of Gardener's objects.
const gardenAPI = "/apis/core.gardener.cloud/v1beta1"

// readShoot reads a Shoot by NAMESPACE/NAME.
func readShoot(ctx context.Context, garden *kube.Client, ref string) (*shoot.Shoot, error) {
	ns, name, _ := strings.Cut(ref, "/")
	data, err := garden.Read(ctx, gardenAPI+"/namespaces/"+url.PathEscape(ns)+"/shoots/"+url.PathEscape(name))
	switch {
	case errors.Is(err, kube.ErrNoKind):
		return nil, errors.New("this cluster has no Shoots: --garden-kubeconfig must be that of the garden cluster, not of the Shoot or its seed")
	case errors.Is(err, kube.ErrNoObject):
		return nil, fmt.Errorf("--shoot: no Shoot %s (kubectl get shoots -n %s lists them)", ref, ns)
	case err != nil:
		return nil, err
	}
	return shoot.Decode("the Shoot "+ref, data)
}

// readProfile reads the CloudProfile of a Shoot; a failure is only a note.
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

// manifest reads a file, or standard input for -, up to the maximum size of a manifest.
// called is its name in errors.
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
