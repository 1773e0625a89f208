package records

import (
	"encoding/json"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/drainboard/drainboard/providers/kube"
	"github.com/drainboard/drainboard/providers/kube/recordtest"
)

// mostTaken bounds in bytes what the record of the largest run takes: a fifth of what it may.
const mostTaken = mostParts * largest / 5

// The record of a run of 5,000 nodes, 100 of which drain with 250 pods each, held by budgets and
// forced, takes a part of what a record may, and is read as it was written.
func TestRecordOfLargestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("rolls nodes of a group of 12,500 pods")
	}
	run := recordtest.Largest(t)
	f, err := encodeRun(run, largest)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d KiB in %d parts; %d nodes, %d pods, %d pending, %d marks, %d force orders", len(f.zipped)>>10, len(f.pieces), run.Nodes.Len(), run.Pods.Len(), len(run.Pending), len(run.Marks), len(run.Orders))
	if len(f.zipped) > mostTaken || len(f.pieces) < 2 {
		t.Errorf("it takes %d KiB, in %d parts", len(f.zipped)>>10, len(f.pieces))
	}
	m := &corev1.ConfigMap{}
	m.Name = kube.RecordName(run.Group)
	kept, names := map[string]*corev1.ConfigMap{}, []string{}
	for i, piece := range f.pieces {
		name := string(rune('a' + i))
		part := &corev1.ConfigMap{BinaryData: map[string][]byte{partKey: piece}}
		part.Labels = map[string]string{partMark: m.Name}
		kept[name], names = part, append(names, name)
	}
	f.into(m, names)
	got, err := decodeRun(m, func(name string) (*corev1.ConfigMap, error) { return kept[name], nil })
	if err != nil {
		t.Fatal(err)
	}
	was, _ := json.Marshal(run)
	if is, _ := json.Marshal(got); string(is) != string(was) {
		t.Errorf("what was read differs from what was written: %d bytes, %d", len(is), len(was))
	}
}
