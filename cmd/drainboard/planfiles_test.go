package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/saved"
	"github.com/drainboard/drainboard/engine/api"
	"github.com/drainboard/drainboard/engine/sim/script"
	"github.com/drainboard/drainboard/providers/asg"
)

// savedCluster is a file of a simulated cluster's plan.
func savedCluster(t *testing.T) string {
	t.Helper()
	s := script.New()
	if out, err := s.Do("cluster zones=a,b nodes=4 name=ng-web\nworkload web replicas=8 ready=20s\nbudget web max=1\nsettings max-unavailable=2 drain-timeout=7m\nwait for=12m\nstart"); err != nil {
		t.Fatal(err, out)
	}
	at := plainGroup{}
	f := saved.Of("test", "prod", named{at}, s.Sim.View, &s.Planned, at.Strategy(), nil, nil)
	file := filepath.Join(t.TempDir(), "cluster.json")
	if err := f.Write(file); err != nil {
		t.Fatal(err)
	}
	return file
}

type named struct{ plainGroup }

func (named) Name() string     { return "ng-web" }
func (named) Alias() string    { return "" }
func (named) Provider() string { return asg.Provider }

// A plan from a file has its settings and a forecast; flags are laid over the settings.
func TestPlanFromAFile(t *testing.T) {
	file := savedCluster(t)
	plan := func(args ...string) api.GroupPlan {
		t.Helper()
		out, code, says := runPlan(t, "", append([]string{"--from", file, "-o", "json"}, args...)...)
		var p api.GroupPlan
		if err := json.Unmarshal([]byte(out), &p); err != nil || code != 0 {
			t.Fatal(err, code, says, out)
		}
		return p
	}
	p := plan()
	if p.Group != "ng-web" || p.NodesAtOnce != 2 || len(p.Nodes) != 4 || p.Forecast == nil || p.Forecast.EndsAt.IsZero() {
		t.Errorf("%+v", p)
	}
	if again := plan("ng-web"); again.Seed != p.Seed || !again.Forecast.EndsAt.Equal(p.Forecast.EndsAt) {
		t.Errorf("planned again: %+v", again.Forecast)
	}
	if slow := plan("--max-unavailable", "1"); slow.NodesAtOnce != 1 || slow.EstimatedDuration <= p.EstimatedDuration {
		t.Errorf("one by one: %v, two at once: %v", slow.EstimatedDuration, p.EstimatedDuration)
	}
	if minimal := plan("--strategy", "eks-minimal"); minimal.Strategy != "eks-minimal" || minimal.SurgeNodes != 0 {
		t.Errorf("%+v", minimal)
	}
	if out, code, says := runPlan(t, "", "--from", file, "--compare"); code != 0 || !strings.Contains(out, "eks-minimal") {
		t.Error(code, says, out)
	}
	if out, code, says := runPlan(t, "", "--from", file); code != 0 || !strings.Contains(out, "ng-web") {
		t.Error(code, says, out)
	}
	for args, want := range map[string]string{
		"--from " + file + " other":               "group ng-web only",
		"--from " + file + " ng-web two":          "one group",
		"--from " + file + " --region eu":         "--region and --from contradict each other",
		"--from " + file + " --ami ami-1":         "--ami and --from contradict each other",
		"--from " + file + " --all":               "--all and --from contradict each other",
		"--from " + file + " --strategy kops":     "was not created by kops",
		"--from " + file + " --save x":            "give one of them",
		"--from " + file + ".not":                 "no such file",
		"--from planfiles_test.go":                "is no file of plan --save",
		"ng-web --hash-names":                     "--hash-names is for --save",
		"ng-web --save x --compare":               "--from FILE --compare",
		"--from " + file + " --max-unavailable 0": "max-unavailable",
	} {
		if _, code, says := runPlan(t, "", strings.Fields(args)...); code != 2 || !strings.Contains(says, want) {
			t.Errorf("%s: %d, %s", args, code, says)
		}
	}
}
