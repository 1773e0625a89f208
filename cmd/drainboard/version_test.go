package main

import (
	"bytes"
	"os"
	"regexp"
	"runtime/debug"
	"testing"

	"github.com/drainboard/drainboard/engine/api"
)

// The version is the module's where go install has built it, and what git says where a clone was
// built.
func TestVersionOfABuild(t *testing.T) {
	git := []debug.BuildSetting{{Key: "vcs.revision", Value: "7abd02981234567890"}, {Key: "vcs.time", Value: "2026-11-26T12:00:00Z"}, {Key: "vcs.modified", Value: "true"}}
	for _, c := range []struct {
		about  string
		module string
		git    []debug.BuildSetting
		want   api.Version
	}{
		{"go install of a release", "v1.2.3", nil, api.Version{Version: "1.2.3"}},
		{"go install of a commit", "v0.0.0-20261126120000-7abd02981234", nil, api.Version{Version: "0.0.0-20261126120000-7abd02981234", Commit: "7abd02981234", Date: "2026-11-26T12:00:00Z"}},
		{"go install of a commit after a release", "v1.2.4-0.20261126120000-7abd02981234", nil, api.Version{Version: "1.2.4-0.20261126120000-7abd02981234", Commit: "7abd02981234", Date: "2026-11-26T12:00:00Z"}},
		{"a clone", "v0.0.0-20261126120000-7abd02981234+dirty", git, api.Version{Version: "dev", Commit: "7abd02981234567890", Date: "2026-11-26T12:00:00Z", Modified: true}},
		{"a clone at a tag", "v1.2.3", git[:2], api.Version{Version: "1.2.3", Commit: "7abd02981234567890", Date: "2026-11-26T12:00:00Z"}},
		{"a clone at a tag, with changes", "v1.2.3+dirty", git, api.Version{Version: "dev", Commit: "7abd02981234567890", Date: "2026-11-26T12:00:00Z", Modified: true}},
		{"a test", "(devel)", nil, api.Version{Version: "dev"}},
		{"without modules", "", nil, api.Version{Version: "dev"}},
	} {
		info := &debug.BuildInfo{Main: debug.Module{Version: c.module}, Settings: c.git}
		got := versionOf(moduleVersion(info), info)
		got.GoVersion, got.Platform = "", ""
		if got != c.want {
			t.Errorf("%s: %+v, want %+v", c.about, got, c.want)
		}
	}
	if got := moduleVersion(nil); got != "dev" {
		t.Errorf("without what is known of the build: %s", got)
	}
}

// A release sets its version in a variable that the linker can set: one that has no value of its own.
func TestReleaseSetsTheVersion(t *testing.T) {
	config, err := os.ReadFile(root + "/.github/goreleaser.yaml")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("version.go")
	if err != nil {
		t.Fatal(err)
	}
	set := regexp.MustCompile(`-X main\.(\w+)={{ \.Version }}`).FindSubmatch(config)
	if set == nil || !bytes.Contains(source, []byte("\nvar "+string(set[1])+" string\n")) {
		t.Errorf("%q is not a variable of version.go without a value", set)
	}
}
