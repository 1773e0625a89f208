package shoot

import (
	"testing"

	"sigs.k8s.io/yaml"
)

// TestNodeSecretIsGardeners has the values that Gardener's own tests expect (gardener/gardener b312835d1784,
// pkg/component/extensions/operatingsystemconfig: operatingsystemconfig_test.go:474 and :478,
// controlplanebootstrap_test.go:183). Their machines have no type.
func TestNodeSecretIsGardeners(t *testing.T) {
	const shoot = `{apiVersion: core.gardener.cloud/v1beta1, kind: Shoot, metadata: {namespace: garden-dev, name: prod},
status: {gardener: {version: v1.150.0}}, spec: {kubernetes: {version: 1.2.3, kubelet: {evictionHard: {memoryAvailable: 100Mi}}}, provider: {type: aws, workers: [
{name: worker1, minimum: 1, maximum: 1, machine: {image: {name: type1, version: "12.34", providerConfig: {foo: bar}}}, kubeletDataVolumeName: foo},
{name: worker2, minimum: 1, maximum: 1, machine: {image: {name: type2, version: "12.34"}}, cri: {name: containerd}, kubernetes: {version: 4.5.6}},
{name: control-plane, minimum: 1, maximum: 1, machine: {image: {name: type1, version: "12.34"}}, kubernetes: {version: 1.34.0, kubelet: {}}}]}}}`
	var object map[string]any
	if err := yaml.Unmarshal([]byte(shoot), &object); err != nil {
		t.Fatal(err)
	}
	s, err := read(object)
	if err != nil {
		t.Fatal(err)
	}
	for pool, hash := range map[string]string{"worker1": "4692a28d44cc6a0c", "worker2": "2ad2eaf0b80f61a3", "control-plane": "afd64c60da0e2d2d"} {
		if got, want := s.NodeSecret(pool), "gardener-node-agent-"+pool+"-"+hash; got != want {
			t.Errorf("%s: %s, want %s", pool, got, want)
		}
	}
}

// Where there is no hash to go by the reason is told: an older Gardener hashes in another way. A pool
// that is updated in place has none, which is no reason.
func TestUnhashed(t *testing.T) {
	for _, c := range []struct{ version, strategy, why string }{
		{"v1.145.2", "AutoRollingUpdate", "Gardener v1.145.2 is older than 1.146"},
		{"", "AutoRollingUpdate", "the Shoot's status does not tell Gardener's version"},
		{"v1.146.0", "AutoRollingUpdate", ""}, {"v1.150.0", "AutoRollingUpdate", ""},
		{"v1.145.2", "AutoInPlaceUpdate", ""}, {"", "ManualInPlaceUpdate", ""},
	} {
		s, err := Decode("shoot", []byte("{apiVersion: core.gardener.cloud/v1beta1, kind: Shoot, metadata: {name: prod}, status: {gardener: {version: \""+c.version+"\"}}, spec: {kubernetes: {version: 1.33.1}, provider: {workers: [{name: web, updateStrategy: "+c.strategy+"}]}}}"))
		if err != nil {
			t.Fatal(err)
		}
		hash := s.NodeSecret("web")
		if got := s.Unhashed("web"); got != c.why || (hash == "") != (c.why != "" || c.strategy != "AutoRollingUpdate") {
			t.Errorf("Gardener %q, %s: %q, hash %q", c.version, c.strategy, got, hash)
		}
	}
}
