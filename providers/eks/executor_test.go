package eks

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg"
)

const atVersion = atGroup + "/update-version"

// executor is one for the group of start, whose client may change things.
func executor(t *testing.T) (*service, *Executor, *int) {
	t.Helper()
	s, _ := start(t)
	c, err := asg.Connect(t.Context(), asg.Options{})
	if err != nil {
		t.Fatal(err)
	}
	changed := new(int)
	return s, New(c).Executor(Place{"prod", "web", "eks-web-1"}, time.Now, func() { *changed++ }), changed
}

func startOf(u record.UpdateRequest) record.Action {
	return record.Action{Kind: record.StartUpdate, Key: record.StartUpdateKey, Group: "web", Token: "run-1", Update: &u}
}

// EKS is sent what was asked for and no more, with the run's token; its answer has the update.
func TestStartUpdate(t *testing.T) {
	for name, c := range map[string]struct {
		asked record.UpdateRequest
		want  map[string]any
	}{
		"its defaults": {record.UpdateRequest{Cluster: "prod", Template: "mine"}, map[string]any{}},
		"all": {record.UpdateRequest{Cluster: "prod", Kubernetes: "1.32", Release: "1.32.1-9", Template: "mine", TemplateVersion: "5", Force: true},
			map[string]any{"version": "1.32", "releaseVersion": "1.32.1-9", "force": true, "launchTemplate": map[string]any{"name": "mine", "version": "5"}}},
	} {
		s, e, changed := executor(t)
		s.answers[atVersion] = `{"update":{"id":"u-1","type":"VersionUpdate","status":"InProgress"}}`
		o := e.Do(t.Context(), startOf(c.asked))
		if o.Verdict != record.Done || o.Update != "u-1" || o.Key != record.StartUpdateKey || *changed != 1 || len(s.sent) != 1 {
			t.Fatalf("%s: %+v, %d, %q", name, o, *changed, s.sent)
		}
		var got map[string]any
		if err := json.Unmarshal([]byte(s.sent[0]), &got); err != nil {
			t.Fatal(err)
		}
		c.want["clientRequestToken"] = "run-1"
		if got["force"] == false {
			delete(got, "force")
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// What EKS says no to has not happened; that it is busy passes, and what it does not have does not.
func TestStartUpdateRefused(t *testing.T) {
	for answer, want := range map[string]record.Refusal{
		"": record.RefusedForbidden,
		"ResourceInUseException! Nodegroup web cannot be updated as it is currently not in Active State": record.RefusedConflict,
		"InvalidParameterException! Requested release version 1 is not valid":                            record.RefusedInvalid,
		"ThrottlingException! Rate exceeded":                                                             record.RefusedBusy,
	} {
		s, e, changed := executor(t)
		s.answers[atVersion] = answer
		o := e.Do(t.Context(), startOf(record.UpdateRequest{}))
		_, words, _ := strings.Cut(answer, "! ")
		if o.Verdict != record.Refused || o.Refusal != want || !strings.Contains(o.Message, words) && want != record.RefusedBusy || *changed != 0 {
			t.Errorf("%q: %+v, %d", answer, o, *changed)
		}
	}
	s, e, _ := executor(t)
	for _, a := range []record.Action{{Kind: record.SetSizes}, {Kind: record.StartUpdate, Group: "web"}, {Kind: record.Terminate, Machine: "i-1"}} {
		if o := e.Do(t.Context(), a); o.Verdict != record.Refused || o.Refusal != record.RefusedInvalid || len(s.asked) > 0 {
			t.Errorf("%+v: %+v, %q", a, o, s.asked)
		}
	}
	a := startOf(record.UpdateRequest{})
	a.Group = "other"
	if o := e.Do(t.Context(), a); o.Verdict != record.Refused || len(s.asked) > 0 {
		t.Errorf("%+v, %q", o, s.asked)
	}
}

// An answer that was lost is looked up: what is newer than the update that was known is the one.
func TestStartedUpdate(t *testing.T) {
	for last, want := range map[string]string{"a": "b", "b": "", "": "a", "forgotten": "b"} {
		s, e, changed := executor(t)
		a := startOf(record.UpdateRequest{})
		a.Last = last
		o := e.Do(t.Context(), record.Action{Kind: record.CheckEffect, Key: "check", Of: &a})
		if o.Verdict != record.Done || o.Update != want || o.Happened != (want != "") || *changed != 0 || len(s.sent) > 0 {
			t.Errorf("%q: %+v, %d", last, o, *changed)
		}
		s.answers[atUpdates] = ""
		if o := e.Do(t.Context(), record.Action{Kind: record.CheckEffect, Key: "check", Of: &a}); o.Verdict != record.Unknown {
			t.Errorf("unread: %+v", o)
		}
	}
	for release, want := range map[string]string{"1.32.1-9": "b", "1.31.7-2": ""} {
		_, e, _ := executor(t)
		a := startOf(record.UpdateRequest{Release: release})
		a.Last = "a"
		if o := e.Do(t.Context(), record.Action{Kind: record.CheckEffect, Key: "check", Of: &a}); o.Verdict != record.Done || o.Update != want || o.Happened != (want != "") {
			t.Errorf("%s was asked for, and another user's update goes to 1.32.1-9: %+v", release, o)
		}
	}
	s, e, _ := executor(t)
	s.answers[atUpdates+"/b"] = strings.Replace(s.answers[atUpdates+"/b"], "InProgress", "Failed", 1)
	a := startOf(record.UpdateRequest{})
	a.Last = "forgotten"
	if o := e.Do(t.Context(), record.Action{Kind: record.CheckEffect, Key: "check", Of: &a}); o.Happened {
		t.Errorf("what is over may be older: %+v", o)
	}
}

// Once EKS was asked, its updates are read at the next look, whenever they were due.
func TestUpdatesAreReadAfterAStart(t *testing.T) {
	s, e, _ := executor(t)
	s.answers[atVersion] = `{"update":{"id":"u-1"}}`
	d := e.d.c.details(e.d.at)
	d.dress(t.Context(), &world.Group{})
	s.asked = nil
	e.Do(t.Context(), startOf(record.UpdateRequest{}))
	d.dress(t.Context(), &world.Group{})
	if len(s.asked) < 2 || s.asked[1] != atUpdates {
		t.Errorf("%q", s.asked)
	}
	s.asked = nil
	if d.dress(t.Context(), &world.Group{}); len(s.asked) > 0 {
		t.Errorf("%q", s.asked)
	}
}

const atConfig = atGroup + "/update-config"

func configOfGroup(from, to world.UpdateConfig) record.Action {
	return record.Action{Kind: record.SetUpdateConfig, Key: record.UpdateConfigKey, Group: "web", Token: "run-1-config-0", Last: "c", FromConfig: &from, Update: &record.UpdateRequest{Cluster: "prod", Config: to}}
}

// The update configuration is sent as it is asked for, unless the group has another one by now.
func TestSetUpdateConfig(t *testing.T) {
	third := world.UpdateConfig{MaxUnavailable: "33%", Strategy: "MINIMAL"}
	for to, want := range map[world.UpdateConfig]map[string]any{
		{MaxUnavailable: "2", Strategy: "DEFAULT"}:   {"maxUnavailable": 2.0, "updateStrategy": "DEFAULT"},
		{MaxUnavailable: "50%", Strategy: "MINIMAL"}: {"maxUnavailablePercentage": 50.0, "updateStrategy": "MINIMAL"},
	} {
		s, e, changed := executor(t)
		s.answers[atConfig] = `{"update":{"id":"c-1","type":"ConfigUpdate","status":"InProgress"}}`
		o := e.Do(t.Context(), configOfGroup(third, to))
		if o.Verdict != record.Done || o.Update != "c-1" || *changed != 1 || len(s.sent) != 1 {
			t.Fatalf("%+v, %d, %q", o, *changed, s.sent)
		}
		var got map[string]any
		if err := json.Unmarshal([]byte(s.sent[0]), &got); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, map[string]any{"clientRequestToken": "run-1-config-0", "updateConfig": want}) {
			t.Errorf("%v, want %v", got, want)
		}
		s, e, _ = executor(t)
		if o := e.Do(t.Context(), configOfGroup(to, third)); o.Verdict != record.Refused || o.Refusal != record.RefusedConflict || len(s.sent) > 0 || !strings.Contains(o.Message, "maxUnavailable 33%") {
			t.Errorf("%+v, %q", o, s.sent)
		}
		s.answers[atGroup] = ""
		if o := e.Do(t.Context(), configOfGroup(third, to)); o.Verdict != record.Refused || o.Refusal != record.RefusedBusy || len(s.sent) > 0 {
			t.Errorf("%+v, %q", o, s.sent)
		}
	}
}

// An answer that was lost is looked up: an update that sets the same and is newer than the one that was known.
func TestConfiguredUpdate(t *testing.T) {
	from, to := world.UpdateConfig{MaxUnavailable: "33%", Strategy: "MINIMAL"}, world.UpdateConfig{MaxUnavailable: "50%", Strategy: "DEFAULT"}
	for name, c := range map[string]struct{ last, status, params, want string }{
		"the same":            {"c", "InProgress", `{"type":"MaxUnavailablePercentage","value":"50"},{"type":"UpdateStrategy","value":"DEFAULT"}`, "d"},
		"the first":           {"", "Successful", `{"type":"MaxUnavailablePercentage","value":"50"},{"type":"UpdateStrategy","value":"DEFAULT"}`, "d"},
		"less":                {"c", "Successful", `{"type":"MaxUnavailablePercentage","value":"50"}`, ""},
		"another's":           {"c", "InProgress", `{"type":"MaxUnavailable","value":"50"}`, ""},
		"sizes":               {"c", "InProgress", `{"type":"MinSize","value":"50"}`, ""},
		"known before":        {"d", "Successful", `{"type":"MaxUnavailablePercentage","value":"50"},{"type":"UpdateStrategy","value":"DEFAULT"}`, ""},
		"old, after one gone": {"gone", "Successful", `{"type":"MaxUnavailablePercentage","value":"50"},{"type":"UpdateStrategy","value":"DEFAULT"}`, ""},
	} {
		s, e, _ := executor(t)
		s.answers[atUpdates] = `{"updateIds":["a","b","c","d"]}`
		s.answers[atUpdates+"/d"] = `{"update":{"id":"d","type":"ConfigUpdate","status":"` + c.status + `","createdAt":1700000950,"params":[` + c.params + `]}}`
		a := configOfGroup(from, to)
		a.Last = c.last
		o := e.Do(t.Context(), record.Action{Kind: record.CheckEffect, Key: "check", Of: &a})
		if o.Verdict != record.Done || o.Update != c.want || o.Happened != (c.want != "") || len(s.sent) > 0 {
			t.Errorf("%s: %+v", name, o)
		}
	}
}

// Once an update of the configuration has ended, the group is read before it counts as known.
func TestGroupIsReadAfterItsConfiguration(t *testing.T) {
	s, d := start(t)
	s.answers[atUpdates+"/c"] = strings.Replace(s.answers[atUpdates+"/c"], "Successful", "InProgress", 1)
	var g world.Group
	if d.dress(t.Context(), &g); g.Managed.ConfigOld || g.Managed.Configuring() == nil {
		t.Fatalf("%+v", g.Managed)
	}
	s.answers[atUpdates+"/c"] = strings.Replace(s.answers[atUpdates+"/c"], "InProgress", "Successful", 1)
	group := s.answers[atGroup]
	s.answers[atGroup] = ""
	d.updating.next = time.Time{}
	if d.dress(t.Context(), &g); !g.Managed.ConfigOld {
		t.Error("what is known of the group is from before")
	}
	s.answers[atGroup] = strings.Replace(group, `"maxUnavailablePercentage":33`, `"maxUnavailable":4`, 1)
	d.grouping.next = time.Time{}
	if d.dress(t.Context(), &g); g.Managed.ConfigOld || g.Managed.MaxUnavailable != "4" {
		t.Errorf("%+v", g.Managed)
	}
}
