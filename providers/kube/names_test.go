package kube

import (
	"regexp"
	"strings"
	"testing"
)

func TestRecordName(t *testing.T) {
	valid := regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`)
	seen := map[string]string{}
	for _, group := range []string{"ng-web", "NG_Web", "ng--web", "a/b", "ünï", "", "...", strings.Repeat("x", 300), strings.Repeat("a-", 100)} {
		name := RecordName(group)
		if !valid.MatchString(name) || len(name) > 63 {
			t.Errorf("%q: %q is no DNS label", group, name)
		}
		if other, twice := seen[name]; twice {
			t.Errorf("%q and %q share %q", group, other, name)
		}
		seen[name] = group
	}
	if got := RecordName("ng-web"); !strings.HasPrefix(got, "run-ng-web-") {
		t.Error(got)
	}
}
