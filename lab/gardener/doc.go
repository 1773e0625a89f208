// Package gardener makes clusters as Gardener does, on a lab that is all of their clusters: garden
// (the Shoot), control (its machines, in a namespace) and target (Host). Lab.AddShoot is the way to
// one.
//
// Real is what moves machines: machine-controller-manager (package mcm), with a process for each
// Shoot. Its virtual machines are the lab's (package vms) and become nodes as instances do
// (hardware.go). The other parts are stand-ins, and do no more than this:
//
//   - a gardenlet makes machine classes and machine deployments, one for each zone, when
//     the Shoot's spec changes, or when gardener.cloud/operation asks
//     for it, and keeps the Shoot's status: last operation, pools that are pending, the
//     constraint of those that are updated by hand, EveryNodeReady, shoot-info. It knows
//     the operations reconcile, retry, rollout-workers and force-in-place-update. With
//     confineSpecUpdateRollout it begins when a test opens the window (Shoot.OpenWindow); the
//     generation rises before, as a custom resource's does, and counts as observed.
//   - an admission policy (shoot_policy.yaml) refuses what Gardener's API server would of a
//     change of worker pools and of Kubernetes. There is no CloudProfile.
//   - a node agent updates nodes in place (nodeagent.go).
//   - critical components of a node are ready a set time after it is (Times).
//
// There are no cluster autoscaler, no maintenance by itself and no credentials to rotate.
//
// What a change of a Shoot does to a pool is decided in pool.go, by a hash of what Gardener's covers.
// types.go is what is read and written of a Shoot, and definitions.go what the API server is given to
// check it by.
package gardener
