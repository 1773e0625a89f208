package gardener

import (
	"encoding/json"
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"
)

// What a zone gets of a pool's surge or unavailability.
func TestShareOfZone(t *testing.T) {
	for _, c := range []struct {
		of    string
		zones int
		total int
		want  []string
	}{
		{"", 2, 4, []string{"0", "0"}},
		{"1", 3, 3, []string{"1", "0", "0"}},
		{"5", 3, 9, []string{"2", "2", "1"}},
		{"20%", 3, 9, []string{"20%", "20%", "20%"}},
		{"20%", 3, 10, []string{"24%", "18%", "18%"}}, // of 4, 3 and 3 machines
	} {
		for zone, want := range c.want {
			if got := shareOfZone(intOrPercent(c.of), zone, c.zones, c.total); got != intstr.Parse(want) {
				t.Errorf("%q of %d machines: zone %d of %d gets %v, want %s", c.of, c.total, zone, c.zones, got.String(), want)
			}
		}
	}
}

// What changes the hash of a pool, and so replaces its machines.
func TestPoolHash(t *testing.T) {
	const before = `{"kubernetes":{"version":"1.32.4"},"provider":{"workers":[{"name":"a","machine":{"type":"m5.large","image":{"name":"gardenlinux","version":"1"}},"volume":{"size":"50Gi"}}]}}`
	hash := func(change string) string {
		t.Helper()
		shoot := &shootObject{}
		for _, spec := range []string{before, change} {
			if err := json.Unmarshal([]byte(spec), &shoot.Spec); err != nil {
				t.Fatal(err)
			}
		}
		return planned{object: shoot, worker: shoot.Spec.Provider.Workers[0]}.hash()
	}
	worker := func(change string) string { return `{"provider":{"workers":[{` + change + `}]}}` }
	for change, rolls := range map[string]bool{
		`{"kubernetes":{"version":"1.32.9"}}`:                                    false,
		`{"kubernetes":{"version":"1.33.0"}}`:                                    true,
		`{"kubernetes":{"kubelet":{"kubeReserved":{"cpu":"1"}}}}`:                true,
		`{"kubernetes":{"kubelet":{"systemReserved":{"cpu":"1"},"maxPods":50}}}`: false,
		`{"systemComponents":{"nodeLocalDNS":{"enabled":true}}}`:                 true,
		worker(`"maximum":9,"maxSurge":3,"labels":{"a":"b"}`):                    false,
		worker(`"machineControllerManager":{"machineDrainTimeout":"1m"}`):        false,
		worker(`"kubernetes":{"version":"1.33.0"}`):                              true,
		worker(`"machine":{"image":{"version":"2"}}`):                            true,
		worker(`"machine":{"type":"m5.xlarge"}`):                                 true,
		worker(`"volume":{"size":"60Gi"}`):                                       true,
		worker(`"cri":{"name":"containerd"}`):                                    false,
		worker(`"cri":{"name":"gvisor"}`):                                        true,
		worker(`"providerConfig":{"a":1}`):                                       true,
	} {
		if rolled := hash(change) != hash("{}"); rolled != rolls {
			t.Errorf("%s: rolls %t, want %t", change, rolled, rolls)
		}
	}

	after := func(spec string) string {
		t.Helper()
		shoot := &shootObject{}
		if err := json.Unmarshal([]byte(`{"provider":{"workers":[{"name":"a"}]},"kubernetes":`+spec), &shoot.Spec); err != nil {
			t.Fatal(err)
		}
		return planned{object: shoot, worker: shoot.Spec.Provider.Workers[0]}.hash()
	}
	const dns = `,"systemComponents":{"nodeLocalDNS":{"enabled":true}}}`
	if after(`{"version":"1.34.0"}}`) != after(`{"version":"1.34.0"}`+dns) {
		t.Error("from 1.34 on running nodes take node-local DNS")
	}
	if after(`{"version":"1.34.0","kubeProxy":{"mode":"IPVS"}}}`) == after(`{"version":"1.34.0","kubeProxy":{"mode":"IPVS"}}`+dns) {
		t.Error("with IPVS nodes are made with node-local DNS")
	}
}
