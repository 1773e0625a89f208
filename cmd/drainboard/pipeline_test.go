package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	"sigs.k8s.io/yaml"

	"github.com/drainboard/drainboard/engine/api"
)

// fakeProgram answers as drainboard does, and keeps how it was called in a file. It reads its
// exit codes, one for each upgrade or plan, from another.
const fakeProgram = `#!/usr/bin/env bash
echo "$*" >>"$FAKE/calls"
case $1 in
report) echo "# Report of $2"; exit 0 ;;
plan) echo "a plan" ;;
upgrade) trap 'echo "{\"type\":\"run.finished\",\"run\":\"r-1\",\"result\":\"aborted\",\"exitCode\":3}"; exit 3' TERM
  if [[ $(head -n 1 "$FAKE/codes") != 10 ]]; then for run in r-1 ${MORE:-}; do echo "{\"type\":\"run.started\",\"run\":\"$run\"}"; done; fi
  if [[ -e $FAKE/hangs ]]; then for i in $(seq 200); do sleep 0.1; done; fi ;;
esac
code=$(head -n 1 "$FAKE/codes"); sed -i 1d "$FAKE/codes"
if [[ $1 == watch ]]; then echo '{"type":"phase.started","run":"r-1"}'; fi
if [[ $1 == upgrade || $1 == watch ]]; then
  run=',"run":"r-1"'; if [[ $code == 10 ]]; then run=; fi
  echo "{\"type\":\"run.finished\"$run,\"result\":\"word-$code\",\"exitCode\":$code,\"message\":\"the end.\"}"
  if [[ -n ${MORE:-} ]]; then echo "{\"type\":\"roll.finished\",\"run\":\"\",\"exitCode\":$code,\"message\":\"the roll\"}"; fi
fi
exit "$code"
`

// pipeline runs the script of the GitHub Action with a program that exits with some codes, and
// returns its exit code and what it has written.
type pipeline struct {
	t   *testing.T
	dir string
}

func newPipeline(t *testing.T, codes ...string) pipeline {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the script is for runners with GNU tools")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"program": fakeProgram, "codes": strings.Join(codes, "\n") + "\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return pipeline{t, dir}
}

func (p pipeline) command(env ...string) *exec.Cmd {
	script, err := filepath.Abs(filepath.Join(root, ".github/actions/drainboard/run.sh"))
	if err != nil {
		p.t.Fatal(err)
	}
	cmd := exec.Command("bash", script)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), "PROGRAM="+filepath.Join(p.dir, "program"), "FAKE="+p.dir, "RUNNER_TEMP="+p.dir, "TRY_AFTER=0",
		"GITHUB_OUTPUT="+filepath.Join(p.dir, "output"), "GITHUB_STEP_SUMMARY="+filepath.Join(p.dir, "summary"))
	cmd.Env = append(cmd.Env, env...)
	return cmd
}

func (p pipeline) file(name string) string {
	p.t.Helper()
	text, err := os.ReadFile(filepath.Join(p.dir, name))
	if err != nil {
		p.t.Fatal(err)
	}
	return string(text)
}

// TestPipelineExitCodes holds what the GitHub Action makes of each exit code.
func TestPipelineExitCodes(t *testing.T) {
	for _, c := range []struct {
		name    string
		codes   []string
		env     []string
		want    int
		calls   string
		output  string
		summary string
	}{
		{"done", []string{"0"}, []string{"GROUP=ng-web", "ARGS=--until 05:00"}, 0, "upgrade ng-web --auto -o json --until 05:00\nreport r-1\n", "exit-code=0", "# Report of r-1"},
		{"several groups", []string{"0"}, []string{"ARGS=--all", "MORE=r-2"}, 0, "upgrade --auto -o json --all\nreport r-1\nreport r-2\n", "result=word-0\nrun=r-1", "# Report of r-2"},
		{"nodes left", []string{"8"}, []string{"GROUP=ng-web"}, 0, "", "exit-code=8", "Nodes are left by choice"},
		{"nodes left are a failure", []string{"8"}, []string{"GROUP=ng-web", "NODES_LEFT=failure"}, 8, "", "exit-code=8", "# Report of r-1"},
		{"paused", []string{"9"}, []string{"GROUP=ng-web"}, 9, "", "run=r-1", "The run is paused: the end. Mend the cause"},
		{"reachable the second time", []string{"10", "0"}, []string{"GROUP=ng-web"}, 0, "upgrade ng-web --auto -o json\nupgrade ng-web --auto -o json\nreport r-1\n", "exit-code=0", "# Report of r-1"},
		{"never reachable", []string{"10", "10"}, []string{"GROUP=ng-web", "TRIES=2"}, 10, "upgrade ng-web --auto -o json\nupgrade ng-web --auto -o json\n", "exit-code=10", "not reachable; nothing was changed"},
		{"pods held", []string{"4"}, []string{"GROUP=ng-web"}, 4, "", "exit-code=4", "# Report of r-1"},
		{"followed", []string{"0"}, []string{"GROUP=web", "COMMAND=watch"}, 0, "watch web --auto -o json\nreport r-1\n", "exit-code=0", "# Report of r-1"},
		{"followed, and nodes are left", []string{"8"}, []string{"GROUP=web", "COMMAND=watch"}, 8, "", "exit-code=8", "the end."},
		{"a plan with something to do", []string{"8"}, []string{"GROUP=ng-web", "COMMAND=plan"}, 0, "plan ng-web --detailed-exitcode\n", "changes=true", "a plan"},
		{"a plan with nothing to do", []string{"0"}, []string{"GROUP=ng-web", "COMMAND=plan"}, 0, "", "changes=false", "a plan"},
		{"a plan that fails", []string{"11"}, []string{"GROUP=ng-web", "COMMAND=plan"}, 11, "", "exit-code=11", "a plan"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newPipeline(t, c.codes...)
			cmd := p.command(c.env...)
			out, _ := cmd.CombinedOutput()
			if got := cmd.ProcessState.ExitCode(); got != c.want {
				t.Errorf("exit code %d, want %d:\n%s", got, c.want, out)
			}
			if calls := p.file("calls"); c.calls != "" && calls != c.calls {
				t.Errorf("called:\n%s", calls)
			}
			if !strings.Contains(p.file("output"), c.output+"\n") {
				t.Errorf("outputs:\n%s", p.file("output"))
			}
			if !strings.Contains(p.file("summary"), c.summary) {
				t.Errorf("summary:\n%s", p.file("summary"))
			}
		})
	}
}

// A command that is none must not roll a group.
func TestPipelineRefusesOtherCommands(t *testing.T) {
	for _, command := range []string{"Plan", "plan ", "retire", "abort", "planned"} {
		p := newPipeline(t, "0")
		cmd := p.command("GROUP=ng-web", "COMMAND="+command)
		out, _ := cmd.CombinedOutput()
		if got := cmd.ProcessState.ExitCode(); got != 2 || !strings.Contains(string(out), command+" is not one of upgrade, watch, plan") {
			t.Errorf("%q: exit code %d:\n%s", command, got, out)
		}
		if _, err := os.Stat(filepath.Join(p.dir, "calls")); !os.IsNotExist(err) {
			t.Errorf("%q: the program was called: %v", command, err)
		}
	}
}

// TestPipelineCancelled holds that a cancelled job has the program abort, and waits for it.
func TestPipelineCancelled(t *testing.T) {
	p := newPipeline(t, "0")
	if err := os.WriteFile(filepath.Join(p.dir, "hangs"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := p.command("GROUP=ng-web")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for start := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		if calls, _ := os.ReadFile(filepath.Join(p.dir, "calls")); len(calls) > 0 {
			break
		}
		if time.Since(start) > 20*time.Second {
			t.Fatal("the program was never called")
		}
	}
	time.Sleep(200 * time.Millisecond) // its trap is set after the line in the file
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != 3 || !strings.Contains(p.file("output"), "result=aborted\n") {
		t.Errorf("exit code %d, outputs %s\n%s", got, p.file("output"), out.String())
	}
}

// TestPipelineFiles holds the action, the template and the Job to their forms: what the action
// hands on are the variables that the script reads, and the commands exist.
func TestPipelineFiles(t *testing.T) {
	read := func(path string) []byte {
		text, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	var job batchv1.Job
	if err := yaml.UnmarshalStrict(read("docs/guide/job.yaml"), &job); err != nil {
		t.Fatal(err)
	}
	args := job.Spec.Template.Spec.Containers[0].Args
	cmd, _, err := program().Find(args)
	if err != nil || cmd.Name() != "upgrade" {
		t.Errorf("the Job runs %q: %v", args, err)
	}
	checkFlags(t, "docs/guide/job.yaml", cmd, args)
	var k9s struct {
		Plugins map[string]struct {
			ShortCut, Description, Command string
			Scopes, Args                   []string
			Background                     bool
		}
	}
	if err := yaml.UnmarshalStrict(read("docs/guide/integrations/k9s.yaml"), &k9s); err != nil || len(k9s.Plugins) != 2 {
		t.Errorf("k9s: %v, %+v", err, k9s)
	}
	for name, p := range k9s.Plugins {
		cmd, _, err := program().Find(p.Args)
		if err != nil || p.Command != "drainboard" || p.ShortCut == "" || p.Description == "" || len(p.Scopes) == 0 {
			t.Errorf("k9s: %s: %v", name, err)
			continue
		}
		checkFlags(t, "docs/guide/integrations/k9s.yaml", cmd, p.Args)
	}
	script := string(read(".github/actions/drainboard/run.sh"))
	var action struct {
		Inputs map[string]struct{ Description, Default string }
		Runs   struct {
			Steps []struct {
				ID  string
				Env map[string]string
			}
		}
	}
	if err := yaml.Unmarshal(read(".github/actions/drainboard/action.yml"), &action); err != nil {
		t.Fatal(err)
	}
	guide := string(read("docs/guide/ci.md"))
	for name := range action.Inputs {
		if !strings.Contains(guide, "| `"+name+"` |") {
			t.Errorf("docs/guide/ci.md does not tell of the input %s", name)
		}
	}
	var template map[string]gitlabJob
	if err := yaml.Unmarshal(read(".gitlab/drainboard.gitlab-ci.yml"), &template); err != nil {
		t.Fatal(err)
	}
	for _, step := range action.Runs.Steps {
		if step.ID != "run" {
			continue
		}
		for name := range step.Env {
			_, inTemplate := template[".drainboard"].Variables[name]
			if !strings.Contains(script, "{"+name+":-") || !inTemplate && name != "PROGRAM" {
				t.Errorf("%s is given by the action, and not read by the script or not given by the GitLab template", name)
			}
		}
	}
	if len(action.Inputs) < 5 || len(template[".drainboard"].Script) == 0 {
		t.Error("the action or the template was not read")
	}
}

// gitlabJob is what the GitLab template makes a job of.
type gitlabJob struct {
	IDTokens     map[string]struct{ Aud string } `json:"id_tokens"`
	Variables    map[string]string
	BeforeScript []string `json:"before_script"`
	Script       []string
}

// TestGitLabTemplate runs the template's lines as a runner does, in one shell, with a release and
// an AWS CLI that are made up: the job logs in to AWS by GitLab's token, has a kubeconfig, and
// ends with a report. Without a role nothing of that is in the program's way.
func TestGitLabTemplate(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, ".gitlab/drainboard.gitlab-ci.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var template map[string]gitlabJob
	if err := yaml.Unmarshal(text, &template); err != nil {
		t.Fatal(err)
	}
	job := template[".drainboard"]
	if job.IDTokens["DRAINBOARD_ID_TOKEN"].Aud == "" {
		t.Error("the template asks for no ID token")
	}
	for _, c := range []struct {
		name string
		env  []string
		want string // what the program sees of AWS, and the token
		aws  string // calls of the AWS CLI
	}{
		{"with a role", []string{"AWS_ROLE_ARN=arn:aws:iam::1:role/x", "AWS_REGION=eu-west-1", "EKS_CLUSTER=prod"}, "AWS_REGION=eu-west-1\nAWS_ROLE_ARN=arn:aws:iam::1:role/x\nAWS_WEB_IDENTITY_TOKEN_FILE=set\na.b.c", "eks update-kubeconfig --name prod\n"},
		{"with credentials", []string{"AWS_ACCESS_KEY_ID=k"}, "AWS_ACCESS_KEY_ID=k\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPipeline(t, "0")
			p.fakes(map[string]string{
				"apk":  "exit 0",
				"aws":  `echo "$*" >>"$FAKE/aws-calls"`,
				"curl": `cp "$FAKE/release/$(basename "$2")" .`,
			})
			lines := "mkdir -p release work; cd release\n" +
				"printf '%s\n' '#!/bin/sh' '{ env | grep ^AWS_ | sort | sed \"s,FILE=/.*,FILE=set,\"; cat \"${AWS_WEB_IDENTITY_TOKEN_FILE:-/dev/null}\"; } >\"$FAKE/seen\"' 'exec bash \"$FAKE/program\" \"$@\"' >drainboard; chmod +x drainboard\n" +
				"name=drainboard_1.0.0_linux_$(uname -m | sed 's/x86_64/amd64/; s/aarch64/arm64/').tar.gz; tar -czf $name drainboard; sha256sum $name >checksums.txt\n" +
				"cp \"$SCRIPT\" .; cd ../work\n" + strings.Join(append(job.BeforeScript, job.Script...), "\n") + "\n"
			script, err := filepath.Abs(filepath.Join(root, ".github/actions/drainboard/run.sh"))
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command("sh", "-ec", lines)
			cmd.Dir = p.dir
			cmd.Env = []string{"PATH=" + filepath.Join(p.dir, "bin") + ":" + os.Getenv("PATH"), "HOME=" + p.dir, "FAKE=" + p.dir, "SCRIPT=" + script, "TMPDIR=" + p.dir, "DRAINBOARD_ID_TOKEN=a.b.c"}
			for name, value := range job.Variables {
				cmd.Env = append(cmd.Env, name+"="+value)
			}
			cmd.Env = append(append(cmd.Env, "GROUP=ng-web", "DRAINBOARD_VERSION=1.0.0"), c.env...)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if got := p.file("seen"); got != c.want {
				t.Errorf("the program saw\n%s\nwant\n%s", got, c.want)
			}
			if calls, _ := os.ReadFile(filepath.Join(p.dir, "aws-calls")); string(calls) != c.aws {
				t.Errorf("calls of the AWS CLI: %q", calls)
			}
			if report := p.file("work/drainboard/report.md"); !strings.Contains(report, "# Report of r-1") {
				t.Errorf("report: %s", report)
			}
		})
	}
}

// fakes puts programs of a job beside the one that is tested.
func (p pipeline) fakes(lines map[string]string) {
	p.t.Helper()
	if err := os.MkdirAll(filepath.Join(p.dir, "bin"), 0o700); err != nil {
		p.t.Fatal(err)
	}
	for name, line := range lines {
		if err := os.WriteFile(filepath.Join(p.dir, "bin", name), []byte("#!/bin/sh\n"+line+"\n"), 0o700); err != nil {
			p.t.Fatal(err)
		}
	}
}

// TestTmuxStatus holds what the status line shows of a run, by the document that status prints.
func TestTmuxStatus(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a shell's script")
	}
	script, err := filepath.Abs(filepath.Join(root, "docs/guide/integrations/tmux-status.sh"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, c := range []struct {
		name   string
		status api.GroupStatusFields
		want   string
	}{
		{"no run", api.GroupStatusFields{Group: "ng-web"}, ""},
		{"running", api.GroupStatusFields{Group: "ng-web", LatestRun: &api.Run{State: "running", Outdated: 12, Replaced: 3}}, "ng-web running 3/12\n"},
		{"approval", api.GroupStatusFields{Group: "ng-web", LatestRun: &api.Run{State: "running", Outdated: 12, WaitingBatch: &api.Batch{ID: 2}}}, "ng-web approve 0/12\n"},
		{"blocked", api.GroupStatusFields{Group: "ng-web", LatestRun: &api.Run{State: "running", Outdated: 12, BlockedPods: []api.BlockedPod{{Pod: "a/b"}}}}, "ng-web running 0/12 blocked 1\n"},
		{"finished", api.GroupStatusFields{Group: "ng-web", LatestRun: &api.Run{State: "finished", Result: "succeeded", Outdated: 12, Replaced: 12}}, "ng-web succeeded\n"},
	} {
		fake := "#!/bin/sh\ncat <<'END'\n" + string(api.Marshal(api.GroupStatus{GroupStatusFields: c.status})) + "\nEND\n"
		if err := os.WriteFile(filepath.Join(dir, "drainboard"), []byte(fake), 0o700); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("sh", script, "ng-web")
		cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
		if out, err := cmd.Output(); err != nil || string(out) != c.want {
			t.Errorf("%s: %q, %v", c.name, out, err)
		}
	}
}
