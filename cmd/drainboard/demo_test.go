//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/clitest"
	"github.com/drainboard/drainboard/engine/api"
	"github.com/drainboard/drainboard/engine/api/apitest"
	"github.com/drainboard/drainboard/engine/record"
)

func TestMain(m *testing.M) {
	if os.Getenv(clitest.HelperEnv) != "" {
		main()
	}
	os.Exit(m.Run())
}

func TestDemoHeadless(t *testing.T) {
	for _, c := range []struct {
		scenario string
		code     int
		types    []record.EventType
	}{
		{"prod", 0, []record.EventType{record.PodBlocked, record.PodUnblocked}},
		{"tour", 0, []record.EventType{record.RunPlanned, record.RunStarted, record.PodBlocked, record.PodUnblocked}},
		{"forced", 0, []record.EventType{record.PodForced}},
		{"stuck", 4, []record.EventType{record.NodeFailed}},
		{"minimal", 0, []record.EventType{record.NodeCordoned, record.NodeReplaced}},
		{"kops", 0, []record.EventType{record.InstanceDetached, record.InstanceOut, record.ValidationPassed, record.NodeReplaced}},
		{"canary", 0, nil}, // nobody is asked, so there is no canary
	} {
		t.Run(c.scenario, func(t *testing.T) {
			t.Parallel()
			out, code := call("demo", "--auto", "-o", "json", "--speed", "1000", "--scenario", c.scenario)
			if code != c.code {
				t.Errorf("exit code %d, want %d\n%s", code, c.code, out)
			}
			seen, heard := map[record.EventType]bool{}, false
			for line := range strings.Lines(out) {
				var e api.Event
				if json.Unmarshal([]byte(line), &e) != nil {
					continue // what the process says beside the events
				}
				apitest.Valid(t, []byte(line))
				seen[record.EventType(e.Type)] = true
				heard = heard || e.Reason == "external-change" && strings.HasPrefix(e.Message, "a user scaled checkout from 3 to 4")
				if e.Type == string(record.RunFinished) && *e.ExitCode != c.code {
					t.Errorf("the run's exit code is %d", *e.ExitCode)
				}
			}
			if heard != (c.scenario == "prod" || c.scenario == "tour" || c.scenario == "kops") {
				t.Errorf("what others did was told: %v", heard)
			}
			for _, want := range append(c.types, record.RunFinished) {
				if !seen[want] {
					t.Errorf("no event %s", want)
				}
			}
		})
	}
}

func TestVersion(t *testing.T) {
	if out, code := call("version"); code != 0 || out != "drainboard "+version+"\n" {
		t.Errorf("%d: %s", code, out)
	}
	out, code := call("version", "-o", "json")
	if kinds := apitest.Valid(t, []byte(out)); code != 0 || kinds[0] != "Version" || !strings.Contains(out, version) {
		t.Errorf("%d: %s", code, out)
	}
}

func TestDemoFlags(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"--scenario", "list"}, 0, "  tour     a machine that never joins"},
		{[]string{"--help"}, 0, "  minimal  no extra machines"},
		{[]string{"--scenario", "nowhere"}, 2, ""},
		{[]string{"--provider", "gke"}, 2, ""},
		{[]string{"--provider", "kops", "--scenario", "tour"}, 2, ""},
		{[]string{"--provider", "kops", "--auto", "--speed", "1000"}, 0, "instance.detached"},
		{[]string{"--speed", "0"}, 2, ""},
		{[]string{"--auto", "-o", "xml"}, 2, ""},
		{[]string{"--auto", "--tour"}, 2, "omit --auto"},
		{[]string{"-o", "json"}, 2, ""},
	} {
		if out, code := call(append([]string{"demo"}, c.args...)...); code != c.code || !strings.Contains(out, c.says) {
			t.Errorf("demo %v: exit code %d, %q", c.args, code, out)
		}
	}
}

// The demo shows its cluster, and q ends it without a question or a trace.
func TestDemoOnATerminal(t *testing.T) {
	control, tty, err := pty.Open()
	if err != nil {
		t.Skip("no pseudo-terminal here: ", err)
	}
	defer control.Close()
	if err := pty.Setsize(control, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "demo")
	cmd.Env = append(os.Environ(), clitest.HelperEnv+"=1", "TERM=xterm-256color")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	tty.Close()
	kill := time.AfterFunc(30*time.Second, func() { _ = cmd.Process.Kill() })
	defer kill.Stop()
	var screen bytes.Buffer
	buf := make([]byte, 64<<10)
	asked := false
	for {
		n, err := control.Read(buf)
		screen.Write(buf[:n])
		if !asked && strings.Contains(screen.String(), "scale up") && strings.Contains(screen.String(), "ng-web") {
			asked = true
			if _, err := control.WriteString("q"); err != nil {
				t.Fatal(err)
			}
		}
		if err != nil {
			break
		}
	}
	if err := cmd.Wait(); err != nil || !asked {
		t.Errorf("shown: %v, end: %v\n%q", asked, err, screen.String())
	}
}
