package records

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	corev1 "k8s.io/api/core/v1"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/providers/kube"
)

const (
	// recordKey holds the run as JSON in a ConfigMap's data, recordKeyZip the same
	// under gzip in its binaryData. Where that is too large for one, recordKeyParts names the
	// ConfigMaps that hold it, each a piece of it under partKey.
	recordKey      = "run.json"
	recordKeyZip   = "run.json.gz"
	recordKeyParts = "run.parts.json"
	partKey        = "part"
	// zipFrom is the size in bytes from which a record is zipped, largest what a
	// ConfigMap can hold (1 MiB with everything in it), and smallest the least that a piece
	// of a record is cut to where the API takes less.
	zipFrom  = 256 << 10
	largest  = 1000 << 10
	smallest = 1 << 10
	// mostParts bounds how many ConfigMaps a record is in.
	mostParts = 32
	// unzipped bounds what reading a zipped record may take in memory.
	unzipped = 256 << 20
)

// parts is what a record says of the ConfigMaps that it is in.
type parts struct {
	Names []string `json:"names"` // in order
	Sum   string   `json:"sha256"`
}

// runForm is a run as it is written: whole, or in pieces.
type runForm struct {
	text   string // JSON
	zipped []byte
	pieces [][]byte // of zipped
}

// size is that of the largest ConfigMap it takes, in bytes.
func (f *runForm) size() int {
	if len(f.pieces) > 0 {
		return len(f.pieces[0])
	}
	return max(len(f.text), len(f.zipped))
}

// total is how many bytes it takes.
func (f *runForm) total() int { return max(len(f.text), len(f.zipped)) }

// encodeRun puts a run into a form of which no ConfigMap has more than limit bytes.
func encodeRun(run record.Run, limit int) (runForm, error) {
	text, err := json.Marshal(run)
	if err != nil {
		return runForm{}, fmt.Errorf("write the run as JSON: %w", err)
	}
	if len(text) < min(zipFrom, limit) {
		return runForm{text: string(text)}, nil
	}
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	if _, err := w.Write(text); err != nil {
		return runForm{}, fmt.Errorf("compress the run: %w", err)
	}
	if err := w.Close(); err != nil {
		return runForm{}, fmt.Errorf("compress the run: %w", err)
	}
	f := runForm{zipped: zipped.Bytes()}
	if zipped.Len() <= limit {
		return f, nil
	}
	if zipped.Len() > mostParts*limit {
		return runForm{}, fmt.Errorf("%w for %d ConfigMaps of %d KiB: %d KiB compressed; drain fewer nodes at once (--max-unavailable), or abort the run", live.ErrTooLarge, mostParts, limit>>10, zipped.Len()>>10)
	}
	for rest := f.zipped; len(rest) > 0; {
		n := min(limit, len(rest))
		f.pieces, rest = append(f.pieces, rest[:n]), rest[n:]
	}
	return f, nil
}

// into puts the form into the record's ConfigMap; names are those of its pieces.
func (f *runForm) into(m *corev1.ConfigMap, names []string) {
	m.Data, m.BinaryData = nil, nil
	switch {
	case len(f.pieces) > 0:
		sum := sha256.Sum256(f.zipped)
		m.Data = map[string]string{recordKeyParts: parts{names, hex.EncodeToString(sum[:])}.encode()}
	case f.zipped != nil:
		m.BinaryData = map[string][]byte{recordKeyZip: f.zipped}
	default:
		m.Data = map[string]string{recordKey: f.text}
	}
}

func (p parts) encode() string {
	b, _ := json.Marshal(p) // strings only
	return string(b)
}

// partsOf are the parts that a record's ConfigMap names, none if it is whole. One that a user
// has changed may name anything: such names are of no part, and are not read.
func partsOf(m *corev1.ConfigMap) (p parts) {
	_ = json.Unmarshal([]byte(m.Data[recordKeyParts]), &p)
	return p
}

// errNoPart means that a part of a record is gone, or not the one that the record means.
var errNoPart = errors.New("a part of it is missing")

// zippedOf is the zipped run of a record's ConfigMap, nil if it is not zipped. part reads a part,
// nil if there is none.
func zippedOf(m *corev1.ConfigMap, part func(name string) (*corev1.ConfigMap, error)) ([]byte, error) {
	p := partsOf(m)
	if len(p.Names) == 0 {
		return m.BinaryData[recordKeyZip], nil
	}
	var zipped []byte
	for _, name := range p.Names[:min(len(p.Names), mostParts)] {
		piece, err := part(name)
		if err != nil {
			return nil, err
		}
		if piece == nil || piece.Labels[partMark] != m.Name {
			return nil, fmt.Errorf("%w: %s", errNoPart, name)
		}
		zipped = append(zipped, piece.BinaryData[partKey]...)
	}
	if sum := sha256.Sum256(zipped); hex.EncodeToString(sum[:]) != p.Sum {
		return nil, fmt.Errorf("%w: their sum differs", errNoPart)
	}
	return zipped, nil
}

// decodeRun reads a run from a ConfigMap and its parts, its strings clean: live.DamagedError or
// live.NewerError if it cannot.
func decodeRun(m *corev1.ConfigMap, part func(name string) (*corev1.ConfigMap, error)) (record.Run, error) {
	rec, show := m.Namespace+"/"+m.Name, fmt.Sprintf("kubectl -n %s get configmap %s -o yaml", m.Namespace, m.Name)
	damaged := func(err error) (record.Run, error) {
		return record.Run{}, &live.DamagedError{Record: rec, Look: show, Err: err}
	}
	text := []byte(m.Data[recordKey])
	zipped, err := zippedOf(m, part)
	switch {
	case errors.Is(err, errNoPart):
		return damaged(err)
	case err != nil:
		return record.Run{}, err
	case zipped != nil:
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
	if want := kube.RecordName(run.Group); recordOf(m.Name) != want {
		return damaged(fmt.Errorf("it belongs to the %s group %s, whose record is %s", run.Provider, run.Group, want))
	}
	return run, nil
}
