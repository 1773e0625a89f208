// Package disk keeps the record of a group's run on the disk of the machine that drives it,
// where there is no cluster to keep it in. Like the cluster's it is written whole or not at
// all, and only over what the same process has read or written.
package disk

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// Store is a directory of records. It is made when the first one is written.
type Store struct {
	Dir string
	// Now is the time that counts, for what is put aside.
	Now func() time.Time
}

const (
	ext = ".json"
	// pastWord stands between the name of a record and the number of an earlier run's.
	pastWord = ".past-"
	// pastRuns is how many records of earlier runs are kept of a group: when all places
	// are taken, the oldest is written over.
	pastRuns = 5
)

// form is what a file holds.
type form struct {
	// Writer is the process that wrote it, Epoch counts its writes: two files are never
	// equal.
	Writer string `json:"writer"`
	Epoch  int    `json:"epoch"`
	// Run is the run, in an earlier run's file what was put aside: as a string if it is no
	// JSON.
	Run json.RawMessage `json:"run"`
	// Kept is when the record of an earlier run was put aside, From of which record it is
	// a copy, and Discarded why, if the run had not ended.
	Kept      time.Time `json:"kept,omitzero"`
	From      string    `json:"from,omitempty"`
	Discarded string    `json:"discarded,omitempty"`
}

// name is the file name of a group's record, without ext: readable, and different for any
// two groups. id tells apart two of one name (AWS: the ARN, with account and region).
func name(group, id string) string {
	const most = 80
	safe := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.", r) {
			return r
		}
		return '_'
	}, group)
	return fmt.Sprintf("run-%.*s-%s", most, safe, sum([]byte(group + "\x00" + id))[:8])
}

// sum tells one content of a file from all others, "" for no file.
func sum(text []byte) string {
	if text == nil {
		return ""
	}
	s := sha256.Sum256(text)
	return hex.EncodeToString(s[:])
}

// Records reads the records there are, in the order of their names.
func (s Store) Records() ([]live.Stored, error) {
	return s.list(func(file string) bool { return !strings.Contains(file, pastWord) })
}

// Past reads the records of a group's earlier runs, the newest first.
func (s Store) Past(group, id string) ([]live.Stored, error) {
	prefix := name(group, id) + pastWord
	list, err := s.list(func(file string) bool { return strings.HasPrefix(file, prefix) })
	slices.SortStableFunc(list, func(a, b live.Stored) int { return b.Kept.Compare(a.Kept) })
	return list, err
}

func (s Store) list(wanted func(file string) bool) (list []live.Stored, err error) {
	files, err := os.ReadDir(s.Dir)
	if err != nil && !os.IsNotExist(err) {
		return nil, fmt.Errorf("read the run records: %w", err)
	}
	for _, f := range files {
		if !strings.HasPrefix(f.Name(), "run-") || filepath.Ext(f.Name()) != ext || !wanted(f.Name()) {
			continue
		}
		path := filepath.Join(s.Dir, f.Name())
		text, err := read(path)
		if err != nil {
			return nil, err
		}
		if text == nil { // gone since
			continue
		}
		run, what, err := decode(path, text)
		list = append(list, live.Stored{Name: world.Clean(path), Run: run, Err: err, Kept: what.Kept, Discarded: world.Clean(what.Discarded)})
	}
	return list, nil
}

// read reads a file, nil if there is none.
func read(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	switch {
	case os.IsNotExist(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read the run record %s: %w", world.Clean(path), reason(err))
	}
	return text, nil
}

// decode reads a run from a file's content: live.DamagedError or live.NewerError if it
// cannot.
func decode(path string, text []byte) (run record.Run, what form, err error) {
	record := world.Clean(path)
	if err := json.Unmarshal(text, &what); err != nil {
		return run, form{}, &live.DamagedError{Record: record, Look: "less " + record, Err: err}
	}
	run, err = live.ReadRun(what.Run, record, "less "+record)
	return run, what, err
}

// reason is an error of the file system without the path, which is told beside it.
func reason(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}
