package record

import "github.com/drainboard/drainboard/engine/text"

// SingleStage is how far a run is with a Deployment of one replica.
type SingleStage string

// Stages of a Deployment of one replica. One that is left alone has none.
const (
	SingleRaising   SingleStage = "raising"   // a second replica is asked for
	SingleRaised    SingleStage = "raised"    // it is accepted: the second one gets Ready, and the first one is evicted
	SingleRestoring SingleStage = "restoring" // one replica is asked for
	SingleRestored  SingleStage = "restored"
)

// Single is a Deployment of one replica whose pod a shut PDB keeps on a node: the run scales it to two, waits for the
// second pod, evicts the first one, and scales it back. It is recorded before it is asked for.
type Single struct {
	Namespace string `json:"namespace"`
	// Name and UID are the Deployment's.
	Name  string      `json:"name,omitempty"`
	UID   string      `json:"uid,omitempty"`
	Stage SingleStage `json:"stage,omitempty"`
	// Pod is the UID of the first pod, Ref its "namespace/name", Node where it is.
	Pod  string `json:"pod"`
	Ref  string `json:"ref"`
	Node string `json:"node"`
	// Why it is left alone, "" where it is not.
	Why string `json:"why,omitempty"`
	// Wait is the time that the second pod has to be Ready.
	Wait *Wait `json:"wait,omitempty"`
}

// ScaleKey is the key of the action that scales a Deployment to two replicas, UnscaleKey of the one that restores
// one, and OwnerKey of the look at the Deployment behind a pod.
func ScaleKey(uid string) string { return "scale/" + uid }

func UnscaleKey(uid string) string { return "unscale/" + uid }

func OwnerKey(pod string) string { return "owner/" + pod }

// Raise is the action that scales it to two replicas, Restore the one that scales it back.
func (x Single) Raise() Action { return x.scale(ScaleKey(x.UID), 1, 2) }

func (x Single) Restore() Action { return x.scale(UnscaleKey(x.UID), 2, 1) }

func (x Single) scale(key string, from, to int) Action {
	return Action{Kind: Scale, Key: key, Namespace: x.Namespace, Object: x.Name, UID: x.UID, FromReplicas: from, Replicas: to}
}

// Open reports whether the Deployment has, or may have, a replica of ours.
func (x Single) Open() bool {
	return x.Stage == SingleRaising || x.Stage == SingleRaised || x.Stage == SingleRestoring
}

// Left is what stays of it after a run, with the command that restores it.
func (x Single) Left() (what, command string) {
	return text.SingleStays(x.Namespace + "/" + x.Name), x.Restore().Command()
}

// MovesSingles reports whether the run gives Deployments of one replica a second one before their pod is evicted.
func (r *Run) MovesSingles() bool { return r.Settings.Singles || r.HelpsAlong() }
