package shoot

import (
	"strings"
	"testing"

	"github.com/drainboard/drainboard/engine/world"
)

// A pool's limits are split over its zones as Gardener splits them.
func TestSplit(t *testing.T) {
	for _, tt := range []struct {
		surge, unavailable string
		least, most        int
		zones              []string
		update, want       string
	}{
		{"1", "0", 1, 6, []string{"a", "b", "c"}, "", "[a 1 0, b 0 0, c 0 0]"},
		{"25%", "0", 1, 6, []string{"a", "b"}, "", "[a 25% 0, b 25% 0]"},
		{"25%", "20%", 6, 4, []string{"a", "b", "c"}, "", "[a 38% 20%, b 19% 20%, c 19% 20%]"},
		{"25%", "20%", 4, 9, []string{"a", "b", "c"}, "", "[a 25% 30%, b 25% 15%, c 25% 15%]"},
		{"x", "5", 1, 3, []string{"a", "b"}, "", "[a  3, b  2]"},
		{"1", "0", 1, 3, []string{"a"}, world.ManualInPlaceUpdate, "[]"},
	} {
		var zones []any
		for _, z := range tt.zones {
			zones = append(zones, z)
		}
		s, err := From(map[string]any{"apiVersion": "core.gardener.cloud/v1beta1", "kind": "Shoot", "metadata": map[string]any{"name": "prod", "namespace": "garden-dev"},
			"spec": map[string]any{"kubernetes": map[string]any{"version": "1.33.1"}, "provider": map[string]any{"workers": []any{map[string]any{
				"name": "web", "minimum": int64(tt.least), "maximum": int64(tt.most), "maxSurge": tt.surge, "maxUnavailable": tt.unavailable, "zones": zones, "updateStrategy": tt.update,
			}}}}})
		if err != nil {
			t.Fatal(err)
		}
		var parts []string
		for _, p := range s.Split("web") {
			parts = append(parts, p.Zone+" "+p.Surge+" "+p.Unavailable)
		}
		if got := "[" + strings.Join(parts, ", ") + "]"; got != tt.want {
			t.Errorf("%+v: %s", tt, got)
		}
	}
}
