package lab

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/drainboard/drainboard/lab/try"
)

// A Request is one request to the API server, from the audit log. A watch
// appears when it begins (ResponseStarted) and again when it ends.
type Request struct {
	ID        string
	Stage     string // ResponseStarted, ResponseComplete or Panic
	Verb      string // get, list, watch, create, update, patch, delete, deletecollection
	User      string
	UserAgent string

	Group, Resource, Subresource string
	Namespace, Name              string
	URI                          string

	Received time.Time // by the API server
	Done     time.Time // when the stage was reached
	Code     int       // HTTP status of the answer; 0 if none
	Body     []byte    // what a write sent, as JSON; empty for reads
}

// Write reports whether the request may change something.
func (r Request) Write() bool {
	switch r.Verb {
	case "get", "list", "watch", "head", "options":
		return false
	}
	return true
}

// Eviction reports whether the request asks for a pod's eviction.
func (r Request) Eviction() bool {
	return r.Verb == "create" && r.Resource == "pods" && r.Subresource == "eviction"
}

// PodDelete reports whether the request deletes one or more pods directly.
func (r Request) PodDelete() bool {
	return strings.HasPrefix(r.Verb, "delete") && r.Resource == "pods" && r.Subresource == ""
}

// UID is the UID that an eviction or a delete is limited to; empty if it names
// none.
func (r Request) UID() string {
	type options struct{ Preconditions struct{ UID string } }
	var body struct {
		options                // of a delete
		DeleteOptions *options // of an eviction
	}
	if json.Unmarshal(r.Body, &body) != nil {
		return ""
	}
	if body.DeleteOptions != nil {
		return body.DeleteOptions.Preconditions.UID
	}
	return body.Preconditions.UID
}

func (r Request) String() string {
	resource := r.Resource
	if r.Subresource != "" {
		resource += "/" + r.Subresource
	}
	return fmt.Sprintf("%s %s %s %s/%s by %s: %d",
		r.Received.Format("15:04:05.000"), r.Verb, resource, r.Namespace, r.Name, r.User, r.Code)
}

// Requests is an audit log or a part of it, in the order of the log (that of the
// answers).
type Requests []Request

// Where returns the requests that satisfy all conditions.
func (rs Requests) Where(conditions ...func(Request) bool) Requests {
	return slices.DeleteFunc(slices.Clone(rs), func(r Request) bool {
		return slices.ContainsFunc(conditions, func(is func(Request) bool) bool { return !is(r) })
	})
}

// By keeps the requests of a user ("admin") or, for a string that ends in "/",
// of a program ("drainboard/"), by the beginning of its user agent.
func By(who string) func(Request) bool {
	return func(r Request) bool {
		if strings.HasSuffix(who, "/") {
			return strings.HasPrefix(r.UserAgent, who)
		}
		return r.User == who
	}
}

// Between keeps the requests received from one time until another; a zero time
// is no limit.
func Between(from, until time.Time) func(Request) bool {
	return func(r Request) bool {
		return !r.Received.Before(from) && (until.IsZero() || r.Received.Before(until))
	}
}

// Complete keeps the requests that are over, so that a watch counts once and
// only when it has ended.
func Complete(r Request) bool { return r.Stage == "ResponseComplete" }

// Count counts requests by verb and resource, such as "create pods/eviction"; a
// request with two entries (a watch) once.
func (rs Requests) Count() map[string]int {
	counts, seen := map[string]int{}, map[string]bool{}
	for _, r := range rs {
		if seen[r.ID] {
			continue
		}
		seen[r.ID] = true
		key := r.Verb + " " + r.Resource
		if r.Subresource != "" {
			key += "/" + r.Subresource
		}
		if r.Resource == "" {
			key = r.Verb + " " + r.URI
		}
		counts[key]++
	}
	return counts
}

// Audit reads the lab's audit log so far. A request is in it a moment after its
// answer; AuditUntil waits for that.
func (l *Lab) Audit() (Requests, error) {
	l.audit.mu.Lock()
	defer l.audit.mu.Unlock()
	err := l.audit.read(l.options.AuditLog)
	return slices.Clip(l.audit.requests), err
}

// auditTail is what has been read of a log that grows.
type auditTail struct {
	mu       sync.Mutex
	offset   int64
	requests Requests
}

// AuditUntil reads the audit log again until done says yes to it.
func (l *Lab) AuditUntil(ctx context.Context, done func(Requests) bool) (Requests, error) {
	var requests Requests
	err := try.Until(ctx, 100*time.Millisecond, func() (bool, error) {
		var err error
		requests, err = l.Audit()
		return err == nil && done(requests), err
	})
	return requests, err
}

// AuditSync reads the audit log up to now: it makes a request of its own, and
// waits until the log has it.
func (l *Lab) AuditSync(ctx context.Context) (Requests, error) {
	name := "audit-sync-" + randomToken()
	// The deletion of what is not there changes nothing, and is in the log.
	_ = l.client.CoreV1().RESTClient().Delete().Namespace("default").Resource("configmaps").Name(name).Do(ctx)
	return l.AuditUntil(ctx, func(rs Requests) bool {
		return slices.ContainsFunc(rs, func(r Request) bool { return r.Name == name })
	})
}

// read reads what has been written since the last time. A last line without its
// end is left for the next time; a missing file is an empty log.
func (t *auditTail) read(path string) error {
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := file.Seek(t.offset, io.SeekStart); err != nil {
		return err
	}
	for lines := bufio.NewReaderSize(file, 1<<20); ; {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		request, err := parseAudit(line)
		if err != nil {
			return fmt.Errorf("%s: %w: %s", path, err, bytes.TrimSpace(line))
		}
		t.requests = append(t.requests, request)
		t.offset += int64(len(line))
	}
}

// parseAudit reads one event of the audit.k8s.io/v1 format.
func parseAudit(line []byte) (Request, error) {
	var event struct {
		AuditID, Stage, Verb, RequestURI, UserAgent string

		User      struct{ Username string }
		ObjectRef struct{ APIGroup, Resource, Subresource, Namespace, Name string }

		ResponseStatus           struct{ Code int }
		RequestObject            json.RawMessage
		RequestReceivedTimestamp time.Time
		StageTimestamp           time.Time
	}
	if err := json.Unmarshal(line, &event); err != nil {
		return Request{}, err
	}
	return Request{
		ID: event.AuditID, Stage: event.Stage, Verb: event.Verb,
		User: event.User.Username, UserAgent: event.UserAgent,
		Group: event.ObjectRef.APIGroup, Resource: event.ObjectRef.Resource, Subresource: event.ObjectRef.Subresource,
		Namespace: event.ObjectRef.Namespace, Name: event.ObjectRef.Name, URI: event.RequestURI,
		Received: event.RequestReceivedTimestamp, Done: event.StageTimestamp,
		Code: event.ResponseStatus.Code, Body: event.RequestObject,
	}, nil
}
