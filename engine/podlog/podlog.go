// Package podlog is the end of a container's log, which a user reads on the dashboard. It is in no
// snapshot, record, journal or report.
package podlog

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/world"
)

// Limits of what is read.
const (
	Lines = 20
	Bytes = 32 << 10
	Limit = 10 * time.Second // to read it
)

// ErrGone means that the pod is not there any more.
var ErrGone = errors.New("the pod is gone")

// Pod is one whose log is read.
type Pod struct {
	Namespace, Name string
	UID             string // "" where it is not known
	// Crashes: it crash-loops, so what its container wrote before it ended is wanted.
	Crashes bool
}

// PodOf is the pod of a reference, "namespace/name".
func PodOf(ref, uid string, crashes bool) Pod {
	namespace, name, _ := strings.Cut(ref, "/")
	return Pod{Namespace: namespace, Name: name, UID: uid, Crashes: crashes}
}

// Ref is "namespace/name".
func (p Pod) Ref() string { return p.Namespace + "/" + p.Name }

// Log is the end of the log of one of a pod's containers.
type Log struct {
	Container string
	// Previous: it is of the container that ended last, not of the one there is now.
	Previous bool
	// Ended is how that container ended, "exit code 137 (OOMKilled)", and At when; "" for one that
	// runs.
	Ended    string
	At       time.Time
	Restarts int
	Lines    []string
	// Cut: its last line is longer than Bytes.
	Cut bool
}

// Reader reads the end of a pod's log. An error is one sentence for the user.
type Reader func(ctx context.Context, of Pod) (Log, error)

// Command is the kubectl command that prints the log.
func (l *Log) Command(of Pod) string {
	command := fmt.Sprintf("kubectl -n %s logs %s", of.Namespace, of.Name)
	if l.Container != "" {
		command += " -c " + l.Container
	}
	if l.Previous {
		command += " --previous"
	}
	return fmt.Sprintf("%s --tail=%d", command, Lines)
}

// escapes are the sequences with which programs colour what they write, and set titles.
var escapes = regexp.MustCompile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|[\\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\\\|$)|[ -/]*[0-~])")

// Split is a log in lines without control characters, the last Lines of them.
func Split(log string) []string {
	log = strings.TrimRight(escapes.ReplaceAllString(log, ""), "\r\n")
	if log == "" {
		return nil
	}
	all := strings.Split(log, "\n")
	out := make([]string, 0, Lines)
	for _, line := range all[max(0, len(all)-Lines):] {
		out = append(out, strings.TrimRight(world.Clean(strings.ReplaceAll(line, "\t", "    ")), " "))
	}
	return out
}
