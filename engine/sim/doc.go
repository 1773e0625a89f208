// Package sim is a world that moves by itself: a simulated cluster and the
// cloud behind it on a virtual clock, for the very same engine.Decide that rolls
// real nodes.
//
// A Sim holds two pictures. Truth is how things are: what the simulated API
// servers would answer to a consistent read. View is what a driver knows: it
// follows Truth with the lag of a watch (cluster) or of a poll (cloud), and
// stands still while a source is away. Controllers act on Truth: the Auto
// Scaling group (cloud.go) and its machines (machine.go, direct.go), the other groups of
// the cluster (peer.go), the load balancer (balancer.go), kubelets and the node
// lifecycle controller (cluster.go, kubelet.go), the scheduler (place.go, fit.go), workload
// and disruption controllers (workload.go, budget.go), and those that drive their groups by
// themselves (drivesitself.go); they find pods in indexes (pods.go), so that a world may be
// large. Others act on it as well: people (others.go) and an autoscaler (autoscaler.go).
// Actions are carried out by Do (do.go), as far as what goes wrong lets them (fault.go).
// From (from.go) makes a Sim that continues from a real world.
//
// What was really done to the group, and by whom, is in the Ledger (ledger.go): the ground
// truth that runs are held to.
//
// A Sim knows nothing of who drives it, of rules and of scripts. These are rooms of their own:
//
//	drive     decides, saves and acts as engine/live does, sleeps and crashes
//	check     holds every step of a driver to the rules of docs/design.md
//	script    the language of engine/testdata, and the scenarios of the demo
//	play      makes scripts up: random clusters with random faults
//	rehearse  plays a run to its end in a copy of the world, for a forecast
//	realtime  lets engine/live's loop drive a Sim with the wall clock
//	accuracy  counts how often a forecast is right; mutate draws mutations of the engine
//
// Everything follows from the seed: two runs of one script are the same.
package sim
