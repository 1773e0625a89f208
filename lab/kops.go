package lab

import (
	"context"
	"fmt"
	"hash/fnv"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drainboard/drainboard/lab/cloud"
	"github.com/drainboard/drainboard/lab/kops"
	"github.com/drainboard/drainboard/lab/machines"
	"github.com/drainboard/drainboard/lab/try"
)

// KopsCluster is what AddKopsCluster made.
type KopsCluster struct {
	Name   string
	Bucket string
	Groups map[string]Group // by the name of the instance group
}

// Env is what kops finds the cluster by.
func (k KopsCluster) Env() []string {
	return []string{"KOPS_STATE_STORE=s3://" + k.Bucket, "KOPS_CLUSTER_NAME=" + k.Name}
}

// AddKopsCluster makes the Auto Scaling groups of a kops cluster, with the tags, labels
// and taints that kops gives them, writes its specs to the state store and starts its
// system pods. It returns when all nodes and system pods are Ready; then every group
// has a template version that makes its instances outdated.
//
// The API server is the lab's own: what runs on the control plane are pods that say so.
// System pods are those of the whole lab, so that a second cluster shares them.
func (l *Lab) AddKopsCluster(ctx context.Context, o kops.Options) (KopsCluster, error) {
	k, err := l.addKopsCluster(ctx, o.WithDefaults(l.options.Cloud.Zones))
	if err != nil {
		return k, fmt.Errorf("add kops cluster: %w", err)
	}
	return k, nil
}

func (l *Lab) addKopsCluster(ctx context.Context, o kops.Options) (KopsCluster, error) {
	k := KopsCluster{Name: o.Name, Bucket: o.Bucket, Groups: map[string]Group{}}
	if err := o.Check(l.options.Cloud.Zones); err != nil {
		return k, err
	}
	if err := l.writeStateStore(o); err != nil {
		return k, err
	}
	specs := make([]GroupOptions, len(o.Groups))
	for n, g := range o.Groups {
		specs[n] = l.kopsSpec(o, g)
		k.Groups[g.Name] = l.createGroup(specs[n])
	}
	for _, spec := range specs {
		if err := l.awaitGroup(ctx, spec); err != nil {
			return k, err
		}
	}
	if err := l.startSystem(ctx, o.Name); err != nil {
		return k, err
	}
	for n, g := range o.Groups {
		k.Groups[g.Name] = l.outdate(specs[n], k.Groups[g.Name])
	}
	return k, nil
}

// kopsSpec is the Auto Scaling group of an instance group, with its load balancer made.
func (l *Lab) kopsSpec(o kops.Options, g kops.Group) GroupOptions {
	spec := GroupOptions{
		Name: g.AutoScalingGroup(o.Name), Nodes: g.Size, Min: g.Min, Max: g.Max, Zones: g.Zones, Warm: g.Warm,
		Tags: g.Tags(o.Name), UpToDate: g.UpToDate, Nodeless: g.Role == kops.Bastion,
	}
	if g.Balancer != "" {
		prefix, port := "tcp-", 443
		if g.Role == kops.Bastion {
			prefix, port = "bastion-", 22
		}
		spec.Balancers = []string{l.cloud.CreateBalancer(cloud.Balancer{
			Name: balancerName(prefix + spec.Name), Classic: g.Balancer == "classic", Port: port, Draining: g.Draining,
		})}
	}
	return spec.withDefaults()
}

// balancerName is a name as load balancers may have it, of 32 characters at most, that
// stays different from others by a hash.
func balancerName(name string) string {
	h := fnv.New32a()
	h.Write([]byte(name))
	name = strings.ReplaceAll(name, ".", "-")
	return fmt.Sprintf("%s-%06x", name[:min(len(name), 25)], h.Sum32()>>8)
}

// startSystem starts the system pods that have controllers, if they are not there, and
// waits until those on a cluster's nodes are Ready.
func (l *Lab) startSystem(ctx context.Context, cluster string) error {
	for _, object := range kops.System() {
		if err := l.Apply(ctx, object); err != nil && !apierrors.IsAlreadyExists(err) {
			return err
		}
	}
	var waits string
	err := try.Until(ctx, 100*time.Millisecond, func() (bool, error) {
		var err error
		waits, err = l.systemWaits(ctx)
		return waits == "", try.IgnoreUnlessDone(ctx, err)
	})
	if err != nil && waits != "" {
		return fmt.Errorf("%s of %s: %w", waits, cluster, err)
	}
	return err
}

// systemWaits names something of the system that is not as it is to be, "" if all is.
func (l *Lab) systemWaits(ctx context.Context) (string, error) {
	ready, want, err := l.Ready(ctx, metav1.NamespaceSystem)
	if err != nil || ready < want {
		return fmt.Sprintf("%d of %d system pods are ready", ready, want), err
	}
	nodes, err := l.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{LabelSelector: kops.GroupKey})
	if err != nil {
		return "", err
	}
	pods, err := l.client.CoreV1().Pods(metav1.NamespaceSystem).List(ctx, metav1.ListOptions{})
	if err != nil {
		return "", err
	}
	up := map[string]bool{}
	for i := range pods.Items {
		if pod := &pods.Items[i]; podReady(pod) {
			up[pod.Name] = true
		}
	}
	for i := range nodes.Items {
		for _, pod := range kops.MirrorPods(&nodes.Items[i]) {
			if !up[pod.Name] {
				return pod.Name + " is not ready", nil
			}
		}
	}
	return "", nil
}

// writeStateStore writes the specs of a cluster to the bucket where kops keeps them.
func (l *Lab) writeStateStore(o kops.Options) error {
	specs, err := o.Specs(machines.DefaultImages[machines.NewAMI].Kubelet[1:], machines.OldAMI, machines.NewAMI)
	if err != nil {
		return err
	}
	if l.cloud.S3().Objects(o.Bucket) == nil {
		l.cloud.S3().CreateBucket(o.Bucket, "")
	}
	for key, data := range specs {
		l.cloud.S3().PutObject(o.Bucket, key, data)
	}
	return nil
}
