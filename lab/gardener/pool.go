package gardener

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"strconv"
	"strings"
	"time"

	machineapi "github.com/gardener/machine-controller-manager/pkg/apis/machine/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/util/retry"

	"github.com/drainboard/drainboard/lab/vms"
)

// kubernetesVersionLabel is a label that the node agent gives to its node.
const kubernetesVersionLabel = "worker.gardener.cloud/kubernetes-version"

// secretLabel is the label of a node with the name of the node agent's secret.
const secretLabel = "worker.gardener.cloud/gardener-node-agent-secret-name"

// planned is a worker pool as a Shoot wants it.
type planned struct {
	shoot  *Shoot
	object *shootObject
	worker shootWorker
	// rollout is when the pool was asked to be rolled as it is, zero if that is not under way.
	rollout metav1.Time
}

// deploymentName is the name of the machine deployment of a zone, by its index.
func deploymentName(s *Shoot, w shootWorker, zone int) string {
	return fmt.Sprintf("%s-%s-z%d", s.ControlNamespace, w.Name, zone+1)
}

// version is the pool's version of Kubernetes.
func (p planned) version() string {
	if k := p.worker.Kubernetes; k != nil && k.Version != "" {
		return k.Version
	}
	return p.object.Spec.Kubernetes.Version
}

// minor is a version without its last number.
func minor(version string) string {
	return version[:max(0, strings.LastIndex(version, "."))]
}

// kubelet is the pool's configuration of kubelets, or else the Shoot's.
func (p planned) kubelet() *shootKubelet {
	if k := p.worker.Kubernetes; k != nil && k.Kubelet != nil {
		return k.Kubelet
	}
	return p.object.Spec.Kubernetes.Kubelet
}

// image is what the pool's nodes are to be.
func (p planned) image() nodeImage {
	return nodeImage{Kubelet: "v" + p.version(), OS: p.worker.Machine.Image.Version}
}

// hash is of all whose change replaces machines, or updates them in place. The patch
// version is none of it, nor what kubelets reserve for the system.
func (p planned) hash() string {
	w, k := p.worker, p.kubelet()
	if k == nil {
		k = &shootKubelet{}
	}
	runtime := "containerd"
	if w.CRI != nil {
		runtime = w.CRI.Name
	}
	data, _ := json.Marshal([]any{
		minor(p.version()), w.Machine, w.Volume, runtime, string(k.KubeReserved), string(k.EvictionHard), k.CPUManagerPolicy, string(w.ProviderConfig), p.localDNS(),
	})
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])[:5]
}

// localDNS reports whether node-local DNS is something that nodes are made with: from
// Kubernetes 1.34 on running nodes take it, but for those whose kube-proxy works with IPVS.
func (p planned) localDNS() bool {
	spec := p.object.Spec
	_, number, _ := strings.Cut(minor(p.version()), ".")
	n, err := strconv.Atoi(number)
	return spec.SystemComponents.NodeLocalDNS.Enabled && (err == nil && n < 34 || spec.Kubernetes.KubeProxy.Mode == "IPVS")
}

// deploy makes the machine class of a zone with its secret, and its machine deployment.
func (p planned) deploy(ctx context.Context, zone int) error {
	s, name := p.shoot, deploymentName(p.shoot, p.worker, zone)
	class := name + "-" + p.hash()
	secret := &corev1.Secret{ObjectMeta: s.meta(class), Data: map[string][]byte{
		"userData": []byte("#!/bin/bash\n# gardener-node-init <<BOOTSTRAP_TOKEN>> <<MACHINE_NAME>>\n"),
	}}
	if _, err := s.client.CoreV1().Secrets(s.ControlNamespace).Create(ctx, secret, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	if err := p.deployClass(ctx, class, zone); err != nil {
		return err
	}
	api := s.machines.MachineDeployments(s.ControlNamespace)
	return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		now, err := api.Get(ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			now = &machineapi.MachineDeployment{ObjectMeta: s.meta(name)}
			p.fill(now, class, zone)
			_, err = api.Create(ctx, now, metav1.CreateOptions{})
			return err
		}
		if err != nil {
			return err
		}
		p.fill(now, class, zone)
		_, err = api.Update(ctx, now, metav1.UpdateOptions{})
		return err
	})
}

// deployClass makes the machine class, or changes what new machines are made of.
func (p planned) deployClass(ctx context.Context, name string, zone int) error {
	s, w := p.shoot, p.worker
	spec, err := json.Marshal(vms.Spec{
		Pool: w.Name, Zone: w.Zones[zone], Type: w.Machine.Type,
		Kubelet: p.image().Kubelet, OS: p.image().system(), Labels: p.labels(zone),
	})
	if err != nil {
		return err
	}
	offer := s.host.Machines.Resources(w.Machine.Type)
	wanted := machineapi.MachineClass{
		ObjectMeta:   s.meta(name),
		Provider:     "AWS",
		ProviderSpec: runtime.RawExtension{Raw: spec},
		SecretRef:    &corev1.SecretReference{Name: name, Namespace: s.ControlNamespace},
		NodeTemplate: &machineapi.NodeTemplate{
			Capacity: corev1.ResourceList{
				corev1.ResourceCPU: offer[corev1.ResourceCPU], corev1.ResourceMemory: offer[corev1.ResourceMemory], "gpu": resource.MustParse("0"),
			},
			InstanceType: w.Machine.Type, Region: p.object.Spec.Region, Zone: w.Zones[zone],
		},
	}
	api := s.machines.MachineClasses(s.ControlNamespace)
	return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		now, err := api.Get(ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			_, err = api.Create(ctx, &wanted, metav1.CreateOptions{})
			return err
		}
		if err != nil {
			return err
		}
		now.ProviderSpec = wanted.ProviderSpec
		_, err = api.Update(ctx, now, metav1.UpdateOptions{})
		return err
	})
}

// labels are those of the pool's nodes.
func (p planned) labels(zone int) map[string]string {
	labels := map[string]string{
		poolLabel:                         p.worker.Name,
		secretLabel:                       p.secret(),
		"worker.garden.sapcloud.io/group": p.worker.Name,
		"node.kubernetes.io/role":         "node",
		corev1.LabelTopologyZone:          p.worker.Zones[zone],
	}
	maps.Copy(labels, p.worker.Labels)
	return labels
}

// rolledOutKey is an annotation of the machines of a pool that was rolled as it was: when.
const rolledOutKey = "lab.drainboard.dev/rolled-out"

// fill writes the spec of a zone's machine deployment, but for what its operator set:
// whether it is paused.
func (p planned) fill(d *machineapi.MachineDeployment, class string, zone int) {
	w, zones := p.worker, len(p.worker.Zones)
	metav1.SetMetaDataLabel(&d.ObjectMeta, poolLabel, w.Name)
	name, annotations := map[string]string{"name": d.Name}, d.Spec.Template.Annotations
	if !p.rollout.IsZero() {
		annotations = map[string]string{rolledOutKey: p.rollout.UTC().Format(time.RFC3339Nano)}
	}
	update := machineapi.UpdateConfiguration{
		MaxSurge:       new(shareOfZone(w.MaxSurge, zone, zones, w.Maximum)),
		MaxUnavailable: new(shareOfZone(w.MaxUnavailable, zone, zones, w.Minimum)),
	}
	strategy := machineapi.MachineDeploymentStrategy{
		Type:          machineapi.RollingUpdateMachineDeploymentStrategyType,
		RollingUpdate: &machineapi.RollingUpdateMachineDeployment{UpdateConfiguration: update},
	}
	if w.UpdateStrategy != AutoRollingUpdate {
		orchestration := machineapi.OrchestrationTypeAuto
		if w.UpdateStrategy == ManualInPlaceUpdate {
			orchestration = machineapi.OrchestrationTypeManual
		}
		strategy = machineapi.MachineDeploymentStrategy{
			Type:          machineapi.InPlaceUpdateMachineDeploymentStrategyType,
			InPlaceUpdate: &machineapi.InPlaceUpdateMachineDeployment{UpdateConfiguration: update, OrchestrationType: orchestration},
		}
	}
	d.Spec = machineapi.MachineDeploymentSpec{
		Replicas:             int32(partOfZone(w.Minimum, zone, zones)),
		MinReadySeconds:      500,
		Strategy:             strategy,
		Selector:             &metav1.LabelSelector{MatchLabels: name},
		Paused:               d.Spec.Paused,
		RevisionHistoryLimit: new(int32(0)),
		Template: machineapi.MachineTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: name, Annotations: annotations},
			Spec: machineapi.MachineSpec{
				Class: machineapi.ClassSpec{Kind: "MachineClass", Name: class},
				NodeTemplateSpec: machineapi.NodeTemplateSpec{
					ObjectMeta: metav1.ObjectMeta{Labels: p.labels(zone), Annotations: w.Annotations},
					Spec:       corev1.NodeSpec{Taints: w.Taints},
				},
				MachineConfiguration: w.Limits.configuration(),
			},
		},
	}
}

// configuration is what a machine says of its limits.
func (l *shootLimits) configuration() *machineapi.MachineConfiguration {
	if l == nil {
		return &machineapi.MachineConfiguration{}
	}
	c := &machineapi.MachineConfiguration{
		MachineDrainTimeout: l.Drain, MachineHealthTimeout: l.Health, MachineCreationTimeout: l.Creation,
		MachineInPlaceUpdateTimeout: l.InPlace, DisableHealthTimeout: l.NoHealth, MaxEvictRetries: l.MaxEvictRetries,
	}
	if len(l.NodeConditions) > 0 {
		c.NodeConditions = new(strings.Join(l.NodeConditions, ","))
	}
	return c
}

// partOfZone is a zone's part of a number: even, what is left over goes to the first.
func partOfZone(size, zone, zones int) int {
	part := size / zones
	if zone < size%zones {
		part++
	}
	return part
}

// shareOfZone is a zone's part of a number or percent of the pool's total, as Gardener's
// providers split it: a percent is of the zone, and higher in zones that have more
// machines than others.
func shareOfZone(of *intstr.IntOrString, zone, zones, total int) intstr.IntOrString {
	if of == nil {
		return intstr.FromInt32(0)
	}
	if of.Type == intstr.Int {
		return intstr.FromInt(partOfZone(of.IntValue(), zone, zones))
	}
	percent, err := strconv.Atoi(strings.TrimSuffix(of.StrVal, "%"))
	if err != nil || total%zones == 0 {
		return *of
	}
	weight := float64(partOfZone(total, zone, zones)) * float64(zones) / float64(total)
	return intstr.FromString(fmt.Sprintf("%d%%", int(math.Ceil(weight*float64(percent)))))
}
