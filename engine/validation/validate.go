package validation

import (
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// controlPlaneLabel is on the nodes of the control plane.
const controlPlaneLabel = "node-role.kubernetes.io/control-plane"

// controlPlanePods are what each of these nodes runs, by the value of their label k8s-app.
var controlPlanePods = []string{"kube-apiserver", "kube-controller-manager", "kube-scheduler"}

// Kinds of what keeps a cluster from being valid.
const (
	InvalidGroup   = "group"
	InvalidMachine = "machine"
	InvalidNode    = "node"
	InvalidPod     = "pod"
)

// Check says what keeps the cluster of a group from being valid, by kops's rules
// (pkg/validation/validate_cluster.go, validateNodes and collectPodFailures): every group
// has as many machines as it is to have; each of them but bastions has joined, and is
// Ready with a network; the nodes of the control plane run its pods; the pods that the
// cluster cannot do without are neither Pending nor Unknown, and none of their containers is
// not ready: what the API has made of that, such as a readiness gate that is closed or a
// kubelet that fell silent, does not count. What another group lacks is ignored unless it is the control plane
// (pkg/instancegroups/instancegroups.go, hasFailureRelevantToGroup); what no group can be
// blamed for is not. gone are machines that are known to end, or to have left their group,
// before the world shows it; nil for none. lower is by how much the group's own size has been
// lowered before the world shows that.
func Check(w *world.World, gone map[string]bool, lower int) []record.Invalid {
	v := validator{w: w, gone: gone, lower: lower, peers: w.Group.Peers, peerOf: map[string]*world.Peer{}}
	if len(v.peers) == 0 {
		v.peers = []world.Peer{alone(w)}
	}
	for i := range v.peers {
		v.group(&v.peers[i])
	}
	v.detached()
	v.pods()
	return v.found
}

// alone is the group as its only peer, where the provider knows of no others.
func alone(w *world.World) world.Peer {
	p := world.Peer{Name: w.Group.Name, Role: w.Group.Role, Size: w.Group.Sizes.Desired}
	for _, m := range w.Machines() {
		if !m.Leaving() && !m.Detached && m.State != world.MachineStandby {
			p.Machines = append(p.Machines, m.ID)
		}
	}
	return p
}

type validator struct {
	w      *world.World
	gone   map[string]bool
	lower  int
	peers  []world.Peer
	peerOf map[string]*world.Peer // by machine
	found  []record.Invalid
}

func (v *validator) add(kind, name string, of *world.Peer, message string) {
	i := record.Invalid{Kind: kind, Name: name, Message: message}
	if of != nil {
		i.Group = of.Name
		i.Ignored = of.Name != v.w.Group.Name && of.Role != world.RoleControlPlane
	}
	v.found = append(v.found, i)
}

// group looks at one group: that it is complete, and its nodes.
func (v *validator) group(p *world.Peer) {
	if p.Missing {
		v.add(InvalidGroup, p.Name, p, text.GroupMissing(p.Name))
		return
	}
	there := 0
	for _, id := range p.Machines {
		if !v.gone[id] {
			v.peerOf[id] = p
			there++
		}
	}
	size := p.Size
	if p.Name == v.w.Group.Name {
		size -= v.lower
	}
	if there < size {
		v.add(InvalidGroup, p.Name, p, text.GroupIncomplete(p.Name, there, size))
	}
	for _, id := range p.Machines {
		if p.Role == world.RoleBastion || v.gone[id] {
			continue
		}
		n := v.w.NodeOf(id)
		if n == nil {
			v.add(InvalidMachine, id, p, text.NotJoined(id, p.Name))
			continue
		}
		v.node(n, p)
	}
}

// node looks at a node, and at the pods that one of the control plane is there for.
func (v *validator) node(n *world.Node, p *world.Peer) {
	if !n.Ready || n.NoNetwork {
		v.add(InvalidNode, n.Name, p, text.NodeUnready(n.Name, p.Name, n.Trouble))
		return
	}
	if _, ours := n.Labels[controlPlaneLabel]; ours {
		v.controlPlane(n, p)
	}
}

// peer is the group that a node belongs to, nil for one of none. The cloud does not tell of a
// machine that was detached from another group, that Karpenter has launched, or that is gone
// before its node: such a node has its group's label, and the group of a name that is not
// known is one of workers, unless the node is of the control plane.
func (v *validator) peer(n *world.Node) *world.Peer {
	if p := v.peerOf[n.Machine]; p != nil {
		return p
	}
	label := n.Labels[world.KopsGroup]
	if label == "" {
		return nil
	}
	for i := range v.peers {
		if v.peers[i].Alias == label {
			return &v.peers[i]
		}
	}
	other := &world.Peer{Name: label, Role: world.RoleNode}
	if _, ours := n.Labels[controlPlaneLabel]; ours {
		other.Role = world.RoleControlPlane
	}
	return other
}

// controlPlane looks for the pods that a node of the control plane is there for.
func (v *validator) controlPlane(n *world.Node, p *world.Peer) {
	has := map[string]bool{}
	for _, pod := range v.w.PodsOn(n.Name) {
		if pod.Namespace == "kube-system" {
			has[pod.Labels["k8s-app"]] = true
		}
	}
	for _, app := range controlPlanePods {
		if !has[app] {
			v.add(InvalidNode, n.Name, p, text.NoControlPlanePod(n.Name, p.Name, app))
		}
	}
}

// detached looks at the nodes of machines that are out of the group and still serve.
func (v *validator) detached() {
	for _, m := range v.w.Machines() {
		if !m.Detached || m.Leaving() || v.gone[m.ID] {
			continue
		}
		own := &world.Peer{Name: v.w.Group.Name, Role: v.w.Group.Role}
		v.peerOf[m.ID] = own
		if n := v.w.NodeOf(m.ID); n != nil {
			v.node(n, own)
		}
	}
}

// pods looks at those that the cluster cannot do without.
func (v *validator) pods() {
	for _, p := range v.w.Unplaced() {
		v.pod(p, nil)
	}
	for _, n := range v.w.Nodes() {
		if v.gone[n.Machine] {
			continue // it goes with its machine
		}
		of := v.peer(n)
		for _, p := range v.w.PodsOn(n.Name) {
			v.pod(p, of)
		}
	}
}

// pod looks at one, by its phase and the status of its containers; those of one node only
// are its group's business. One that its kubelet does not admit has Failed with no status of
// any container, and so with none that is not ready.
func (v *validator) pod(p *world.Pod, of *world.Peer) {
	if p.Critical == "" || p.Phase == world.PodSucceeded {
		return
	}
	if p.Critical != world.NodeCritical {
		of = nil
	}
	switch {
	case p.Phase == world.PodPending:
		v.add(InvalidPod, p.Ref(), of, text.CriticalPending(p.Ref(), p.Critical, p.Unplaced))
	case p.Phase == world.PodUnknown:
		v.add(InvalidPod, p.Ref(), of, text.CriticalUnknown(p.Ref(), p.Critical))
	case len(p.Unready) > 0:
		v.add(InvalidPod, p.Ref(), of, text.CriticalNotReady(p.Ref(), p.Critical, p.Unready))
	}
}
