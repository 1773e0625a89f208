package lab

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/drainboard/drainboard/lab/try"
)

// TestUp runs the program, breaks it in the two ways a lab can end without being
// asked, and sees that nothing stays.
func TestUp(t *testing.T) {
	t.Parallel()
	ctx := testContext(t)
	program := filepath.Join(shared.options.BinDir, "lab")
	dir := t.TempDir()
	up := exec.CommandContext(ctx, program, "up", "--nodes=3", "--workload=web,bare", "--dir="+dir,
		"--boot=1ns", "--ready=1ns", "--pod-ready=1ns", "--", "sh", "-c", `echo "$KUBECONFIG $AWS_ENDPOINT_URL"; exit 7`)
	var stderr bytes.Buffer
	up.Stderr = &stderr
	out, err := up.Output()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 7 {
		t.Fatalf("lab up: %v, want exit code 7\n%s", err, stderr.Bytes())
	}
	if !strings.HasPrefix(string(out), dir) || !strings.Contains(string(out), "http://127.0.0.1:") {
		t.Errorf("the command's environment: %s", out)
	}
	waitNoProcess(ctx, t, dir)

	up = exec.CommandContext(ctx, program, "up", "--nodes=0", "--workload=none", "--dir="+dir)
	if err := up.Start(); err != nil {
		t.Fatal(err)
	}
	err = try.Until(ctx, 50*time.Millisecond, func() (bool, error) {
		_, err := os.Stat(filepath.Join(dir, "env"))
		return err == nil, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(processes(dir)); n != 6 && runtime.GOOS == "linux" {
		t.Errorf("%d processes, want lab and 5 components", n)
	}
	if err := up.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = up.Wait()
	waitNoProcess(ctx, t, dir)
}

// TestUpKops sees that a command learns where the kops cluster is.
func TestUpKops(t *testing.T) {
	t.Parallel()
	ctx := testContext(t)
	program := filepath.Join(shared.options.BinDir, "lab")
	up := exec.CommandContext(ctx, program, "up", "--kops", "--nodes=3", "--workload=single", "--dir="+t.TempDir(),
		"--boot=1ns", "--ready=1ns", "--pod-ready=1ns", "--terminate=1ns", "--", "sh", "-c",
		`echo "$KOPS_CLUSTER_NAME $KOPS_STATE_STORE"; "$0" kubectl get nodes -o name | wc -l`, program)
	var stderr bytes.Buffer
	up.Stderr = &stderr
	out, err := up.Output()
	if err != nil {
		t.Fatalf("lab up --kops: %v\n%s", err, stderr.Bytes())
	}
	if got := strings.Fields(string(out)); len(got) != 3 || got[0] != "lab.k8s.local" || got[1] != "s3://kops-state" || got[2] != "4" {
		t.Errorf("the command says %q", got)
	}
	if lines := strings.Count(stderr.String(), "\n"); lines != 2 {
		t.Errorf("beside the command there is more to read:\n%s", stderr.Bytes())
	}
}

// TestUpGardener sees that a command learns where the Shoot and its machines are, with
// rights that suffice to read them, and that it can change the Shoot.
func TestUpGardener(t *testing.T) {
	t.Parallel()
	ctx := testContext(t)
	program := filepath.Join(shared.options.BinDir, "lab")
	up := exec.CommandContext(ctx, program, "up", "--gardener", "--nodes=3", "--zones=1", "--workload=single", "--dir="+t.TempDir(),
		"--boot=1ns", "--ready=1ns", "--pod-ready=1ns", "--terminate=1ns", "--", "sh", "-ec", `
			echo "$GARDEN_SHOOT $CONTROL_NAMESPACE"
			"$0" kubectl --kubeconfig "$CONTROL_KUBECONFIG" -n "$CONTROL_NAMESPACE" get machines -o name | wc -l
			"$0" kubectl get nodes -o name | wc -l
			"$0" shoot --kubernetes-version 1.32.9 --operation reconcile
			"$0" kubectl --kubeconfig "$GARDEN_KUBECONFIG" -n "${GARDEN_SHOOT%/*}" wait shoot/"${GARDEN_SHOOT#*/}" --for=jsonpath='{.spec.kubernetes.version}'=1.32.9 -o name
			"$0" kubectl wait node --all --for=jsonpath='{.status.nodeInfo.kubeletVersion}'=v1.32.9 -o name | wc -l
			"$0" shoot --pool workers || echo refused
			echo "$GARDENER_FLAGS"`, program)
	var stderr bytes.Buffer
	up.Stderr = &stderr
	out, err := up.Output()
	if err != nil {
		t.Fatalf("lab up --gardener: %v\n%s\n%s", err, out, stderr.Bytes())
	}
	got := strings.Fields(string(out))
	want := []string{"garden-lab/demo", "shoot--lab--demo", "3", "3", "shoot.core.gardener.cloud/demo", "3", "refused", "--provider", "gardener"}
	if len(got) < len(want) || !slices.Equal(got[:len(want)], want) || !strings.Contains(string(out), "--shoot garden-lab/demo --control-kubeconfig ") {
		t.Errorf("the command says %q\n%s", got, stderr.Bytes())
	}
}

// TestUpEKS sees that a command finds a managed node group, and can have EKS update it once at a time.
func TestUpEKS(t *testing.T) {
	t.Parallel()
	ctx := testContext(t)
	program := filepath.Join(shared.options.BinDir, "lab")
	up := exec.CommandContext(ctx, program, "up", "--eks", "--nodes=1", "--zones=1", "--workload=single", "--minimal", "--dir="+t.TempDir(),
		"--boot=1ns", "--ready=1ns", "--pod-ready=1ns", "--terminate=1ns", "--", "sh", "-ec", `
			"$0" kubectl get nodes -l eks.amazonaws.com/nodegroup=ng-web -o name | wc -l
			"$0" update other || echo refused
			"$0" update ng-web
			"$0" update ng-web || echo refused
			"$0" kubectl wait node --all --for=jsonpath='{.spec.unschedulable}'=true -o name | wc -l`, program)
	var stderr bytes.Buffer
	up.Stderr = &stderr
	out, err := up.Output()
	if err != nil {
		t.Fatalf("lab up --eks: %v\n%s\n%s", err, out, stderr.Bytes())
	}
	if got := strings.Fields(string(out)); !slices.Equal(got, []string{"1", "refused", "refused", "1"}) || !strings.Contains(stderr.String(), "ResourceInUseException") {
		t.Errorf("the command says %q\n%s", got, stderr.Bytes())
	}
}

// TestFaultCommand switches faults of a running lab from another process.
func TestFaultCommand(t *testing.T) {
	t.Parallel()
	ctx := testContext(t)
	program := filepath.Join(shared.options.BinDir, "lab")
	if err := shared.ServeControl(); err != nil {
		t.Fatal(err)
	}
	fault := func(args ...string) (string, error) {
		cmd := exec.CommandContext(ctx, program, append([]string{"fault", "--dir", shared.Dir()}, args...)...)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	run := func(args ...string) string {
		t.Helper()
		out, err := fault(args...)
		if err != nil {
			t.Fatalf("lab fault %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return out
	}
	if list := run(); strings.Count(list, "\n") != len(Faults)+3 || !strings.Contains(list, "no fault is on") {
		t.Errorf("lab fault:\n%s", list)
	}
	addGroup(ctx, t, GroupOptions{Name: "ng-faults"})
	for _, name := range []string{"never-join", "never-ready", "slow-boot"} {
		run(name, "--group", "ng-faults")
	}
	run("no-capacity", "--zone", "c", "--after", "100")
	run("lose-answers", "--action", "autoscaling:DeletePolicy")
	run("webhook", "--namespace", "default", "--message", "not today")
	run("delay", "--by", "1ms")
	list := run()
	for _, want := range []string{
		"on: never-join --group=ng-faults", "on: never-ready --group=ng-faults", "on: slow-boot --by=1m --group=ng-faults",
		"on: no-capacity --after=100 --zone=c", "on: lose-answers --action=autoscaling:DeletePolicy --answers=1",
		"on: webhook --hang=false --ignore=false --message=not today --namespace=default", "on: delay --by=1ms --user=admin",
	} {
		if !strings.Contains(list, want) {
			t.Errorf("the list does not say %q:\n%s", want, list)
		}
	}
	run("clear", "webhook")
	if list := run(); strings.Contains(list, "on: webhook") || !strings.Contains(list, "on: delay") {
		t.Errorf("after clear webhook:\n%s", list)
	}
	run("clear")
	if list := run(); !strings.Contains(list, "no fault is on") {
		t.Errorf("after clear:\n%s", list)
	}
	for want, args := range map[string][]string{
		"--zone must be one of eu-west-1a": {"no-capacity", "--zone", "x"},
		`no group "ng-nobody"`:             {"never-join", "--group", "ng-nobody"},
		"must be a node, or the beginning": {"silence"},
		"--action is missing":              {"deny"},
		"--by must be a time":              {"delay", "--by", "long"},
		"--component must be one of etcd":  {"freeze", "--component", "kubelet"},
		`namespaces "nowhere" not found`:   {"webhook", "--namespace", "nowhere"},
		"unknown command":                  {"plague"},
		`no fault "plague"`:                {"clear", "plague"},
		"no lab runs in":                   {"--dir", t.TempDir(), "cut"},
	} {
		if out, err := fault(args...); err == nil || !strings.Contains(out, want) {
			t.Errorf("lab fault %s: %v, want %q:\n%s", strings.Join(args, " "), err, want, out)
		}
	}
}

// processes are those with dir in their command line; none where there is no
// /proc to ask.
func processes(dir string) []string {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	var found []string
	for _, file := range files {
		if cmdline, err := os.ReadFile(file); err == nil && bytes.Contains(cmdline, []byte(dir)) {
			found = append(found, string(bytes.ReplaceAll(cmdline, []byte{0}, []byte(" "))))
		}
	}
	return found
}

func waitNoProcess(ctx context.Context, t *testing.T, dir string) {
	t.Helper()
	waiting, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	err := try.Until(waiting, 50*time.Millisecond, func() (bool, error) { return len(processes(dir)) == 0, nil })
	if err != nil {
		t.Errorf("still running: %q", processes(dir))
	}
}
