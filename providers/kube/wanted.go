package kube

// What slimPod and slimNode keep, by the numbers of the fields: an object that is
// pruned to these converts to the same value as the whole one (a test holds this).

// metaFields are those of ObjectMeta: name, namespace, uid, resourceVersion,
// creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds, labels, and of
// the owners kind, name, uid and controller; finalizers.
var metaFields = wanted{1: nil, 3: nil, 5: nil, 6: nil, 8: nil, 9: nil, 10: nil, 11: nil, 13: {1: nil, 3: nil, 4: nil, 6: nil}, 14: nil}

// containerFields are those of a ContainerStatus: why it waits.
var containerFields = wanted{2: {1: {1: nil}}}

var podFields = wanted{
	1: with(metaFields, 12), // and the annotations, for those of mirror pods
	2: { // spec
		1:  {2: {2: nil}},             // volumes: emptyDir
		4:  nil,                       // terminationGracePeriodSeconds
		10: nil,                       // nodeName
		22: {1: nil, 2: nil, 4: nil}}, // tolerations: key, operator, effect
	3: { // status
		1:  nil,                              // phase
		2:  {1: nil, 2: nil, 5: nil, 6: nil}, // conditions: type, status, reason, message
		8:  containerFields,                  // containerStatuses
		10: containerFields},                 // initContainerStatuses
}

var nodeFields = wanted{
	1: with(metaFields, 12),     // and the annotations, for those of other tools
	2: {3: nil, 4: nil, 5: nil}, // spec: providerID, unschedulable, taints
	3: { // status
		4: {1: nil, 2: nil, 4: nil, 5: nil, 6: nil}, // conditions: type, status, lastTransitionTime, reason, message
		7: {7: nil}},                                // nodeInfo: kubeletVersion
}

// with is a message's fields and one more.
func with(f wanted, number uint64) wanted {
	out := wanted{number: nil}
	for n, of := range f {
		out[n] = of
	}
	return out
}
