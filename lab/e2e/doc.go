// Package e2e rolls node groups end to end: the built program against the lab's
// real control plane and AWS endpoint, as a script calls it and as a person sits
// at it. It holds tests only.
//
// A test is a story of one page. It makes a scene (a group, a namespace and a
// user of its own in the one lab that all tests share), starts drainboard there,
// awaits what happens, and has the end checked by the same checks as every other
// story: check_test.go for cluster and cloud, events_test.go for what was said,
// audit_test.go for what was asked of the API servers. The user has just the
// roles of docs/reference/rbac.yaml, and the AWS calls are held against those of docs/reference/rights.md.
//
// TestTwin is the exception: its stories are files of testdata/twin, in the language
// of the simulator that the engine is tested with, and the simulator plays them too.
// Both must tell the same (docs/internals/simulator.md).
//
// The stories of Gardener (gardener_*) watch a Shoot's pools that the real
// machine-controller-manager rolls: a board is read all the time, and all that it ever
// showed is held against the history of the Machines.
//
// When a test fails, the end of its events, the program's stderr and the lab's
// directory are printed, and the directory stays.
//
// A short run plays a sample of the stories (sample_test.go); without -sample all are
// played.
//
//	go test ./e2e -run TestRoll -v    # figures are printed with -v
package e2e
