package status

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/clitest"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/session"
	"github.com/drainboard/drainboard/engine/api/apitest"
	"github.com/drainboard/drainboard/providers/kube"
)

// Who may not read the lock is told that nobody knows who drives the run, and the right
// that would tell; that is no reason to show nothing.
func TestStatusWithoutTheRightToReadTheLock(t *testing.T) {
	_, run := clitest.Rolled()
	text, err := json.Marshal(run)
	if err != nil {
		t.Fatal(err)
	}
	record := corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "drainboard", Name: kube.RecordName("web"), Annotations: map[string]string{"drainboard.dev/writer": "x"}},
		Data: map[string]string{"run.json": string(text)}}
	flags := clitest.Serving(t, func(w http.ResponseWriter, r *http.Request) {
		var answer any
		code := http.StatusOK
		switch {
		case r.URL.Path == "/readyz":
			return
		case strings.HasSuffix(r.URL.Path, "/configmaps") && !strings.Contains(r.URL.Query().Get("labelSelector"), "drainboard.dev/past"),
			strings.Contains(r.URL.Query().Get("labelSelector"), "!drainboard.dev/past"):
			answer = corev1.ConfigMapList{TypeMeta: metav1.TypeMeta{Kind: "ConfigMapList", APIVersion: "v1"}, Items: []corev1.ConfigMap{record}}
		case strings.HasSuffix(r.URL.Path, "/configmaps"):
			answer = corev1.ConfigMapList{TypeMeta: metav1.TypeMeta{Kind: "ConfigMapList", APIVersion: "v1"}}
		case r.URL.Path == "/api/v1/nodes":
			answer = corev1.NodeList{TypeMeta: metav1.TypeMeta{Kind: "NodeList", APIVersion: "v1"}}
		default:
			code = http.StatusForbidden
			answer = metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: "Failure", Reason: metav1.StatusReasonForbidden, Code: http.StatusForbidden}
		}
		w.WriteHeader(code)
		if err := json.NewEncoder(w).Encode(answer); err != nil {
			t.Error(err)
		}
	})
	var out bytes.Buffer
	a := &Status{Out: &out, Options: session.Options{Flags: flags, Namespace: "drainboard"}, Group: "web"}
	for _, asJSON := range []bool{false, true} {
		out.Reset()
		a.JSON = asJSON
		if err := a.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if asJSON {
			apitest.Valid(t, out.Bytes())
		}
		clitest.Contains(t, out.String(), "web-1", "this user may not get leases in namespace drainboard: give it a Role")
	}
}
