package kube

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"

	corev1 "k8s.io/api/core/v1"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/world"
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

// DamagedError says that a record exists and cannot be read.
type DamagedError struct {
	Namespace, Name string
	Err             error
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("the run record %s/%s is damaged: %v; look at it with: kubectl -n %s get configmap %s -o yaml",
		e.Namespace, e.Name, world.Clean(e.Err.Error()), e.Namespace, e.Name)
}

func (e *DamagedError) Unwrap() error { return e.Err }

// NewerError says that a record was written by a newer Drainboard.
type NewerError struct {
	Namespace, Name string
	// Version is the record's, Known the newest that this Drainboard understands.
	Version, Known int
}

func (e *NewerError) Error() string {
	return fmt.Sprintf("the run record %s/%s has form %d, written by a newer drainboard (this one knows up to %d): use that one",
		e.Namespace, e.Name, e.Version, e.Known)
}

// encodeRun puts a run into a ConfigMap.
func encodeRun(m *corev1.ConfigMap, run engine.Run) error {
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
		return fmt.Errorf("zip the run: %w", err)
	}
	if err := w.Close(); err != nil {
		return fmt.Errorf("zip the run: %w", err)
	}
	if zipped.Len() > largest {
		return fmt.Errorf("the run record is too large for a ConfigMap (%d KiB zipped)", zipped.Len()>>10)
	}
	m.BinaryData = map[string][]byte{recordKeyZip: zipped.Bytes()}
	return nil
}

// decodeRun reads a run from a ConfigMap, its strings clean: DamagedError or
// NewerError if it cannot.
func decodeRun(m *corev1.ConfigMap) (engine.Run, error) {
	damaged := func(err error) (engine.Run, error) {
		return engine.Run{}, &DamagedError{m.Namespace, m.Name, err}
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
	// The version first: what else there is depends on it.
	var form struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(text, &form); err != nil {
		return damaged(err)
	}
	switch {
	case form.Version > engine.RecordVersion:
		return engine.Run{}, &NewerError{m.Namespace, m.Name, form.Version, engine.RecordVersion}
	case form.Version < 1:
		return damaged(fmt.Errorf("it has no version"))
	}
	var run engine.Run
	if err := json.Unmarshal(text, &run); err != nil {
		return damaged(err)
	}
	if err := run.Whole(); err != nil {
		return damaged(err)
	}
	if want := RecordName(run.Provider, run.Group); recordOf(m.Name) != want {
		return damaged(fmt.Errorf("it is of the %s group %s, whose record is %s", world.Clean(run.Provider), world.Clean(run.Group), want))
	}
	cleanRun(&run)
	return run, nil
}
