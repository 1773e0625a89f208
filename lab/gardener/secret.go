package gardener

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

// gardenerVersion is the release whose gardenlet the lab's stands in for.
const gardenerVersion = "v1.150.0"

// secret is the name of the node agent's secret of a pool as Gardener makes it: for pools that are
// rolled with a hash of what their nodes are made with, but for what the provider's extension and
// rollout-workers add.
func (p planned) secret() string {
	w := p.worker
	name := "gardener-node-agent-" + w.Name
	if w.UpdateStrategy != AutoRollingUpdate {
		return name
	}
	data := []string{minor(p.version()), w.Machine.Type, w.Machine.Image.Name + w.Machine.Image.Version}
	if w.Volume != nil {
		data = append(data, w.Volume.Size)
		if w.Volume.Type != "" {
			data = append(data, w.Volume.Type)
		}
	}
	if w.CRI != nil {
		data = append(data, w.CRI.Name)
	}
	if p.localDNS() {
		data = append(data, "node-local-dns")
	}
	if k := p.kubelet(); k != nil {
		data = append(data, k.secretData()...)
	}
	all := ""
	for _, part := range data {
		all += fmt.Sprintf("%x", sha256.Sum256([]byte(part)))
	}
	return name + "-" + fmt.Sprintf("%x", sha256.Sum256([]byte(all)))[:16]
}

// secretData is what of a kubelet's configuration goes into the hash.
func (k *shootKubelet) secretData() (data []string) {
	reserved := struct {
		CPU              *resource.Quantity `json:"cpu"`
		Memory           *resource.Quantity `json:"memory"`
		PID              *resource.Quantity `json:"pid"`
		EphemeralStorage *resource.Quantity `json:"ephemeralStorage"`
	}{}
	if len(k.KubeReserved) > 0 && json.Unmarshal(k.KubeReserved, &reserved) == nil {
		data = append(data, fmt.Sprintf("%s-%s-%s-%s", reserved.CPU, reserved.Memory, reserved.PID, reserved.EphemeralStorage))
	}
	hard := map[string]string{}
	if len(k.EvictionHard) > 0 && json.Unmarshal(k.EvictionHard, &hard) == nil {
		data = append(data, strings.Join([]string{hard["imageFSAvailable"], hard["imageFSInodesFree"], hard["memoryAvailable"], hard["nodeFSAvailable"], hard["nodeFSInodesFree"]}, "-"))
	}
	if k.CPUManagerPolicy != "" {
		data = append(data, k.CPUManagerPolicy)
	}
	return data
}
