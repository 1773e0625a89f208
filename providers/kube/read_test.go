package kube

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/podlog"
	"github.com/drainboard/drainboard/providers/kube/kubetest"
)

// An object is read as it is; what is not there, what is not known and what is not allowed
// are told apart.
func TestRead(t *testing.T) {
	const there = "/apis/core.gardener.cloud/v1beta1/namespaces/garden-shop/shoots/prod"
	status := func(reason, message string, code int) (int, string) {
		return code, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"` + reason + `","message":"` + message + `"}`
	}
	c := fakeAPI(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept") != "application/json" {
			t.Errorf("asked for %s", r.Header.Get("Accept"))
		}
		w.Header().Set("Content-Type", "application/json")
		code, body := status("NotFound", `shoots \"test\" not found`, http.StatusNotFound)
		switch {
		case r.URL.Path == there:
			code, body = http.StatusOK, `{"kind":"Shoot","extra":[1]}`
		case strings.HasSuffix(r.URL.Path, "/secret"):
			code, body = status("Forbidden", "not for you", http.StatusForbidden)
		case strings.HasPrefix(r.URL.Path, "/apis/other"):
			http.NotFound(w, r)
			return
		}
		w.WriteHeader(code)
		_, _ = w.Write([]byte(body))
	})
	if data, err := c.Read(t.Context(), there); err != nil || string(data) != `{"kind":"Shoot","extra":[1]}` {
		t.Errorf("%s, %v", data, err)
	}
	if _, err := c.Read(t.Context(), strings.Replace(there, "prod", "test", 1)); !errors.Is(err, ErrNoObject) {
		t.Errorf("of an object that is not there: %v", err)
	}
	if _, err := c.Read(t.Context(), "/apis/other/v1/things/a"); !errors.Is(err, ErrNoKind) {
		t.Errorf("of a kind that is not known: %v", err)
	}
	if _, err := c.Read(t.Context(), there+"/secret"); err == nil || !strings.Contains(err.Error(), "does not allow it: not for you") {
		t.Errorf("of what is not allowed: %v", err)
	}
}

// crashed is a pod as the API has it whose main container crash-loops beside one that is well.
const crashed = `{"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"shop","name":"web-1","uid":"u-1","annotations":{"kubectl.kubernetes.io/default-container":"proxy"}},
	"spec":{"containers":[{"name":"proxy"},{"name":"web"}]},
	"status":{"phase":"Running","initContainerStatuses":[{"name":"migrate","ready":true,"state":{"terminated":{"exitCode":0,"reason":"Completed"}}}],
		"containerStatuses":[{"name":"proxy","ready":true,"state":{"running":{}}},
		{"name":"web","restartCount":4,"state":{"waiting":{"reason":"CrashLoopBackOff"}},"lastState":{"terminated":{"exitCode":137,"reason":"OOMKilled","finishedAt":"2026-03-14T21:05:10Z"}}}]}}`

// The log of a pod that crash-loops is the one of the container that crashed, as it was before it
// was started again: its last lines, cleaned.
func TestPodLog(t *testing.T) {
	var asked []string
	long := false
	answer := func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte("\x1b[31mfatal\x1b[0m\x07: no memory\nbye\n"))
	}
	c := fakeAPI(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Method+" "+r.URL.Path+"?"+r.URL.RawQuery)
		switch r.URL.Path {
		case "/api/v1/namespaces/shop/pods/web-1":
			kubetest.Say(w, http.StatusOK, crashed)
		case "/api/v1/namespaces/shop/pods/web-1/log":
			answer(w, r)
		default:
			kubetest.Say(w, http.StatusNotFound, kubetest.Status(404, "NotFound", "pods not found", ""))
		}
	})
	of := podlog.PodOf("shop/web-1", "u-1", true)
	log, err := c.PodLog(t.Context(), of)
	ended := time.Date(2026, 3, 14, 21, 5, 10, 0, time.UTC)
	want := podlog.Log{Container: "web", Previous: true, Ended: "exit code 137 (OOMKilled)", At: ended, Restarts: 4, Lines: []string{"fatal: no memory", "bye"}}
	if log.At = log.At.UTC(); err != nil || !reflect.DeepEqual(log, want) {
		t.Errorf("%+v, %v, want %+v", log, err, want)
	}
	const path = "GET /api/v1/namespaces/shop/pods/web-1"
	if !slices.Equal(asked, []string{path + "?", path + "/log?container=web&limitBytes=32768&previous=true&tailLines=20"}) {
		t.Errorf("asked %q", asked)
	}

	// Where so many lines are too long, the newest are read.
	asked, answer = nil, func(w http.ResponseWriter, r *http.Request) {
		text := "the newest\n"
		if long = r.URL.Query().Get("tailLines") != "1"; long {
			text = strings.Repeat("x", 1<<20)
		}
		_, _ = w.Write([]byte(text))
	}
	if log, err = c.PodLog(t.Context(), of); err != nil || !slices.Equal(log.Lines, []string{"the newest"}) || log.Cut || len(asked) != 4 {
		t.Errorf("%+v, %v after %q", log, err, asked)
	}

	// The container of before is gone: then it is the one that is there.
	answer = func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("previous") != "" {
			kubetest.Say(w, 400, kubetest.Status(400, "BadRequest", `previous terminated container \"web\" in pod \"web-1\" not found`, ""))
			return
		}
		_, _ = w.Write([]byte("now"))
	}
	if log, err = c.PodLog(t.Context(), of); err != nil || log.Previous || !slices.Equal(log.Lines, []string{"now"}) {
		t.Errorf("%+v, %v", log, err)
	}

	// Who may not read logs is told the rule.
	answer = func(w http.ResponseWriter, _ *http.Request) {
		kubetest.Say(w, 403, kubetest.Status(403, "Forbidden", `pods \"web-1\" is forbidden: User \"ana\" cannot get resource \"pods/log\"`, ""))
	}
	if _, err = c.PodLog(t.Context(), of); !errors.Is(err, live.ErrDenied) || !strings.Contains(err.Error(), `this user may not get pods/log: give it a ClusterRole with the rule {apiGroups: [""], resources: ["pods/log"], verbs: ["get"]}`) {
		t.Errorf("%v", err)
	}

	// What the kubelet says is told, and a pod that is another one has no log of this one.
	answer = func(w http.ResponseWriter, _ *http.Request) {
		kubetest.Say(w, 500, kubetest.Status(500, "InternalError", `Get https://10.0.1.88:10250/containerLogs: dial tcp: no route to host`, ""))
	}
	if _, err = c.PodLog(t.Context(), of); err == nil || !strings.Contains(err.Error(), "no route to host") {
		t.Errorf("%v", err)
	}
	for _, gone := range []podlog.Pod{podlog.PodOf("shop/web-1", "u-2", true), podlog.PodOf("shop/web-9", "", false)} {
		if _, err := c.PodLog(t.Context(), gone); !errors.Is(err, podlog.ErrGone) {
			t.Errorf("%+v: %v", gone, err)
		}
	}
}

// A kubelet that does not answer is not waited for longer than the request may take.
func TestPodLogHasALimit(t *testing.T) {
	done := make(chan struct{})
	c := fakeAPI(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/log") {
			_, _ = w.Write([]byte("first\n"))
			w.(http.Flusher).Flush()
			<-done
			return
		}
		kubetest.Say(w, http.StatusOK, crashed)
	})
	t.Cleanup(func() { close(done) })
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := c.PodLog(ctx, podlog.PodOf("shop/web-1", "", true)); err == nil || !strings.Contains(err.Error(), "does not answer") {
		t.Errorf("%v", err)
	}
}
