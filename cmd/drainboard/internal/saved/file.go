package saved

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/world"
)

// format is the version of the file's format. most bounds its size, so that a file that unpacks
// to more than that is refused.
const (
	format = 1
	most   = 1 << 30
)

// File is the cluster of a plan, and what else the plan was made from.
type File struct {
	// Format is the version of the format, Program that of the program that wrote the file.
	Format  int
	Program string
	// At is when the cluster was read, Cluster its name. Hashed: names are hashes.
	At      time.Time
	Cluster string
	Hashed  bool
	// Provider and Alias are the group's.
	Provider, Alias string
	// RunID, Seed, Rules, Settings and Target are those of the plan's run, Notes the origin of its
	// settings.
	RunID    string
	Seed     uint64
	Rules    string
	Settings record.Settings
	Target   record.Target
	Notes    []string
	// Last is of the group's last run what plans use, nil where there was none.
	Last *record.Run
	// Rights are those that the run takes.
	Rights []snapshot.Right
	World  world.Contents
}

// Of returns the file of a plan of a group.
func Of(program, cluster string, at backend.Group, w *world.World, plan *snapshot.Plan, rules string, notes []string, last *record.Run) *File {
	f := &File{
		Format: format, Program: program, At: plan.AsOf, Cluster: cluster,
		Provider: at.Provider(), Alias: at.Alias(),
		RunID: plan.Run.ID, Seed: plan.Run.Seed, Rules: rules, Settings: plan.Run.Settings, Target: plan.Run.Target, Notes: notes,
		Rights: plan.Rights, World: w.Contents(),
	}
	if last != nil {
		f.Last = &record.Run{ID: last.ID, GroupID: last.GroupID, State: last.State, Measured: last.Measured, Earlier: last.Earlier, RaiseLeft: last.RaiseLeft}
	}
	return f
}

// Write writes the file, compressed if its name ends with .gz. Only the user may read it. An
// existing file is replaced once all is written.
func (f *File) Write(name string) (err error) {
	out, err := os.CreateTemp(dirOf(name), ".drainboard-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = out.Close()
			_ = os.Remove(out.Name())
		}
	}()
	to := io.WriteCloser(out)
	if strings.HasSuffix(name, ".gz") {
		to = gzip.NewWriter(out)
	}
	if err = json.NewEncoder(to).Encode(f); err != nil {
		return err
	}
	if to != io.WriteCloser(out) {
		if err = to.Close(); err != nil {
			return err
		}
	}
	if err = out.Close(); err != nil {
		return err
	}
	return os.Rename(out.Name(), name)
}

// dirOf is the directory of a file.
func dirOf(name string) string {
	if i := strings.LastIndexByte(name, os.PathSeparator); i >= 0 {
		return name[:i+1]
	}
	return "."
}

// Read reads a file.
func Read(name string) (*File, error) {
	in, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }()
	f, err := decode(in)
	if err != nil {
		return nil, fmt.Errorf("%s is no file of plan --save: %w", name, err)
	}
	return f, nil
}

// decode reads a file, compressed or not.
func decode(in io.Reader) (*File, error) {
	var first [2]byte
	n, err := io.ReadFull(in, first[:])
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, errors.New("it is empty or cannot be read")
	}
	all := io.MultiReader(bytes.NewReader(first[:n]), in)
	if first == [2]byte{0x1f, 0x8b} {
		packed, err := gzip.NewReader(all)
		if err != nil {
			return nil, err
		}
		all = packed
	}
	bounded := &io.LimitedReader{R: all, N: most}
	f := new(File)
	if err := json.NewDecoder(bounded).Decode(f); bounded.N == 0 {
		return nil, fmt.Errorf("it is larger than %d MiB", most>>20)
	} else if err != nil {
		return nil, err
	}
	switch {
	case f.Format > format:
		return nil, fmt.Errorf("it was written by a newer version (%s)", world.Clean(f.Program))
	case f.Format != format || f.World.Group.Name == "" || f.Rules == "" || f.At.IsZero():
		return nil, errors.New("it has no cluster")
	}
	return f, nil
}
