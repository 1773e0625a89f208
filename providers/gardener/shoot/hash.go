package shoot

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// hashSince is the first release of Gardener that marks nodes with this hash only: older ones
// keep a shorter one on nodes that were made before it.
const hashSince = "1.146.0"

// Unhashed is why there is no NodeSecret of a pool, "" if there is one, or where the pool has none.
func (s *Shoot) Unhashed(pool string) string {
	v, known := s.pool(pool)
	version := s.Status.Gardener.Version
	switch {
	case !known || v.inPlace():
		return ""
	case version == "":
		return "the Shoot's status does not tell Gardener's version"
	case older(version, hashSince):
		return "Gardener " + version + " is older than " + strings.TrimSuffix(hashSince, ".0")
	}
	return ""
}

// NodeSecret is what the nodes of a pool carry in the label world.GardenerSecret once they are as
// the Shoot asks for: the name of the node agent's secret, with a hash of what a node is made
// with (gardener/gardener pkg/component/extensions/operatingsystemconfig, Key). It is "" for a
// pool that there is not, for one that is updated in place, whose name never changes, and where
// Gardener's version is not known to hash so. What the provider's extension hashes beside it
// (providerConfig), and rollout-workers, are not in it.
func (s *Shoot) NodeSecret(pool string) string {
	v, known := s.pool(pool)
	if !known || v.inPlace() || s.Unhashed(pool) != "" {
		return ""
	}
	var sums strings.Builder
	for _, part := range v.hashed() {
		sums.WriteString(hexSum(part))
	}
	return fmt.Sprintf("gardener-node-agent-%s-%s", v.Name, hexSum(sums.String())[:16])
}

func hexSum(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// hashed are the parts of the hash, in Gardener's order. What is not set in the Shoot as it was
// given has none, whatever this program fills in to compare manifests.
func (v view) hashed() []string {
	given, _ := v.givenWorker()
	set := func(path ...string) bool { x, _ := at(given, path...); return x != nil }
	parts := []string{minorOf(v.version()), v.Machine.Type}
	if set("machine", "image") {
		parts = append(parts, v.Machine.Image.Name+v.Machine.Image.Version)
	}
	if set("volume") {
		parts = append(parts, v.Volume.Size)
		if set("volume", "type") {
			parts = append(parts, v.Volume.Type)
		}
	}
	if set("cri") {
		parts = append(parts, v.CRI.Name)
	}
	all := v.Status.Credentials.Rotation
	for _, r := range []rotation{all.CertificateAuthorities, all.ServiceAccountKey} {
		if begun := r.at(v.Name); begun != nil {
			parts = append(parts, begun.UTC().String())
		}
	}
	if v.Spec.SystemComponents.NodeLocalDNS.Enabled && v.needsDNS() {
		parts = append(parts, "node-local-dns")
	}
	return append(parts, v.kubeletHashed()...)
}

// givenWorker is the pool in the Shoot as it was given.
func (v view) givenWorker() (map[string]any, bool) {
	for _, w := range workers(v.given) {
		if w["name"] == v.Name {
			return w, true
		}
	}
	return nil, false
}

// kubeletHashed is what of a kubelet's configuration nodes are made with.
func (v view) kubeletHashed() (parts []string) {
	k := v.kubelet()
	if v.worker.Kubernetes.Kubelet == nil {
		if x, _ := at(v.given, "spec", "kubernetes", "kubelet"); x == nil {
			return nil
		}
		if x, _ := at(v.given, "spec", "kubernetes", "kubelet", "kubeReserved"); x == nil {
			k.KubeReserved = nil
		}
	}
	if r := k.KubeReserved; r != nil {
		parts = append(parts, fmt.Sprintf("%s-%s-%s-%s", r.CPU.hashed(), r.Memory.hashed(), r.PID.hashed(), r.EphemeralStorage.hashed()))
	}
	if hard := k.EvictionHard; hard != nil {
		parts = append(parts, strings.Join([]string{hard["imageFSAvailable"], hard["imageFSInodesFree"], hard["memoryAvailable"], hard["nodeFSAvailable"], hard["nodeFSInodesFree"]}, "-"))
	}
	if policy := k.CPUManagerPolicy; policy != nil {
		parts = append(parts, *policy)
	}
	return parts
}

// hashed is a quantity as it goes into the hash; one that is not set does as well.
func (q *quantity) hashed() string {
	if q == nil {
		return "<nil>"
	}
	return q.String()
}

// at is when the rotation that a pool's nodes take part in was begun, nil for none.
func (r rotation) at(pool string) *metav1.Time {
	for _, p := range r.PendingWorkersRollouts {
		if p.Name == pool {
			return p.LastInitiationTime
		}
	}
	return r.LastInitiationTime
}
