// Package eks is the lab's Elastic Kubernetes Service: its API for managed node groups,
// with the parameters of Systems Manager that name recommended releases, the quotas of EC2, and the worker
// that carries an update out against the lab's control plane and Auto Scaling groups.
//
// The API is the SDK's model: operations, paths and names of members come from its
// schemas (wire.go), what is known is kept in its own types. The tests decode it with the
// real client, and hold each answer against the schema.
//
// The worker (update.go, worker.go, drain.go) does what the user guide says in "Managed
// node update behavior", through the same APIs as anybody: Auto Scaling and EC2 with an
// access key of its own (ServiceKey), Kubernetes as the user that EKS has (ServiceUser).
// Where the guide is silent, reports decide:
//
//   - Evictions are retried beyond one window of 15 minutes: updates that a PDB blocked
//     were reported as failed after about 45 minutes. See Times.Windows.
//   - Old nodes are cordoned and labelled so that load balancers leave them out; services
//     of former years tainted them instead. See Service.SetTaints.
//   - Nodes that the Auto Scaling group itself terminates are drained by a lifecycle hook.
//   - A failed update leaves marks, template and sizes as they are. What the service
//     restores then is not documented.
//
// Where a refused eviction is concerned nothing is told: it leaves no trace in the
// service's API and none in the cluster's. Only the worker's own log (Service.Log), which
// the service does not have, says what it did and when, so that tests can hold what an
// observer concludes against the truth.
//
// Not here: Fargate, add-ons, Auto Mode, node repair and what needs no node of a group.
package eks
