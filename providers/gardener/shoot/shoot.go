// Package shoot says what a change of a Shoot does to the nodes of its worker pools, before
// anybody makes it: which pools Gardener rolls, which it updates in place, which it leaves
// alone, and what its API refuses; with the field that decides.
//
// The rules are a table (trigger.go), a list of refusals (rules.go) and the maintenance time
// window (window.go), all from what Gardener's code does today. Where its document "Shoot
// Updates and Upgrades" says otherwise, the answer says so. Nothing here asks anybody
// anything: Shoots and CloudProfiles come in as text.
package shoot

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/drainboard/drainboard/engine/world"
)

// Most is how large a manifest may be, in bytes. The API takes less (etcd 1.5 MiB).
const Most = 4 << 20

// mostDocuments is how many documents a file may have.
const mostDocuments = 100

// Shoot is a Shoot of core.gardener.cloud, with every field that it came with.
type Shoot struct {
	object map[string]any // with what Gardener's API fills in
	given  map[string]any // as it came
	form
}

// form is what of a Shoot counts here.
type form struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Namespace         string            `json:"namespace"`
		Name              string            `json:"name"`
		Generation        int64             `json:"generation"`
		Annotations       map[string]string `json:"annotations"`
		DeletionTimestamp *metav1.Time      `json:"deletionTimestamp"`
	} `json:"metadata"`
	Spec   spec   `json:"spec"`
	Status status `json:"status"`
}

type spec struct {
	Region     string `json:"region"`
	Kubernetes struct {
		Version   string   `json:"version"`
		Kubelet   *kubelet `json:"kubelet"`
		KubeProxy struct {
			Mode string `json:"mode"`
		} `json:"kubeProxy"`
	} `json:"kubernetes"`
	Provider struct {
		Type    string   `json:"type"`
		Workers []worker `json:"workers"`
	} `json:"provider"`
	Networking struct {
		Type string `json:"type"`
	} `json:"networking"`
	SystemComponents struct {
		NodeLocalDNS struct {
			Enabled bool `json:"enabled"`
		} `json:"nodeLocalDNS"`
	} `json:"systemComponents"`
	Maintenance struct {
		TimeWindow *struct {
			Begin string `json:"begin"`
			End   string `json:"end"`
		} `json:"timeWindow"`
		ConfineSpecUpdateRollout bool `json:"confineSpecUpdateRollout"`
	} `json:"maintenance"`
	Hibernation struct {
		Enabled bool `json:"enabled"`
	} `json:"hibernation"`
	CloudProfile struct {
		Kind string `json:"kind"`
		Name string `json:"name"`
	} `json:"cloudProfile"`
	CloudProfileName string `json:"cloudProfileName"`
}

type status struct {
	ObservedGeneration int64 `json:"observedGeneration"`
	Gardener           struct {
		Version string `json:"version"`
	} `json:"gardener"`
	LastOperation operation `json:"lastOperation"`
	LastErrors    []struct {
		Description string `json:"description"`
	} `json:"lastErrors"`
	Conditions  []condition `json:"conditions"`
	Constraints []condition `json:"constraints"`
	Credentials struct {
		Rotation struct {
			CertificateAuthorities rotation `json:"certificateAuthorities"`
			ServiceAccountKey      rotation `json:"serviceAccountKey"`
		} `json:"rotation"`
	} `json:"credentials"`
	InPlaceUpdates struct {
		PendingWorkerUpdates struct {
			Auto   []string `json:"autoInPlaceUpdate"`
			Manual []string `json:"manualInPlaceUpdate"`
		} `json:"pendingWorkerUpdates"`
	} `json:"inPlaceUpdates"`
	ManualWorkerPoolRollout struct {
		PendingWorkersRollouts []struct {
			Name string `json:"name"`
		} `json:"pendingWorkersRollouts"`
	} `json:"manualWorkerPoolRollout"`
}

// Ref names a Shoot as NAMESPACE/NAME, cleaned.
func (s *Shoot) Ref() string {
	return world.Clean(strings.TrimPrefix(s.Metadata.Namespace+"/"+s.Metadata.Name, "/"))
}

// Decode reads a Shoot, as YAML or JSON. Other documents may stand beside it in the file.
// Errors are one sentence, with the file's name.
func Decode(file string, data []byte) (*Shoot, error) {
	object, err := decode(file, data, "Shoot")
	if err != nil {
		return nil, err
	}
	s, err := read(object)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return s, nil
}

// read makes a Shoot of an object, with what Gardener's API fills in by itself.
func read(object map[string]any) (*Shoot, error) {
	given := clone(object)
	if err := fill(object); err != nil {
		return nil, err
	}
	s := &Shoot{object: object, given: given}
	if err := convert(object, &s.form); err != nil {
		return nil, err
	}
	if group, _, _ := strings.Cut(s.APIVersion, "/"); group != "core.gardener.cloud" {
		return nil, fmt.Errorf("apiVersion is %q, not core.gardener.cloud/v1beta1", world.Clean(s.APIVersion))
	}
	if s.Metadata.Name == "" {
		return nil, errors.New("the Shoot has no metadata.name")
	}
	if _, err := versionOf(s.Spec.Kubernetes.Version); err != nil {
		return nil, fmt.Errorf("spec.kubernetes.version: %w", err)
	}
	there := map[string]bool{}
	for i, w := range s.Spec.Provider.Workers {
		switch {
		case w.Name == "":
			return nil, fmt.Errorf("spec.provider.workers[%d] has no name", i)
		case there[w.Name]:
			return nil, fmt.Errorf("spec.provider.workers has two pools %q", world.Clean(w.Name))
		}
		there[w.Name] = true
		if w.Kubernetes.Version != "" {
			if _, err := versionOf(w.Kubernetes.Version); err != nil {
				return nil, fmt.Errorf("spec.provider.workers[%s].kubernetes.version: %w", world.Clean(w.Name), err)
			}
		}
	}
	return s, nil
}

// decode reads the one object of a kind that a file has.
func decode(file string, data []byte, kinds ...string) (map[string]any, error) {
	kind := kinds[0]
	switch {
	case len(data) > Most:
		return nil, fmt.Errorf("%s: larger than %d MiB, not a %s", file, Most>>20, kind)
	case !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0:
		return nil, fmt.Errorf("%s: not a manifest: give a %s as YAML or JSON", file, kind)
	case len(bytes.TrimSpace(data)) == 0:
		return nil, fmt.Errorf("%s: empty; give a %s as YAML or JSON", file, kind)
	}
	var found map[string]any
	var others []string
	docs := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(data)))
	for n := 0; ; n++ {
		doc, err := docs.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if n >= mostDocuments {
			return nil, fmt.Errorf("%s: more than %d documents: give a file with the %s", file, mostDocuments, kind)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %s", file, world.Clean(err.Error()))
		}
		text, err := yaml.YAMLToJSONStrict(doc)
		if err != nil {
			return nil, fmt.Errorf("%s: neither YAML nor JSON: %s", file, yamlWords(err))
		}
		var object map[string]any
		if err := json.Unmarshal(text, &object); err != nil {
			return nil, fmt.Errorf("%s: no object with apiVersion, kind, metadata and spec: give a %s as YAML or JSON", file, kind)
		}
		if len(object) == 0 {
			continue
		}
		got, _ := object["kind"].(string)
		is := false
		for _, k := range kinds {
			is = is || k == got
		}
		switch {
		case is && found != nil:
			return nil, fmt.Errorf("%s: more than one %s: leave one in the file", file, kind)
		case is:
			found = object
		default:
			others = append(others, got)
		}
	}
	switch {
	case found != nil:
		return found, nil
	case len(others) == 0:
		return nil, fmt.Errorf("%s: empty; give a %s as YAML or JSON", file, kind)
	case others[0] == "":
		return nil, fmt.Errorf("%s: kind is missing: not a %s", file, kind)
	case others[0] == "List" || others[0] == kind+"List":
		return nil, fmt.Errorf("%s: a list; give one %s", file, kind)
	}
	return nil, fmt.Errorf("%s: a %s, not a %s", file, world.Clean(strings.Join(others, " and a ")), kind)
}

// yamlWords is an error of the YAML parser without its own wrapping.
func yamlWords(err error) string {
	text := err.Error()
	for _, lead := range []string{"error converting YAML to JSON: ", "yaml: ", "unmarshal errors:\n  "} {
		text = strings.TrimPrefix(text, lead)
	}
	return world.Clean(text)
}

// convert reads an object into a form, and says which field does not fit.
func convert(object map[string]any, into any) error {
	text, err := json.Marshal(object)
	if err != nil {
		return err
	}
	err = json.Unmarshal(text, into)
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		hint := ""
		if kind.Type.Kind().String() == "string" && kind.Value == "number" {
			hint = ": write it in quotes, as \"1.30\""
		}
		return fmt.Errorf("%s is a %s, expected a %s%s", kind.Field, kind.Value, words(kind.Type.Kind().String()), hint)
	}
	if err != nil {
		return errors.New(world.Clean(err.Error()))
	}
	return nil
}

// words names a kind of Go's as YAML has it.
func words(kind string) string {
	switch kind {
	case "struct", "map":
		return "map"
	case "slice":
		return "list"
	case "int", "int32", "int64":
		return "whole number"
	case "bool":
		return "true or false"
	}
	return kind
}
