package kube

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"

	corev1 "k8s.io/api/core/v1"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
)

const (
	// recordKey holds the run as JSON in a ConfigMap's data, recordKeyZip the same
	// under gzip in its binaryData.
	recordKey    = "run.json"
	recordKeyZip = "run.json.gz"
	// zipFrom is the size in bytes from which a record is zipped, largest what a
	// ConfigMap can hold (1 MiB with everything in it).
	zipFrom = 256 << 10
	largest = 1000 << 10
	// unzipped bounds what reading a zipped record may take in memory.
	unzipped = 64 << 20
)

// encodeRun puts a run into a ConfigMap.
func encodeRun(m *corev1.ConfigMap, run record.Run) error {
	text, err := json.Marshal(run)
	if err != nil {
		return fmt.Errorf("write the run as JSON: %w", err)
	}
	m.Data, m.BinaryData = nil, nil
	if len(text) < zipFrom {
		m.Data = map[string]string{recordKey: string(text)}
		return nil
	}
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	if _, err := w.Write(text); err != nil {
		return fmt.Errorf("compress the run: %w", err)
	}
	if err := w.Close(); err != nil {
		return fmt.Errorf("compress the run: %w", err)
	}
	if zipped.Len() > largest {
		return fmt.Errorf("%w for a ConfigMap: %d KiB compressed, at most %d; drain fewer nodes at once (--max-unavailable), or abort the run", live.ErrTooLarge, zipped.Len()>>10, largest>>10)
	}
	m.BinaryData = map[string][]byte{recordKeyZip: zipped.Bytes()}
	return nil
}

// decodeRun reads a run from a ConfigMap, its strings clean: live.DamagedError or
// live.NewerError if it cannot.
func decodeRun(m *corev1.ConfigMap) (record.Run, error) {
	rec, show := m.Namespace+"/"+m.Name, fmt.Sprintf("kubectl -n %s get configmap %s -o yaml", m.Namespace, m.Name)
	damaged := func(err error) (record.Run, error) {
		return record.Run{}, &live.DamagedError{Record: rec, Look: show, Err: err}
	}
	text := []byte(m.Data[recordKey])
	if zipped, ok := m.BinaryData[recordKeyZip]; ok {
		r, err := gzip.NewReader(bytes.NewReader(zipped))
		if err != nil {
			return damaged(err)
		}
		if text, err = io.ReadAll(io.LimitReader(r, unzipped)); err != nil {
			return damaged(err)
		}
	}
	if len(text) == 0 {
		return damaged(fmt.Errorf("it has no %s", recordKey))
	}
	run, err := live.ReadRun(text, rec, show)
	if err != nil {
		return record.Run{}, err
	}
	if want := RecordName(run.Group); recordOf(m.Name) != want {
		return damaged(fmt.Errorf("it belongs to the %s group %s, whose record is %s", run.Provider, run.Group, want))
	}
	return run, nil
}
