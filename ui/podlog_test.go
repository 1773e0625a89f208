package ui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"github.com/drainboard/drainboard/engine/podlog"
	"github.com/drainboard/drainboard/themes"
	"github.com/drainboard/drainboard/ui/uitest"
)

var oomLog = podlog.Log{
	Container: "checkout", Previous: true, Ended: "exit code 137 (OOMKilled)", At: uitest.Moment.Add(-2 * time.Minute), Restarts: 4,
	Lines: []string{
		"2026-03-14T21:05:08.562Z info  starting checkout 3.14.2 on ip-10-0-1-88.eu-west-1.compute.internal",
		"panic: runtime error: invalid memory address or nil pointer dereference",
		"    goroutine 1 [running]: main.main()", "",
		"2026-03-14T21:05:10.024Z fatal " + strings.Repeat("0123456789", 20),
	},
}

var errNoRight = errors.New(`this user may not get pods/log: give it a ClusterRole with the rule {apiGroups: [""], resources: ["pods/log"], verbs: ["get"]}`)

// Pictures of the dialog with a pod's log, of every size that people have: read, empty, denied,
// and gone since it was read.
func TestPodLogScreens(t *testing.T) {
	for name, c := range map[string]struct {
		log   podlog.Log
		err   error
		again error // of reading it once more
	}{
		"read": {log: oomLog}, "empty": {log: podlog.Log{Container: "web"}}, "denied": {log: podlog.Log{Container: "web", Previous: true, Ended: "exit code 1 (Error)", Restarts: 2}, err: errNoRight},
		"gone": {log: oomLog, again: podlog.ErrGone}, "reading": {},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			for _, size := range uitest.Screens {
				m := undrawn(uitest.Moved(), size[0], size[1], themes.None)
				log, err := c.log, c.err
				m.Opts.Log = func(context.Context, podlog.Pod) (podlog.Log, error) { return log, err }
				answer := func(cmd tea.Cmd) {
					if msg, ok := cmd().(LogMsg); ok && name != "reading" {
						m.update(msg)
					}
				}
				answer(m.press(uitest.KeyPress("L")))
				if c.again != nil {
					log, err = podlog.Log{}, c.again
					answer(m.press(uitest.KeyPress("r")))
				}
				m.draw()
				frame := m.View().Content
				uitest.CheckFrame(t, frame, size[0], size[1])
				fmt.Fprintf(&out, "%dx%d\n%s\n", size[0], size[1], ansi.Strip(frame))
			}
			golden.RequireEqual(t, out.String())
		})
	}
}

// The key reads the log of what the cursor is on, from wherever there are pods.
func TestPodLogOfWhat(t *testing.T) {
	for _, c := range []struct {
		name, keys string
		want       string // pod and UID, ! for one that is known to crash
		why        string
	}{
		{"without a cursor the replacement that crash-loops", "L", "payments-and-settlement/nightly-reconciliation-worker-6f7d9c5b84-q2xkz !", ""},
		{"a workload", "W L", "payments-and-settlement/nightly-reconciliation-worker-6f7d9c5b84-q2xkz !", ""},
		{"the next one, whose pod starts", "W down L", "shop/cart-55c7d9b4f6-8xk2p", ""},
		{"the last one and back", "W down down up up L", "payments-and-settlement/nightly-reconciliation-worker-6f7d9c5b84-q2xkz !", ""},
		{"a blocked pod", "tab down L", "shop/checkout-7d9f-x2 u-1", ""},
		{"its dialog", "tab down enter L", "shop/checkout-7d9f-x2 u-1", ""},
		{"a node with a pod that crash-loops", "down down L", "payments-and-settlement/nightly-reconciliation-worker-6f7d9c5b84-q2xkz !", ""},
		{"a node without one", "down L", "", "no pod crash-loops on ip-10-0-1-23; enter shows its pods"},
		{"a line of the log", "tab tab down L", "payments-and-settlement/nightly-reconciliation-worker-6f7d9c5b84-q2xkz !", ""},
		{"the pods of a node", "node L", "shop/web-7 w-7", ""},
		{"one of them that crash-loops", "node down down L", "shop/web-9 w-9 !", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := undrawn(uitest.Moved(), 120, 36, themes.None)
			if strings.HasPrefix(c.keys, "node") {
				m = undrawn(uitest.Calm(), 120, 36, themes.None)
				m.Open(&NodeDialog{row: m.Scene.Row(m.Scene.Look.Machine)})
			}
			got := ""
			m.Opts.Log = func(_ context.Context, of podlog.Pod) (podlog.Log, error) {
				got = of.Ref() + " " + of.UID
				if of.Crashes {
					got += "!"
				}
				return podlog.Log{}, nil
			}
			for _, k := range strings.Fields(strings.TrimPrefix(c.keys, "node")) {
				cmd := m.press(uitest.KeyPress(k))
				if _, log := m.Dialog.(*LogDialog); log {
					cmd()
				}
			}
			if got = strings.TrimSpace(strings.ReplaceAll(got, "!", " !")); strings.Join(strings.Fields(got), " ") != c.want || !strings.HasSuffix(m.Notice, c.why) {
				t.Errorf("read %q, want %q; %s", got, c.want, m.Notice)
			}
		})
	}
}

// The log is read while the dashboard is open, once more when asked, and the dashboard is back
// where it was. Where no log can be read the key says so.
func TestPodLog(t *testing.T) {
	answers := make(chan error)
	ui := sit(t, 120, 44, uitest.Moved(), func(o *Options) {
		o.Log = func(ctx context.Context, of podlog.Pod) (podlog.Log, error) {
			if _, limited := ctx.Deadline(); !limited {
				t.Error("reading has no limit")
			}
			return oomLog, <-answers
		}
	})
	ui.Expect("1 workload crash-loops").Press("W").Expect("up/down workload", "L log").Press("L").Expect("log of payments-and-settlement", "reading ...", "(r read again)")
	answers <- nil
	ui.Expect("exit code 137 (OOMKilled), 4 restarts", "panic: runtime error", "--previous --tail=20").Gone("reading ...")
	ui.Press("r").Expect("(r read again)")
	answers <- errNoRight
	ui.Expect("This user may not get pods/log", "panic: runtime error").Press("y").Copied(oomLog.Command(podlog.PodOf("payments-and-settlement/nightly-reconciliation-worker-6f7d9c5b84-q2xkz", "", true)))
	ui.Press("r").Expect("(r read again)")
	answers <- errors.New("https://10.0.0.1:6443 (context prod) answered with an error")
	ui.Expect(" https://10.0.0.1:6443 (context prod) answered")
	ui.Press("esc").Expect("21 pods of 5 workloads moved").Press("esc").Gone("5 workloads moved").SentNothing()

	without := sit(t, 120, 44, uitest.Moved())
	without.Expect("1 workload crash-loops").Press("L").Expect("cannot show the pod's log now: no pod's log can be read here")
	without.Press("W").Expect("21 pods of 5 workloads").Gone("L log")
}
