package gardener

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/drainboard/drainboard/lab/programs"
	"github.com/drainboard/drainboard/lab/try"
)

//go:embed shoot_crd.yaml
var shootCRD []byte

// defineKinds defines the kinds of Gardener and of machine-controller-manager, if they
// are not there, and waits until they are served, and Shoots are checked.
func (s *Shoot) defineKinds(ctx context.Context) error {
	definitions, err := programs.Definitions(s.host.BinDir)
	if err != nil {
		return err
	}
	for _, definition := range slices.Concat([][]byte{shootCRD}, definitions) {
		if err := s.define(ctx, definition); err != nil {
			return err
		}
	}
	return s.refuseWrong(ctx)
}

// define creates a CustomResourceDefinition, in YAML, and waits until it is served.
func (s *Shoot) define(ctx context.Context, definition []byte) error {
	data, err := yaml.ToJSON(definition)
	if err != nil {
		return err
	}
	const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
	api := s.client.Discovery().RESTClient()
	made, err := api.Post().AbsPath(path).SetHeader("Content-Type", runtime.ContentTypeJSON).Body(data).Do(ctx).Raw()
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("define %s: %w: %s", crdName(data), err, made)
	}
	return try.Until(ctx, 50*time.Millisecond, func() (bool, error) {
		now, err := api.Get().AbsPath(path, crdName(data)).Do(ctx).Raw()
		return err == nil && established(now), nil
	})
}

// crdName is the name of a CustomResourceDefinition, in JSON.
func crdName(data []byte) string {
	var crd struct{ Metadata struct{ Name string } }
	_ = json.Unmarshal(data, &crd)
	return crd.Metadata.Name
}

// established reports whether a CustomResourceDefinition, in JSON, is served.
func established(data []byte) bool {
	var crd struct {
		Status struct {
			Conditions []struct{ Type, Status string }
		}
	}
	if json.Unmarshal(data, &crd) != nil {
		return false
	}
	for _, c := range crd.Status.Conditions {
		if c.Type == "Established" {
			return c.Status == "True"
		}
	}
	return false
}
