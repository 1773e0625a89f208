package lab

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
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
	err = poll(ctx, 50*time.Millisecond, func() (bool, error) {
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
	err := poll(waiting, 50*time.Millisecond, func() (bool, error) { return len(processes(dir)) == 0, nil })
	if err != nil {
		t.Errorf("still running: %q", processes(dir))
	}
}
