package gardener

import (
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/drainboard/drainboard/engine/world"
)

// Fields of unstructured objects: what is missing, or of another kind, is the zero value.

func textAt(o map[string]any, path ...string) string {
	s, _, _ := unstructured.NestedString(o, path...)
	return world.Clean(s)
}

func truth(o map[string]any, path ...string) bool {
	b, _, _ := unstructured.NestedBool(o, path...)
	return b
}

// number is an integer; JSON that people wrote may have it as a float.
func number(o map[string]any, path ...string) int {
	v, _, _ := unstructured.NestedFieldNoCopy(o, path...)
	switch n := v.(type) {
	case int64:
		return int(n)
	case float64:
		return int(n)
	}
	return 0
}

func at(o map[string]any, path ...string) time.Time {
	t, err := time.Parse(time.RFC3339, textAt(o, path...))
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}

func duration(o map[string]any, path ...string) (time.Duration, bool) {
	d, err := time.ParseDuration(textAt(o, path...))
	return d, err == nil
}

func within(o map[string]any, path ...string) map[string]any {
	m, _, _ := unstructured.NestedFieldNoCopy(o, path...)
	out, _ := m.(map[string]any)
	return out
}

// entries are the objects of a list.
func entries(o map[string]any, path ...string) (out []map[string]any) {
	v, _, _ := unstructured.NestedFieldNoCopy(o, path...)
	list, _ := v.([]any)
	for _, e := range list {
		if m, ok := e.(map[string]any); ok {
			out = append(out, m)
		}
	}
	return out
}

// share is a number or a percentage as it is written, "" where there is none.
func share(o map[string]any, path ...string) string {
	if s := textAt(o, path...); s != "" {
		return s
	}
	v, found, _ := unstructured.NestedFieldNoCopy(o, path...)
	if !found || v == nil {
		return ""
	}
	n := intstr.FromInt(number(o, path...))
	return n.String()
}

// resolved is a number or a percentage of a whole, percentages rounded up or down.
func resolved(s string, of int, up bool) int {
	v := intstr.Parse(s)
	n, err := intstr.GetScaledValueFromIntOrPercent(&v, of, up)
	if err != nil || s == "" {
		return 0
	}
	return n
}

// owner is the name of the owner of a kind, "" for none.
func owner(u *unstructured.Unstructured, kind string) string {
	for _, o := range u.GetOwnerReferences() {
		if o.Kind == kind {
			return world.Clean(o.Name)
		}
	}
	return ""
}
