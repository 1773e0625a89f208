package asg

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/drainboard/drainboard/engine/record"
)

// inspected is what an Inspect of i-1 tells.
func inspected(t *testing.T, c *Client) []string {
	t.Helper()
	o := do(t, c, record.Action{Kind: record.Inspect, Machine: "i-1", Group: "web"})
	expect(t, o, record.Done, "", "")
	return o.Lines
}

// output is the answer to GetConsoleOutput.
func output(text string) string {
	return e("instanceId", "i-1", "output", base64.StdEncoding.EncodeToString([]byte(text)))
}

func instanceIs(state, more string) string {
	return items("reservationSet", items("instancesSet", e("instanceId", "i-1", "instanceState", e("name", state))+more))
}

var failedChecks = items("instanceStatusSet", e("instanceId", "i-1",
	"systemStatus", e("status", "ok")+items("details", e("name", "reachability", "status", "passed")),
	"instanceStatus", e("status", "impaired")+items("details", e("name", "reachability", "status", "failed"))))

func TestInspect(t *testing.T) {
	s, c := connect(t)
	s.on("DescribeInstances", instanceIs("running", ""))
	s.on("DescribeInstanceStatus", failedChecks)
	console := "old\r\n"
	for n := range 12 {
		console += fmt.Sprintf("[  %d.0] line %d\r\n", n, n)
	}
	console += "\x1b[0;31mFAILED\x1b[0m to start kubelet.\r\n\r\n\x1b]0;title\x07boot\x00strap\u202e: no route\r\nip-10-0-1-2 login: \r\n"
	s.on("GetConsoleOutput", output(console))
	got := inspected(t, c)
	want := []string{
		"state running", "status checks: instance impaired (reachability failed), system ok",
		"console ends: [ 4.0] line 4", "[ 5.0] line 5", "[ 6.0] line 6", "[ 7.0] line 7", "[ 8.0] line 8", "[ 9.0] line 9", "[ 10.0] line 10", "[ 11.0] line 11",
		"FAILED to start kubelet.", "bootstrap: no route",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, action := range s.actions() {
		if !strings.HasPrefix(action, "Describe") && action != "GetConsoleOutput" {
			t.Errorf("it sent %s", action)
		}
	}
	if call := s.sent("DescribeInstanceStatus")[0]; call.Get("InstanceId.1") != "i-1" || call.Get("IncludeAllInstances") != "true" {
		t.Errorf("sent %v", call)
	}
}

// A machine that has ended says why; its checks say nothing any more.
func TestInspectEnded(t *testing.T) {
	for more, want := range map[string]string{
		e("reason", "User initiated (2026-11-21 02:00:00 GMT)", "stateReason", e("code", "Client.UserInitiatedShutdown", "message", "Client.UserInitiatedShutdown: User initiated shutdown")): "state terminated: Client.UserInitiatedShutdown: User initiated shutdown",
		e("stateReason", e("code", "Client.InternalError", "message", "Client error on launch")):                                                                                              "state terminated: Client.InternalError: Client error on launch",
		e("stateReason", e("code", "Server.SpotInstanceTermination")):                                                                                                                         "state terminated: Server.SpotInstanceTermination",
		e("reason", "Server.InternalError"): "state terminated: Server.InternalError",
	} {
		s, c := connect(t)
		s.on("DescribeInstances", instanceIs("terminated", more))
		s.on("GetConsoleOutput", output(""))
		if got := inspected(t, c); !slices.Equal(got, []string{want, "console output is empty"}) {
			t.Errorf("got %q, want %q", got, want)
		}
		if len(s.sent("DescribeInstanceStatus")) != 0 {
			t.Error("asked for the checks of a machine that has ended")
		}
	}
	s, c := connect(t)
	s.on("DescribeInstances", fail(400, "InvalidInstanceID.NotFound", "The instance ID 'i-1' does not exist"))
	if got := inspected(t, c); len(got) != 1 || !strings.Contains(got[0], "instance unknown to EC2") {
		t.Errorf("got %q", got)
	}
}

// The latest console can be had on Nitro only; else it is what was kept.
func TestInspectOldTypes(t *testing.T) {
	s, c := connect(t)
	s.on("DescribeInstances", instanceIs("running", ""))
	s.on("DescribeInstanceStatus", "")
	s.onCall("GetConsoleOutput", func(f url.Values) string {
		if f.Get("Latest") == "true" {
			return fail(400, "UnsupportedOperation", "This instance type does not support retrieving the latest console logs.")
		}
		return output("kubelet: Unauthorized\n")
	})
	if got := inspected(t, c); !slices.Equal(got, []string{"state running", "console ends: kubelet: Unauthorized"}) {
		t.Errorf("got %q", got)
	}
}

// What may not be read is said in a line each.
func TestInspectDenied(t *testing.T) {
	s, c := connect(t)
	for _, action := range []string{"DescribeInstances", "DescribeInstanceStatus", "GetConsoleOutput"} {
		s.on(action, fail(403, "UnauthorizedOperation", "You are not authorized to perform this operation."))
	}
	got := inspected(t, c)
	want := []string{"state not readable: ", "status checks not readable: ", "console not readable: "}
	actions := []string{"ec2:DescribeInstances", "ec2:DescribeInstanceStatus", "ec2:GetConsoleOutput"}
	if len(got) != 3 {
		t.Fatalf("got %q", got)
	}
	for n := range got {
		if !strings.HasPrefix(got[n], want[n]) || !strings.Contains(got[n], actions[n]) {
			t.Errorf("got %q", got[n])
		}
	}
	if n := len(s.sent("GetConsoleOutput")); n != 1 {
		t.Errorf("asked for the console %d times", n)
	}

	s.on("DescribeInstances", fail(400, "RequestExpired", "Request has expired."))
	expect(t, do(t, c, record.Action{Kind: record.Inspect, Machine: "i-1"}), record.Refused, record.RefusedBusy, "expired")
}

func TestConsoleEnd(t *testing.T) {
	const end = `[   20.1] cloud-init[1999]: nodeadm: failed: no such cluster
[   20.2] cloud-init[1999]: nodeadm: failed: no such cluster
nodeadm: giving up
nodeadm: giving up
ci-info: no authorized SSH keys fingerprints found for user ec2-user.
<14>Nov 21 02:00:00 ec2: 
ec2: #############################################################
ec2: -----BEGIN SSH HOST KEY FINGERPRINTS-----
ec2: 256 SHA256:abc root@ip-10-0-1-2 (ECDSA)
<14>Nov 21 02:00:00 ec2: 256 SHA256:def root@ip-10-0-1-2 (ED25519)
[   22.0] cloud-init[1999]: 256 SHA256:def root@ip-10-0-1-2 (ED25519)
ec2: -----END SSH HOST KEY FINGERPRINTS-----
-----BEGIN SSH HOST KEY KEYS-----
ssh-ed25519 AAAAC3 root@ip-10-0-1-2
ecdsa-sha2-nistp256 AAAAE2 root@ip-10-0-1-2
-----END SSH HOST KEY KEYS-----

Amazon Linux 2023
10% done` + "\r" + `20% done
ip-10-0-1-2 login: `
	want := []string{
		"[ 20.1] cloud-init[1999]: nodeadm: failed: no such cluster", "[ 20.2] cloud-init[1999]: nodeadm: failed: no such cluster",
		"nodeadm: giving up", "ci-info: no authorized SSH keys fingerprints found for user ec2-user.",
		"Amazon Linux 2023", "20% done",
	}
	if got := consoleEnd(end); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	long := consoleEnd(strings.Repeat("é", 300))
	if len(long) != 1 || len(long[0]) > lineLimit+len("…") {
		t.Errorf("got %q", long)
	}
	if got := consoleEnd("\x1b"); len(got) != 0 {
		t.Errorf("got %q", got)
	}
}
