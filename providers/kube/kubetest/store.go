package kubetest

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Store is a small API server: objects by path, with resource versions that
// writes are checked against, lists and watches. What it does not know is 404.
type Store struct {
	t *testing.T

	mu      sync.Mutex
	version int
	objects map[string]map[string]any
	watches map[string][]chan string                      // by collection
	history []told                                        // what a watch from an older version is told first
	before  func(http.ResponseWriter, *http.Request) bool // see Intercept
	after   func(http.ResponseWriter, *http.Request) bool // see Spoil
}

// told is an event of a collection.
type told struct {
	version           int
	collection, event string
}

// NewStore returns a store without objects; what Put cannot store fails t.
func NewStore(t *testing.T) *Store {
	return &Store{t: t, objects: map[string]map[string]any{}, watches: map[string][]chan string{}}
}

// Intercept has f see every request before it is carried out; if it returns
// true, it has answered and nothing is carried out.
func (s *Store) Intercept(f func(http.ResponseWriter, *http.Request) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before = f
}

// Spoil has f see every request that was carried out; if it returns true, it has
// answered.
func (s *Store) Spoil(f func(http.ResponseWriter, *http.Request) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.after = f
}

// Put stores an object given as JSON, past all checks.
func (s *Store) Put(path, object string) {
	s.t.Helper()
	var o map[string]any
	if err := json.Unmarshal([]byte(object), &o); err != nil {
		s.t.Fatal(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.store(path, o)
}

// Remove deletes an object, and tells those who watch.
func (s *Store) Remove(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version++
	s.tell(path, "DELETED", s.objects[path])
	delete(s.objects, path)
}

// Paths are those of all objects, a line each.
func (s *Store) Paths() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(slices.Sorted(maps.Keys(s.objects)), "\n")
}

// Object is what is stored at a path, nil for nothing.
func (s *Store) Object(path string) map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.objects[path]
}

// Cut ends all watches of a collection.
func (s *Store) Cut(collection string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.watches[collection] {
		close(w)
	}
	delete(s.watches, collection)
}

// Restart ends all watches; an object was stored at a version meanwhile, of which no
// watch ever tells.
func (s *Store) Restart(version int, path, object string) {
	s.mu.Lock()
	watches := s.watches
	s.watches, s.version = map[string][]chan string{}, version-1
	s.mu.Unlock()
	s.Put(path, object)
	s.mu.Lock()
	s.history = nil
	s.mu.Unlock()
	for _, of := range watches {
		for _, w := range of {
			close(w)
		}
	}
}

func (s *Store) store(path string, o map[string]any) {
	s.version++
	meta, _ := o["metadata"].(map[string]any)
	meta["resourceVersion"] = strconv.Itoa(s.version)
	event := "MODIFIED"
	if s.objects[path] == nil {
		event = "ADDED"
	}
	s.objects[path] = o
	s.tell(path, event, o)
}

func (s *Store) tell(path, event string, o map[string]any) {
	b, _ := json.Marshal(map[string]any{"type": event, "object": o})
	collection := path[:strings.LastIndex(path, "/")]
	s.history = append(s.history, told{s.version, collection, string(b)})
	for _, w := range s.watches[collection] {
		w <- string(b)
	}
}

// Serve answers a request to the API.
func (s *Store) Serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	before, after := s.before, s.after
	s.mu.Unlock()
	if before != nil && before(w, r) {
		return
	}
	if r.URL.Query().Get("watch") != "" {
		s.watch(w, r)
		return
	}
	s.mu.Lock()
	code, body := s.answer(r)
	s.mu.Unlock()
	if after != nil && after(w, r) {
		return
	}
	Say(w, code, body)
}

func (s *Store) answer(r *http.Request) (int, string) {
	path := r.URL.Path
	text, _ := io.ReadAll(r.Body)
	have := s.objects[path]
	name := path[strings.LastIndex(path, "/")+1:]
	missing := Status(404, "NotFound", name+" not found", `{"name":"`+name+`","kind":"things"}`)
	conflict := Status(409, "Conflict", "Operation cannot be fulfilled on "+name+": the object has been modified", "")
	var o map[string]any
	switch r.Method {
	case http.MethodGet:
		if path == "/readyz" {
			return 200, `ok`
		}
		if have == nil && s.isCollection(path) {
			return 200, s.list(path, strings.TrimPrefix(r.URL.Query().Get("fieldSelector"), "spec.nodeName="))
		}
		if have == nil {
			return 404, missing
		}
		return 200, AsText(have)
	case http.MethodPost:
		if err := json.Unmarshal(text, &o); err != nil {
			return 400, Status(400, "BadRequest", err.Error(), "")
		}
		meta := o["metadata"].(map[string]any)
		if meta["name"] == nil { // a review, which it does not know
			return 404, missing
		}
		if ns, _ := meta["namespace"].(string); ns != "" && s.objects["/api/v1/namespaces/"+ns] == nil {
			return 404, Status(404, "NotFound", `namespaces "`+ns+`" not found`, `{"name":"`+ns+`","kind":"namespaces"}`)
		}
		path += "/" + meta["name"].(string)
		meta["uid"] = fmt.Sprint("uid-", s.version)
		if meta["creationTimestamp"] == nil {
			meta["creationTimestamp"] = time.Now().UTC().Format(time.RFC3339)
		}
		if s.objects[path] != nil {
			return 409, Status(409, "AlreadyExists", name+" already exists", "")
		}
		s.store(path, o)
		return 201, AsText(o)
	case http.MethodPut:
		if err := json.Unmarshal(text, &o); err != nil {
			return 400, Status(400, "BadRequest", err.Error(), "")
		}
		if have == nil {
			return 404, missing
		}
		if VersionOf(o) != "" && VersionOf(o) != VersionOf(have) {
			return 409, conflict
		}
		was, _ := have["metadata"].(map[string]any)
		meta, _ := o["metadata"].(map[string]any)
		meta["uid"], meta["creationTimestamp"] = was["uid"], was["creationTimestamp"]
		s.store(path, o)
		return 200, AsText(o)
	case http.MethodDelete:
		if have == nil {
			return 404, missing
		}
		var options struct {
			Preconditions struct{ ResourceVersion string }
		}
		_ = json.Unmarshal(text, &options)
		if v := options.Preconditions.ResourceVersion; v != "" && v != VersionOf(have) {
			return 409, conflict
		}
		s.version++
		s.tell(path, "DELETED", have)
		delete(s.objects, path)
		return 200, Status(200, "", "", "")
	case http.MethodPatch:
		if have == nil {
			return 404, missing
		}
		var patch map[string]any
		_ = json.Unmarshal(text, &patch)
		if v := VersionOf(patch); v != "" && v != VersionOf(have) {
			return 409, conflict
		}
		_ = json.Unmarshal([]byte(AsText(have)), &o)
		merge(o, patch)
		s.store(path, o)
		return 200, AsText(o)
	}
	return 405, Status(405, "MethodNotAllowed", r.Method, "")
}

func (s *Store) isCollection(path string) bool {
	for _, end := range []string{"nodes", "pods", "poddisruptionbudgets", "daemonsets", "configmaps"} {
		if strings.HasSuffix(path, "/"+end) {
			return true
		}
	}
	return false
}

// List is a collection as a list of it is answered.
func (s *Store) List(collection string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.list(collection, "")
}

// list is a collection, of pods those on a node if one is named.
func (s *Store) list(collection, node string) string {
	var items []string
	for _, path := range slices.Sorted(maps.Keys(s.objects)) {
		spec, _ := s.objects[path]["spec"].(map[string]any)
		if strings.HasPrefix(path, collection+"/") && (node == "" || !strings.HasSuffix(collection, "/pods") || spec["nodeName"] == node) {
			items = append(items, AsText(s.objects[path]))
		}
	}
	kind := map[string]string{"nodes": "NodeList", "pods": "PodList", "poddisruptionbudgets": "PodDisruptionBudgetList",
		"daemonsets": "PartialObjectMetadataList", "configmaps": "ConfigMapList"}[collection[strings.LastIndex(collection, "/")+1:]]
	group := "v1"
	switch kind {
	case "PodDisruptionBudgetList":
		group = "policy/v1"
	case "PartialObjectMetadataList":
		group = "meta.k8s.io/v1"
	}
	return fmt.Sprintf(`{"kind":%q,"apiVersion":%q,"metadata":{"resourceVersion":"%d"},"items":[%s]}`, kind, group, s.version, strings.Join(items, ","))
}

// watch streams what happens from a version on; it knows no initial events, like a
// server before 1.32.
func (s *Store) watch(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Get("sendInitialEvents") != "" {
		Say(w, 422, Status(422, "Invalid", "sendInitialEvents is forbidden", ""))
		return
	}
	events := make(chan string, 200)
	s.mu.Lock()
	if from, err := strconv.Atoi(r.URL.Query().Get("resourceVersion")); err == nil {
		for _, h := range s.history {
			if h.version > from && h.collection == r.URL.Path {
				events <- h.event
			}
		}
	}
	s.watches[r.URL.Path] = append(s.watches[r.URL.Path], events)
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(200)
	w.(http.Flusher).Flush()
	for {
		select {
		case <-r.Context().Done():
			return
		case e, ok := <-events:
			if !ok {
				return
			}
			_, _ = io.WriteString(w, e+"\n")
			w.(http.Flusher).Flush()
		}
	}
}

// VersionOf is the resource version of an object, "" for none.
func VersionOf(o map[string]any) string {
	meta, _ := o["metadata"].(map[string]any)
	v, _ := meta["resourceVersion"].(string)
	return v
}

// AsText is an object as JSON.
func AsText(o map[string]any) string {
	b, _ := json.Marshal(o)
	return string(b)
}

// merge is RFC 7386's merge patch.
func merge(o, patch map[string]any) {
	for k, v := range patch {
		inner, isMap := v.(map[string]any)
		switch {
		case v == nil:
			delete(o, k)
		case isMap:
			have, _ := o[k].(map[string]any)
			if have == nil {
				have = map[string]any{}
			}
			merge(have, inner)
			o[k] = have
		default:
			o[k] = v
		}
	}
}
