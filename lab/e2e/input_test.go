package e2e

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/drainboard/drainboard/lab"
	"github.com/drainboard/drainboard/lab/cloud"
	"github.com/drainboard/drainboard/lab/machines"
)

// Whatever is wrong with what drainboard is told: one clear sentence, exit code
// 2, and nothing touched, not even the lock.
func TestBadInput(t *testing.T) {
	if _, err := theEKS(); err != nil {
		t.Fatal(err)
	}
	// Before the scene, which takes longer than they take to be listed.
	shared.Cloud().CreateGroup(cloud.GroupSpec{Name: "ng-input-old", Zones: oneZone, LaunchConfiguration: "lc-1"})
	shared.Cloud().CreateGroup(cloud.GroupSpec{
		Name: "ng-input-eks", Zones: oneZone, Template: cloud.TemplateRef{ID: shared.Cloud().CreateLaunchTemplate("input-eks", cloud.TemplateData{ImageID: machines.OldAMI, InstanceType: "m5.large"}), Version: "1"},
		Tags: map[string]string{"eks:nodegroup-name": "workers", "eks:cluster-name": "prod"},
	})
	s := newScene(t, "input", lab.GroupOptions{Nodes: 1, Zones: oneZone})
	s.deploy("bare", "scratch")
	shared.Cloud().ExpireKey("input-expired", true)
	shared.Cloud().SetImage("ami-0123missing", "")
	token := s.home + "/token.kubeconfig"
	if err := shared.WriteKubeconfig(token, "not-a-token"); err != nil {
		t.Fatal(err)
	}
	nowhere := s.file("nowhere.kubeconfig", strings.ReplaceAll(clusterless, "SERVER", "https://127.0.0.1:1"))
	broken := s.file("broken.kubeconfig", "clusters: [")
	g := s.group.Name
	upgrade := func(flags ...string) []string { return append([]string{"upgrade", g, "--auto"}, flags...) }

	codes := map[string]int{ // of what is no wrong use
		"unreachable": 10, "AWS unreachable": 10,
		"bad token": 11, "managed node group": 11, "no credentials": 11, "expired credentials": 11, "no such profile": 11,
	}
	for _, c := range []struct {
		name string
		args []string
		env  []string
		says []string
	}{
		{"unknown group", []string{"upgrade", "ng-inptu", "--auto"}, nil, []string{"ng-inptu", "did you mean", g}},
		{"unknown group in plan", []string{"plan", "ng-inptu"}, nil, []string{"did you mean"}},
		{"launch configuration", []string{"upgrade", "ng-input-old", "--auto"}, nil, []string{"launch configuration", "launch template"}},
		{"managed node group", []string{"upgrade", "ng-input-eks", "--auto"}, nil, []string{"EKS managed node group workers", "eks:ListUpdates"}},
		{"no consent", upgrade(), nil, []string{"not started", "input/bare", "--force-unmanaged", "input/scratch-", "--delete-emptydir-data"}},
		{"half a consent", upgrade("--force-unmanaged"), nil, []string{"not started", "input/scratch-"}},

		{"no kubeconfig", upgrade(), []string{"KUBECONFIG="}, []string{"no kubeconfig: set KUBECONFIG"}},
		{"missing kubeconfig", upgrade("--kubeconfig", "/does/not/exist"), nil, []string{"/does/not/exist"}},
		{"broken kubeconfig", upgrade(), []string{"KUBECONFIG=" + broken}, []string{"cannot read the kubeconfig"}},
		{"wrong context", upgrade("--context", "prod"), nil, []string{`no context "prod"`, "lab"}},
		{"unreachable", upgrade("--start-timeout", "1s"), []string{"KUBECONFIG=" + nowhere}, []string{"connection refused by", "127.0.0.1:1", "trying again until"}},
		{"bad token", upgrade(), []string{"KUBECONFIG=" + token}, []string{"not accepted"}},

		{"no credentials", upgrade(), []string{"AWS_ACCESS_KEY_ID=", "AWS_SECRET_ACCESS_KEY="}, []string{"no AWS credentials: log in"}},
		{"expired credentials", upgrade(), []string{"AWS_ACCESS_KEY_ID=input-expired"}, []string{"AWS credentials expired"}},
		{"no such profile", upgrade(), []string{"AWS_PROFILE=prod"}, []string{`no AWS profile "prod"`}},
		{"AWS unreachable", upgrade("--start-timeout", "1s"), []string{"AWS_ENDPOINT_URL=http://127.0.0.1:1"}, []string{"AWS does not answer"}},

		{"not a terminal", []string{"upgrade", g}, nil, []string{"not a terminal", "--auto"}},
		{"no subcommand", nil, nil, []string{"not a terminal"}},
		{"no group", []string{"upgrade", "--auto"}, nil, []string{"name a GROUP"}},
		{"unknown flag", upgrade("--fast"), nil, []string{"--fast"}},
		{"unknown command", []string{"upgrad", g}, nil, []string{"upgrad"}},
		{"zero nodes", upgrade("--max-unavailable", "0"), nil, []string{"--max-unavailable", "1 to 100"}},
		{"101 nodes", upgrade("--max-unavailable", "101"), nil, []string{"--max-unavailable", "1 to 100"}},
		{"negative nodes", upgrade("--max-unavailable=-1"), nil, []string{"--max-unavailable", "neither a number"}},
		{"too much", upgrade("--max-unavailable", "120%"), nil, []string{"--max-unavailable"}},
		{"surge", upgrade("--max-surge", "0"), nil, []string{"--max-surge", "eks-minimal"}},
		{"timeout policy", upgrade("--on-drain-timeout", "hope"), nil, []string{"--on-drain-timeout", "fail, skip, force, wait"}},
		{"two policies", upgrade("--force", "--on-drain-timeout", "skip"), nil, []string{"contradict"}},
		{"approval of nobody", upgrade("--approve", "batch"), nil, []string{"--auto never prompts"}},
		{"approval", upgrade("--approve", "some"), nil, []string{"--approve", "some"}},
		{"no time", upgrade("--drain-timeout", "0s"), nil, []string{"--drain-timeout", "too short"}},
		{"not a time", upgrade("--drain-timeout", "soon"), nil, []string{"--drain-timeout", "soon"}},
		{"two targets", upgrade("--ami", "ami-0aaaaaaaaaaaaaaaa", "--launch-template-version", "1"), nil, []string{"both set the target"}},
		{"no such version", upgrade("--launch-template-version", "99"), nil, []string{"99"}},
		{"not a version", upgrade("--launch-template-version", "new"), nil, []string{"new"}},
		{"no such image", upgrade("--ami", "ami-0123missing"), nil, []string{"ami-0123missing"}},
		{"EKS's target", upgrade("--kubernetes-version", "1.32"), nil, []string{"EKS manages"}},
		{"provider", upgrade("--provider", "gke"), nil, []string{"--provider", "gke"}},
		{"strategy", upgrade("--strategy", "yolo"), nil, []string{"--strategy", "yolo"}},
		{"output", upgrade("-o", "xml"), nil, []string{"xml", "text, json, yaml"}},
		{"JSON at a dashboard", []string{"upgrade", g, "-o", "json"}, nil, []string{"--auto"}},
		{"label", upgrade("--expect-label", "=x"), nil, []string{"--expect-label"}},
		{"batch", upgrade("--batch-size", "0"), nil, []string{"--batch-size"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			one := *s
			one.t, one.extra = t, c.env
			p := one.run(c.args...).exits(cmp.Or(codes[c.name], 2)).says(append([]string{"drainboard: "}, c.says...)...)
			checkSentence(t, p.errOut())
			if asJSON := slices.Contains(c.args, "json"); asJSON {
				checkExit(t, p.out(), cmp.Or(codes[c.name], 2))
			} else if p.out() != "" {
				t.Errorf("it printed %s", p.out())
			}
		})
	}
	s.checkReadOnly()
}

// clusterless is a kubeconfig for a server that is not there.
const clusterless = `apiVersion: v1
kind: Config
current-context: gone
clusters: [{name: gone, cluster: {server: SERVER, insecure-skip-tls-verify: true}}]
contexts: [{name: gone, context: {cluster: gone, user: gone}}]
users: [{name: gone, user: {token: x}}]
`

// checkExit sees that all that was printed is one object, which tells the exit code.
func checkExit(t *testing.T, out string, code int) {
	t.Helper()
	var exit struct {
		APIVersion, Kind, Result, Message string
		ExitCode                          int
	}
	reader := json.NewDecoder(strings.NewReader(out))
	reader.DisallowUnknownFields()
	if err := reader.Decode(&exit); err != nil || exit.Kind != "Exit" || exit.ExitCode != code || exit.Message == "" || reader.More() {
		t.Errorf("%v: it printed %s", err, out)
	}
}

// checkSentence sees that an error is for people: no Go, no stack, no usage text,
// and one sentence, with a list below it at most.
func checkSentence(t *testing.T, stderr string) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(stderr), "\n")
	if len(lines) == 2 && strings.HasPrefix(lines[0], lines[1]+"; trying again until ") {
		lines = lines[1:] // the same, told while it was tried again
	}
	for _, line := range lines[1:] {
		if !strings.HasPrefix(line, "  ") {
			t.Errorf("more than one sentence:\n%s", stderr)
			break
		}
	}
	for _, bad := range []string{"goroutine", "panic", "%!", "<nil>", "Usage:", "operation error", "https response error"} {
		if strings.Contains(stderr, bad) {
			t.Errorf("not a sentence for people (%s):\n%s", bad, stderr)
		}
	}
}

// Each right of docs/reference/rbac.yaml is needed: without it nothing starts, and it is
// named. Two are only there by custom: a role that lists and watches also gets.
func TestEachRight(t *testing.T) {
	s := newScene(t, "rights", lab.GroupOptions{Nodes: 1, Zones: oneZone})
	s.deploy("batch")
	byCustom := []string{"get poddisruptionbudgets", "get daemonsets"}
	all := published(t, "read", "upgrade")
	for i, r := range single(all) {
		if slices.Contains(byCustom, r.String()) {
			continue
		}
		t.Run(r.String(), func(t *testing.T) {
			one := *s
			one.t = t
			one.as("rights-"+strconv.Itoa(i), without(all, r))
			p := one.upgrade().exits(11).says(r.String())
			checkSentence(t, p.errOut())
			one.checkReadOnly()
		})
	}
	t.Run("delete pods", func(t *testing.T) {
		one := *s
		one.t = t
		one.upgrade("--force").exits(11).says("delete pods")
		one.checkReadOnly()
	})
}
