package objects

import (
	"reflect"
	"testing"

	"github.com/drainboard/drainboard/engine/world"
)

// Pods of an owner share their labels, and one that has others keeps its own.
func TestShared(t *testing.T) {
	s := &Shared{}
	pod := func(labels map[string]string) *world.Pod {
		return s.Pod(&world.Pod{Owner: world.Owner{UID: "rs"}, Labels: labels, Node: string([]byte("n1"))})
	}
	a, b := pod(map[string]string{"app": "web"}), pod(map[string]string{"app": "web"})
	if reflect.ValueOf(a.Labels).Pointer() != reflect.ValueOf(b.Labels).Pointer() {
		t.Error("equal labels are not shared")
	}
	if c := pod(map[string]string{"app": "other"}); c.Labels["app"] != "other" || a.Labels["app"] != "web" {
		t.Errorf("labels %v and %v", c.Labels, a.Labels)
	}
}
