package disk

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"time"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// Record keeps the run of one group in a file. It implements live.Store. Load before the
// first Save, so that a record that is there is not written over.
type Record struct {
	s           Store
	group, name string
	writer      string

	busy chan struct{} // of one: who has it reads and writes the file, and what is below
	// seen is the sum of what was last read or written, "" for no file; tried that of the
	// last write asked for, and unsure that its end was not seen.
	seen, tried string
	unsure      bool
	epoch       int
}

var _ live.Store = (*Record)(nil)

// Record returns the record of a group. id tells it from others of its name. Nothing is
// read yet.
func (s Store) Record(group, id string) *Record {
	return &Record{s: s, group: group, name: name(group, id), writer: rand.Text(), busy: make(chan struct{}, 1)}
}

// Path is the record's file.
func (r *Record) Path() string { return filepath.Join(r.s.Dir, r.name+ext) }

// errSilent is what is waited for in vain where the disk gives no answer.
var errSilent = errors.New("the disk does not answer")

// do does something with the file. A disk that does not answer keeps nobody longer than
// ctx allows; what comes next waits for it.
func (r *Record) do(ctx context.Context, what func() error) error {
	select {
	case r.busy <- struct{}{}:
	case <-ctx.Done():
		return errSilent
	}
	done := make(chan error, 1)
	go func() {
		err := live.Caught(what)
		<-r.busy
		done <- err
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return errSilent
	}
}

// Load reads the run; found is false when there is no record. The error is a
// live.DamagedError, a live.NewerError, or the system's.
func (r *Record) Load(ctx context.Context) (run record.Run, found bool, err error) {
	type loaded struct {
		run   record.Run
		found bool
	}
	got := make(chan loaded, 1)
	err = r.do(ctx, func() error {
		text, err := read(r.Path())
		if err != nil {
			return err
		}
		r.seen, r.unsure = "", false
		if text == nil {
			got <- loaded{}
			return nil
		}
		run, _, err := decode(r.Path(), text)
		if err == nil && run.Group != r.group {
			err = &live.DamagedError{Record: world.Clean(r.Path()), Look: "less " + world.Clean(r.Path()), Err: fmt.Errorf("it belongs to group %s", run.Group)}
		}
		if err != nil {
			got <- loaded{found: true}
			return err
		}
		r.seen = sum(text)
		got <- loaded{run, true}
		return nil
	})
	select {
	case l := <-got:
		return l.run, l.found, err
	default:
		return record.Run{}, false, err
	}
}

// Save writes the run if the record is still as this process last read or wrote it;
// live.ErrLost if not. After any other error it may or may not have been written, and the
// next Save finds out.
func (r *Record) Save(ctx context.Context, run record.Run) error {
	text, err := json.Marshal(run) // before anybody else may change what it shares
	if err != nil {
		return fmt.Errorf("write the run as JSON: %w", err)
	}
	err = r.do(ctx, func() error {
		unlock, err := lockDir(ctx, r.s.Dir)
		if err != nil {
			return err
		}
		defer unlock()
		there, err := read(r.Path())
		if err != nil {
			return err
		}
		switch now := sum(there); {
		case now == r.seen:
		case r.unsure && now == r.tried:
			r.epoch++
		case there == nil:
			return fmt.Errorf("%w: %s is gone", live.ErrLost, world.Clean(r.Path()))
		default:
			return fmt.Errorf("%w (%s)", live.ErrLost, world.Clean(r.Path()))
		}
		next, err := json.Marshal(form{Writer: r.writer, Epoch: r.epoch + 1, Run: text})
		if err != nil {
			return fmt.Errorf("write the record as JSON: %w", err)
		}
		r.seen, r.tried, r.unsure = sum(there), sum(next), true
		if err := write(r.Path(), next); err != nil {
			return err
		}
		r.seen, r.unsure = r.tried, false
		r.epoch++
		return nil
	})
	if err != nil && !errors.Is(err, live.ErrLost) {
		return fmt.Errorf("save the run record %s: %w", world.Clean(r.Path()), err)
	}
	return err
}

// Keep copies the record as it is, readable or not, to where those of the group's earlier
// runs are kept, in the file that it returns, "" if there is no record. What was kept
// before is not kept twice. The next Save may then write over the record, if nobody else
// does before. discarded says why a run is put aside that has not ended.
func (r *Record) Keep(ctx context.Context, discarded string) (path string, err error) {
	kept := make(chan string, 1)
	err = r.do(ctx, func() error {
		unlock, err := lockDir(ctx, r.s.Dir)
		if err != nil {
			return err
		}
		defer unlock()
		text, err := read(r.Path())
		if err != nil || text == nil {
			return err
		}
		path, have, err := r.place(sum(text))
		if err != nil {
			return err
		}
		if have.From != sum(text) {
			past := form{Writer: r.writer, Run: asJSON(text), Kept: r.s.Now().UTC(), From: sum(text), Discarded: discarded}
			var record form
			if json.Unmarshal(text, &record) == nil && json.Valid(record.Run) {
				past.Epoch, past.Run = record.Epoch, record.Run
			}
			next, err := json.Marshal(past)
			if err != nil {
				return fmt.Errorf("write the record as JSON: %w", err)
			}
			if err := write(path, next); err != nil {
				return err
			}
		}
		r.seen, r.unsure = sum(text), false
		kept <- path
		return nil
	})
	select {
	case path = <-kept:
	default:
	}
	if err != nil {
		return "", fmt.Errorf("keep the record of the last run next to %s: %w", world.Clean(r.Path()), err)
	}
	return path, nil
}

// asJSON is a text as a JSON string, whatever it holds.
func asJSON(text []byte) json.RawMessage {
	quoted, err := json.Marshal(string(text))
	if err != nil {
		panic("a string is JSON: " + err.Error())
	}
	return quoted
}

// place is where the next record goes: where this one is already, else a free place, else
// that of the oldest; have is what is there.
func (r *Record) place(from string) (path string, have form, err error) {
	free, oldest := "", time.Time{}
	for i := 1; i <= pastRuns; i++ {
		file := filepath.Join(r.s.Dir, r.name+pastWord+strconv.Itoa(i)+ext)
		text, err := read(file)
		if err != nil {
			return "", form{}, err
		}
		var f form
		_ = json.Unmarshal(text, &f) // the zero value, if it was edited: it goes first
		switch {
		case text == nil && free == "":
			free = file
		case text == nil:
		case f.From == from:
			return file, f, nil
		case path == "" || f.Kept.Before(oldest):
			path, oldest, have = file, f.Kept, f
		}
	}
	if free != "" {
		return free, form{}, nil
	}
	return path, have, nil
}
