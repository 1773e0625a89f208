package journal

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Entry is one journal there is.
type Entry struct {
	Path    string
	Run     string
	Cluster string
	Group   string
	GroupID string // what tells the group from another of its name (AWS: the ARN), "" if it is not known
	Alias   string // what people call the group, "" where that is its name
	Started time.Time
}

// Called is what people call the group.
func (e Entry) Called() string { return cmp.Or(e.Alias, e.Group) }

// List lists the journals under dir, those of the runs that started last first. Files
// that are no journals are left out.
func List(dir string) ([]Entry, error) {
	paths, err := filepath.Glob(filepath.Join(escape(dir), "*", "*"+ext))
	if err != nil {
		return nil, err
	}
	var out []Entry
	for _, path := range paths {
		e, ok, err := head(path)
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, e)
		}
	}
	slices.SortStableFunc(out, func(a, b Entry) int {
		return cmp.Or(b.Started.Compare(a.Started), cmp.Compare(a.Path, b.Path))
	})
	return out, nil
}

// escape keeps what a pattern gives a meaning to from having one.
func escape(dir string) string {
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `\`, `\\`).Replace(dir)
}

// head reads a journal up to the line that says what it is of.
func head(path string) (e Entry, ok bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return e, false, err
	}
	defer func() { _ = f.Close() }()
	_, err = Read(f, func(l Line) bool {
		if o := l.Opened; o != nil {
			e, ok = Entry{path, l.Run, o.Cluster, o.Group, o.GroupID, o.Alias, o.Started}, true
		}
		return !ok
	})
	return e, ok, err
}

// Find finds the journal that name means: a file, a run by its id, or a group, whose
// last run is meant. cluster is that of the run, "" for any, and then there must be only one that
// has such a run or group. The error says what there is.
func Find(dir, name, cluster string) (Entry, error) {
	if strings.HasSuffix(name, ext) || strings.ContainsRune(name, filepath.Separator) {
		e, ok, err := head(name)
		if err == nil && !ok {
			err = fmt.Errorf("%s is not a journal", name)
		}
		return e, err
	}
	list, err := List(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Entry{}, err
	}
	if cluster != "" {
		list = slices.DeleteFunc(list, func(e Entry) bool { return e.Cluster != cluster })
	}
	for _, is := range []func(Entry) bool{
		func(e Entry) bool { return e.Run == name },
		func(e Entry) bool { return e.Group == name || e.Alias == name },
	} {
		meant := slices.DeleteFunc(slices.Clone(list), func(e Entry) bool { return !is(e) })
		if len(meant) == 0 {
			continue
		}
		if several := places(meant); len(several) > 1 {
			return Entry{}, &AmbiguousError{Name: name, Last: several}
		}
		return meant[0], nil
	}
	return Entry{}, &NotFoundError{Name: name, Dir: dir, There: list}
}

// places are the last journals of each group that some are of. Two clusters may have one name:
// what their groups are called by the cloud tells them apart.
func places(list []Entry) (last []Entry) {
	for _, e := range list {
		if !slices.ContainsFunc(last, func(o Entry) bool {
			return o.Cluster == e.Cluster && (o.GroupID == e.GroupID || o.GroupID == "" || e.GroupID == "")
		}) {
			last = append(last, e)
		}
	}
	return last
}

// AmbiguousError says that a run or a group of a name is in several clusters.
type AmbiguousError struct {
	Name string
	Last []Entry // the last journal in each
}

func (e *AmbiguousError) Error() string {
	var names []string
	for _, l := range e.Last {
		at := l.Cluster
		if l.GroupID != "" {
			at += ", group " + l.GroupID
		}
		names = append(names, fmt.Sprintf("%s (cluster %s)", l.Path, at))
	}
	return fmt.Sprintf("there are several journals of %s: choose a cluster with --cluster, or name the RUN or one of the files: %s", e.Name, strings.Join(names, ", "))
}

// NotFoundError says that there is no journal of a run or group.
type NotFoundError struct {
	Name, Dir string
	There     []Entry
}

func (e *NotFoundError) Error() string {
	if len(e.There) == 0 {
		return fmt.Sprintf("no journal of %s: none in %s (journals are on the machine that drives the run)", e.Name, e.Dir)
	}
	const most = 8
	names := make([]string, 0, most)
	for _, there := range e.There[:min(most, len(e.There))] {
		names = append(names, fmt.Sprintf("%s (%s)", there.Run, there.Started.Local().Format("2 Jan 15:04")))
	}
	more := ""
	if n := len(e.There) - len(names); n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	return fmt.Sprintf("no journal of %s in %s; it has %s%s", e.Name, e.Dir, strings.Join(names, ", "), more)
}
