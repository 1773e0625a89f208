package shoot

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drainboard/drainboard/engine/world"
)

// Operations of Gardener's that touch nodes, or say when a change is rolled out
// (gardener, docs/usage/shoot-operations/shoot_operations.md).
const (
	opForce         = "force-in-place-update"
	opRollout       = "rollout-workers="
	opRotateRollout = "rotate-rollout-workers="
	opNoRollout     = "-without-workers-rollout"
	opCredentials   = "rotate-credentials-start"
	opAuthorities   = "rotate-ca-start"
	opAccountKey    = "rotate-serviceaccount-key-start"
)

// harmless are operations that touch no node by themselves.
var harmless = []string{
	"reconcile", "retry", "maintain", "rotate-credentials-complete", "rotate-ca-complete", "rotate-serviceaccount-key-complete", "rotate-ssh-keypair",
	"rotate-observability-credentials", "rotate-etcd-encryption-key", "rotate-etcd-encryption-key-start", "rotate-etcd-encryption-key-complete",
}

// Phases of a rotation of credentials.
const (
	rotationCompleted = "Completed"
	rotationWaits     = "WaitingForWorkersRollout"
)

// asked is what the operations of a change come to.
type asked struct {
	// forced: pools whose update in place is not finished take changes all the same.
	forced bool
	// now: what is asked for is reconciled at once, whatever confineSpecUpdateRollout says.
	now bool
	// rollout are pools to be rolled as they are.
	rollout  []string
	refusals []Refusal
	notes    []string
}

// operate works out what the operations of a change do to the Shoot's status, and to its
// pools. They are in an annotation, joined by semicolons.
func (c Change) operate() (Change, asked) {
	var a asked
	was, is := c.Old.Metadata.Annotations[operationKey], c.New.Metadata.Annotations[operationKey]
	list := strings.Split(is, ";")
	a.forced = is == opForce // not as one of several
	if is == "" || is == was {
		return c, a
	}
	become := *c.New
	c.New = &become
	for _, op := range list {
		start := strings.TrimSuffix(op, opNoRollout)
		switch {
		case op == opForce:
			continue // it lets changes pass, and begins nothing
		case slices.Contains(harmless, op):
		case strings.HasPrefix(op, opRollout):
			c.rollOut(&a, strings.TrimPrefix(op, opRollout))
		case strings.HasPrefix(op, opRotateRollout):
			c.takeUp(&a, strings.TrimPrefix(op, opRotateRollout))
		case slices.Contains([]string{opCredentials, opAuthorities, opAccountKey}, start):
			c.rotate(&a, op, start)
		default:
			a.notes = append(a.notes, fmt.Sprintf("the effect of operation %q is unknown", show(op)))
			continue
		}
		a.now = true
	}
	return c, a
}

func (a *asked) refuse(rule Rule, pool, op, why string) {
	a.refusals = append(a.refusals, Refusal{Rule: rule, Pool: world.Clean(pool), Field: "metadata.annotations[" + operationKey + "]", New: show(op), Why: why})
}

// rollOut has pools rolled as they are.
func (c Change) rollOut(a *asked, names string) {
	pools := strings.Split(names, ",")
	if names == "*" {
		pools = nil
		for _, w := range c.New.Spec.Provider.Workers {
			pools = append(pools, w.Name)
		}
	}
	for i, name := range pools {
		switch v, ok := c.New.pool(name); {
		case name == "*" || slices.Contains(pools[:i], name):
			a.refuse(RuleRolloutTwice, "", opRollout+names, fmt.Sprintf("%s is named beside others that it covers", show(name)))
		case !ok:
			a.refuse(RuleNoSuchPool, "", opRollout+names, fmt.Sprintf("no pool %q; the pools are %s", show(name), c.New.poolNames()))
		case v.inPlace():
			a.refuse(RuleRolloutInPlace, name, opRollout+names, "pools with in-place updates are not rolled")
		default:
			a.rollout = append(a.rollout, name)
		}
	}
}

// takeUp has pools that wait for a rotation take part in it.
func (c Change) takeUp(a *asked, names string) {
	all := &c.New.Status.Credentials.Rotation
	if all.CertificateAuthorities.Phase != rotationWaits && all.ServiceAccountKey.Phase != rotationWaits {
		a.refuse(RuleRotationPhase, "", opRotateRollout+names, "no rotation waits for a rollout of pools")
		return
	}
	for _, name := range strings.Split(names, ",") {
		if _, ok := c.New.pool(name); !ok {
			a.refuse(RuleNoSuchPool, "", opRotateRollout+names, fmt.Sprintf("no pool %q; the pools are %s", show(name), c.New.poolNames()))
		}
		for _, r := range []*rotation{&all.CertificateAuthorities, &all.ServiceAccountKey} {
			kept := slices.Clone(r.PendingWorkersRollouts)
			r.PendingWorkersRollouts = nil
			for _, p := range kept {
				if p.Name != name {
					r.PendingWorkersRollouts = append(r.PendingWorkersRollouts, p)
				}
			}
		}
	}
}

// rotate begins a rotation: from now on nodes need the new credentials, those of pools whose
// rollout waits excepted.
func (c Change) rotate(a *asked, op, start string) {
	all := &c.New.Status.Credentials.Rotation
	for _, r := range []struct {
		*rotation
		of, what string
	}{{&all.CertificateAuthorities, opAuthorities, "the CA's"}, {&all.ServiceAccountKey, opAccountKey, "the service account key's"}} {
		if start != opCredentials && start != r.of {
			continue
		}
		if r.Phase != "" && r.Phase != rotationCompleted {
			a.refuse(RuleRotationPhase, "", op, r.what+" last rotation is not completed (phase "+show(r.Phase)+")")
		}
		waits := r.PendingWorkersRollouts[:0:0]
		if op != start {
			for _, w := range c.New.Spec.Provider.Workers {
				waits = append(waits, struct {
					Name               string       `json:"name"`
					LastInitiationTime *metav1.Time `json:"lastInitiationTime"`
				}{w.Name, r.LastInitiationTime})
			}
			a.notes = append(a.notes, r.what+" rotation continues once every pool is rolled out: "+operationKey+"="+opRotateRollout+"POOL,...")
		}
		now := metav1.NewTime(c.Now.UTC())
		r.LastInitiationTime, r.PendingWorkersRollouts = &now, waits
	}
	if p := c.Old.Status.InPlaceUpdates.PendingWorkerUpdates; len(p.Auto)+len(p.Manual) > 0 {
		a.refuse(RuleRotationPending, "", op, "an in-place update has not finished ("+few(slices.Concat(p.Auto, p.Manual))+")")
	}
}
