// Package lab is a Kubernetes cluster on AWS to upgrade, on one machine and
// without a container engine: a real control plane (etcd, API server, controller
// manager, scheduler), KWOK in the place of kubelets, and an AWS endpoint whose
// instances are the cluster's nodes.
//
//	l, err := lab.Start(ctx, lab.Options{})
//	defer l.Stop()
//	group, err := l.AddGroup(ctx, lab.GroupOptions{Name: "ng-a", Nodes: 6}) // Ready, and outdated
//	place := workload.Place{Namespace: "a", Group: "ng-a"}
//	err = l.Deploy(ctx, place, "web", "checkout")
//	err = l.WaitReady(ctx, "a")
//	cmd.Env = append(os.Environ(), l.Env()...)
//
// # What is real
//
// Evictions and budgets (429, 500 for two budgets), replacement of pods, the
// scheduler with taints, zones and topology spread, the node lifecycle's taints,
// RBAC, the audit log. The AWS endpoint is described in package cloud.
//
// # What is not
//
// Nothing runs in a pod. A pod turns Ready a set time after it was scheduled
// (Times.PodReady) and is gone a set time after its deletion (Times.PodStop, or
// the annotation kwok.StopAfter), whatever its grace period: a longer time than that
// is a kubelet that does not get rid of the pod. The Node of a terminated
// instance goes after Times.Terminate, and its pods with it at once; in a real
// cluster cloud controller and pod collector take up to minutes for it.
//
// A Node carries what its launch template's user data asks for with the
// kubelet's --node-labels; with a label eks.amazonaws.com/nodegroup among them
// it gets the others that EKS gives. The kubelet's version comes from the AMI
// (machines.Image). An AMI can also be one whose nodes never turn Ready; for one that
// never joins see cloud.NeverJoin.
//
// # kops
//
// AddKopsCluster makes a cluster as kops does: Auto Scaling groups with its tags,
// nodes with its labels and taints, bastions that never become nodes, system pods
// with the priority classes by which kops validates a cluster, load balancers, and
// specs in a bucket. What runs on a machine of its control plane are pods that say
// so; the API server is the lab's own and stays.
//
// # Gardener
//
// AddShoot makes a cluster as Gardener does, and the lab is all of its clusters: garden
// (the Shoot), control (its machines, in a namespace) and target. See package gardener for what of
// it is real.
//
// # Side by side
//
// Tests share a lab by giving each a group and a namespace of its own (workload.Place);
// pods only go to their group's nodes. Who did what is in the audit log (Audit):
// users are "admin" (Kubeconfig), those of KubeconfigFor, and the lab's own parts
// under their names, "lab" among them.
//
// # Programs
//
// Start needs two programs, built by package programs: lab, which is every component of the
// control plane and starts itself once for each, and kwok. This package itself
// imports nothing of Kubernetes and Gardener but clients, so tests stay small. Everything
// listens on free ports of the loopback interface, keeps its state in one
// directory, and dies with the process that started it (on Linux, however that
// ends). Each component can be stopped, killed, frozen and started again
// (Process, Restart).
//
// # Where things are
//
//	cloud eks vms      AWS's endpoint, EKS's own updates, the provider of a Shoot's machines
//	machines kwok      what turns machines into Nodes; what the fake kubelets are told
//	kops gardener      what kops makes of a cluster; Shoots, with mcm, their real controller
//	workload           pods, owners and budgets, and the catalog that Deploy takes
//	line apigate gate  a user's network, and a gate that fails single requests
//	process programs   the programs that run; building and finding them
//	try                waits for a cluster that may be away for a moment
//
// Those know nothing of a Lab. This package starts and stops all of it, makes groups and users,
// switches faults, and reads the audit log.
package lab
