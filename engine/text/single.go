package text

import (
	"fmt"
	"time"
)

// What is said of Deployments of one replica that get a second one for a while.

// LookAtOwner is the read of the Deployment behind a pod.
func LookAtOwner(pod string) string { return "read the Deployment of " + pod }

// Scale is the request for a number of replicas.
func Scale(ref string, from, to int) string {
	return fmt.Sprintf("scale Deployment %s: %d → %s", ref, from, Plural(to, "replica"))
}

// SingleStays names a Deployment that was not scaled back.
func SingleStays(ref string) string {
	return "Deployment " + ref + " keeps the second replica that this run has given it"
}

// SingleLeftAlone says why a Deployment of one replica gets no second one.
func SingleLeftAlone(ref, why string) string {
	return ref + " is a single replica and gets no second one before its eviction: " + why
}

// SingleChanged tells that another user has changed the number of replicas meanwhile.
func SingleChanged(ref, message string) string {
	return "Deployment " + ref + " is not scaled back: another user has scaled it (" + message + ")"
}

// SetByAnother says that replicas are not ours.
func SetByAnother(n int) string {
	return "another user has set " + Plural(n, "replica")
}

// Why a Deployment gets no second replica.

func SingleHeld(holder string) string { return holder + " decides on its replicas" }

func SingleReplicas(n int) string {
	return "its Deployment asks for " + Plural(n, "replica")
}

const (
	SingleRecreate     = "its strategy is Recreate"
	SingleNoDeployment = "no Deployment owns it"
	SingleShutAnyway   = "its PDB would allow no disruption with two replicas either"
)

// SingleUnready says that the second replica did not get Ready in time.
func SingleUnready(limit time.Duration) string {
	return "its second replica was not Ready within " + Span(limit)
}
