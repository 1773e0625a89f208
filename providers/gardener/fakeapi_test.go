package gardener

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	authv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"
)

// fakeAPI is a small API server: objects by path, lists and watches, and reviews of rights,
// which are granted but for those that are denied.
type fakeAPI struct {
	t      *testing.T
	server *httptest.Server

	mu      sync.Mutex
	version int
	objects map[string]map[string]any
	watches map[string][]chan string
	denied  string // a resource
	verb    string // the only one that is denied, "" for all
	down    bool
	patches int
	// beforePatch is called before a patch is laid over its object, nil for nothing.
	beforePatch func()
}

func newFakeAPI(t *testing.T) *fakeAPI {
	f := &fakeAPI{t: t, objects: map[string]map[string]any{}, watches: map[string][]chan string{}}
	f.server = httptest.NewServer(http.HandlerFunc(f.serve))
	t.Cleanup(func() {
		f.server.CloseClientConnections()
		f.server.Close()
	})
	return f
}

// kubeconfig is the file that leads here.
func (f *fakeAPI) kubeconfig() string {
	path := filepath.Join(f.t.TempDir(), "config")
	text := "apiVersion: v1\nkind: Config\ncurrent-context: c\nclusters: [{name: c, cluster: {server: '" + f.server.URL + "'}}]\ncontexts: [{name: c, context: {cluster: c}}]\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		f.t.Fatal(err)
	}
	return path
}

const (
	controlPath = "/apis/machine.sapcloud.io/v1alpha1/namespaces/shoot--dev--prod/"
	gardenPath  = "/apis/core.gardener.cloud/v1beta1/namespaces/garden-dev/"
)

// put stores objects in YAML, which --- divides.
func (f *fakeAPI) put(text string) {
	f.t.Helper()
	for _, one := range strings.Split(text, "\n---\n") {
		var o map[string]any
		if err := yaml.Unmarshal([]byte(strings.ReplaceAll(one, "\t", "  ")), &o); err != nil {
			f.t.Fatalf("%s\n%s", err, one)
		}
		kind, meta := o["kind"].(string), o["metadata"].(map[string]any)
		prefix, group := controlPath, "machine."
		if o["apiVersion"] = "machine.sapcloud.io/v1alpha1"; kind == "Shoot" {
			prefix, group, o["apiVersion"] = gardenPath, "core.", "core.gardener.cloud/v1beta1"
		}
		if err := unknown(group+kind, o); err != nil {
			f.t.Fatal(err)
		}
		path := strings.Split(prefix, "/")
		meta["namespace"] = path[len(path)-2]
		f.store(prefix+strings.ToLower(kind)+"s", meta["name"].(string), o)
	}
}

func (f *fakeAPI) store(collection, name string, o map[string]any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.version++
	o["metadata"].(map[string]any)["resourceVersion"] = fmt.Sprint(f.version)
	event := "MODIFIED"
	if f.objects[collection+"/"+name] == nil {
		event = "ADDED"
	}
	f.objects[collection+"/"+name] = o
	b, _ := json.Marshal(map[string]any{"type": event, "object": o})
	for _, w := range f.watches[collection] {
		w <- string(b)
	}
}

// forbid denies a verb on a kind.
func (f *fakeAPI) forbid(verb, resource string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.verb, f.denied = verb, resource
}

// set says whether the server is down, and of which kind nothing may be read.
func (f *fakeAPI) set(down bool, denied string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.down, f.denied = down, denied
	if down {
		for _, list := range f.watches {
			for _, w := range list {
				close(w)
			}
		}
		clear(f.watches)
	}
}

func (f *fakeAPI) serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	f.mu.Lock()
	down, denied, verb := f.down, f.denied, f.verb
	f.mu.Unlock()
	collection := r.URL.Path
	resource := collection[strings.LastIndexByte(collection, '/')+1:]
	switch {
	case down:
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = io.WriteString(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","code":500,"message":"etcd is away"}`)
	case strings.HasSuffix(collection, "selfsubjectaccessreviews"):
		var review authv1.SelfSubjectAccessReview
		body, _ := io.ReadAll(r.Body)
		if _, _, err := scheme.Codecs.UniversalDeserializer().Decode(body, nil, &review); err != nil {
			f.t.Error(err)
		}
		w.WriteHeader(http.StatusCreated)
		_, _ = fmt.Fprintf(w, `{"kind":"SelfSubjectAccessReview","apiVersion":"authorization.k8s.io/v1","status":{"allowed":%t}}`, denied != review.Spec.ResourceAttributes.Resource || verb != "" && verb != review.Spec.ResourceAttributes.Verb)
	case denied != "" && verb == "" && denied == resource:
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","code":403,"reason":"Forbidden","message":"no"}`)
	case r.URL.Query().Get("sendInitialEvents") != "":
		w.WriteHeader(http.StatusUnprocessableEntity)
	case r.Method == http.MethodPatch:
		f.patch(w, r)
	case r.URL.Query().Get("watch") != "":
		f.watch(w, r)
	case resource == "readyz" || resource == "version":
		_, _ = io.WriteString(w, `{}`)
	default:
		_, _ = io.WriteString(w, f.list(collection, strings.TrimPrefix(r.URL.Query().Get("fieldSelector"), "metadata.name=")))
	}
}

// patch lays a merge patch or a JSON patch over an object.
func (f *fakeAPI) patch(w http.ResponseWriter, r *http.Request) {
	f.patches++
	if f.beforePatch != nil {
		f.beforePatch()
	}
	f.mu.Lock()
	o := f.objects[r.URL.Path]
	f.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	steps := r.Header.Get("Content-Type") == "application/json-patch+json"
	if o == nil || !steps && r.Header.Get("Content-Type") != "application/merge-patch+json" {
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","code":404,"reason":"NotFound","message":"not found"}`)
		return
	}
	was, _ := json.Marshal(o)
	is, err := jsonpatch.MergePatch(was, body)
	if steps {
		var p jsonpatch.Patch
		if p, err = jsonpatch.DecodePatch(body); err == nil {
			is, err = p.Apply(was)
		}
		if err != nil { // as k8s.io/apiserver pkg/endpoints/handlers/patch.go: no word of the test that failed
			w.WriteHeader(http.StatusUnprocessableEntity)
			_, _ = io.WriteString(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","code":422,"reason":"Invalid","message":"the server rejected our request due to an error in our request"}`)
			return
		}
	}
	var patched map[string]any
	if err == nil {
		err = json.Unmarshal(is, &patched)
	}
	if err != nil {
		f.t.Error(err)
		return
	}
	dir, name := path.Split(r.URL.Path)
	f.store(strings.TrimSuffix(dir, "/"), name, patched)
	_, _ = w.Write(is)
}

func (f *fakeAPI) list(collection, name string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	items := []string{}
	for _, path := range slices.Sorted(maps.Keys(f.objects)) {
		if strings.HasPrefix(path, collection+"/"+name) {
			b, _ := json.Marshal(f.objects[path])
			items = append(items, string(b))
		}
	}
	return fmt.Sprintf(`{"kind":"List","apiVersion":"v1","metadata":{"resourceVersion":"%d"},"items":[%s]}`, f.version, strings.Join(items, ","))
}

func (f *fakeAPI) watch(w http.ResponseWriter, r *http.Request) {
	events := make(chan string, 100)
	from, _ := strconv.Atoi(r.URL.Query().Get("resourceVersion"))
	f.mu.Lock()
	for path, o := range f.objects { // what has changed since it was listed
		at, _ := strconv.Atoi(o["metadata"].(map[string]any)["resourceVersion"].(string))
		if at > from && strings.HasPrefix(path, r.URL.Path+"/") {
			b, _ := json.Marshal(map[string]any{"type": "MODIFIED", "object": o})
			events <- string(b)
		}
	}
	f.watches[r.URL.Path] = append(f.watches[r.URL.Path], events)
	f.mu.Unlock()
	w.(http.Flusher).Flush()
	for {
		select {
		case <-r.Context().Done():
			return
		case e, open := <-events:
			if !open {
				return
			}
			_, _ = io.WriteString(w, e+"\n")
			w.(http.Flusher).Flush()
		}
	}
}
