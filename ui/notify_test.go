package ui

import (
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/assess/blockers"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/ui/news"
	"github.com/drainboard/drainboard/ui/style"
	"github.com/drainboard/drainboard/ui/term"
	"github.com/drainboard/drainboard/ui/uitest"
)

// Heard waits until a sequence was sent to the terminal, and forgets what came
// before it.
func (p *person) Heard(seq string) *person {
	p.T.Helper()
	return p.until(func(string) string {
		p.Mu.Lock()
		defer p.Mu.Unlock()
		_, rest, found := strings.Cut(p.wire.String(), seq)
		if !found {
			return "was not sent " + strings.ToValidUTF8(strings.ReplaceAll(seq, "\x1b", "ESC "), "?")
		}
		p.wire.Reset()
		p.wire.WriteString(rest)
		return ""
	})
}

// Silent checks that no sequence was sent since the last one heard.
func (p *person) Silent(seqs ...string) *person {
	p.T.Helper()
	p.Mu.Lock()
	defer p.Mu.Unlock()
	for _, seq := range seqs {
		if strings.Contains(p.wire.String(), seq) {
			p.T.Fatalf("%q was sent: %q", seq, p.wire.String())
		}
	}
	return p
}

const (
	focusIn, focusOut = "\x1b[I", "\x1b[O"
	osc777            = "\x1b]777;notify;"
)

func on(environ ...string) func(*Options) {
	return func(o *Options) { o.Environ = environ }
}

var ghostty = on("TERM=xterm-ghostty", "TERM_PROGRAM=ghostty")

func TestANotificationWhenApprovalIsWanted(t *testing.T) {
	ui := sit(t, 120, 36, uitest.Quiet(), ghostty)
	ui.Heard("\x1b[?1004h").Expect("draining").Press(focusOut).Show(uitest.Asking())
	ui.Heard(osc777 + "drainboard ng-web;batch 2 (3 nodes) waits for approval\a")
	// The same batch is not told again, also when its plan changes meanwhile.
	other := uitest.Asking()
	other.Batch.Hash, other.Batch.Evict = "h3", 57
	ui.Later(time.Hour).Show(other).Expect("57 pods to move").Silent(osc777)
	// What is seen is not told. The help shows that the focus has come.
	next := uitest.Asking()
	next.Batch.ID, next.Batch.Evict = 3, 33
	ui.Press(focusIn, "?").Expect("Actions").Press("esc").Gone("Actions").Show(next).Expect("33 pods to move").Press(focusOut).Later(time.Minute).Show(next).Show(uitest.Quiet()).Gone("33 pods").Silent(osc777)
}

func TestANotificationForAProblem(t *testing.T) {
	ui := sit(t, 120, 36, uitest.Quiet(), ghostty)
	sick := uitest.Quiet()
	sick.Zones[0].Rows[4].CrashLooping = "shop/checkout-7d9f8c6b5-x2x4q"
	sick.Zones[2].Rows[5].Problem = snapshot.NotJoining
	ui.Expect("draining").Press(focusOut).Show(sick)
	ui.Heard(osc777 + "drainboard ng-web;shop/checkout-7d9f8c6b5-x2x4q crash-loops on ip-10-0-1-88. i-0a1b2c3d4e5f63140: not joining\a")
	ui.Later(time.Hour).Show(sick).Silent(osc777)
}

func TestANotificationForTheCanaryAndAPhase(t *testing.T) {
	ui := sit(t, 120, 36, uitest.Quiet(), ghostty)
	ui.Expect("draining").Press(focusOut).Show(uitest.Canary())
	ui.Heard("the canary (1 node) waits for approval\a")
	ui.Later(news.Every).Show(uitest.Phase()).Heard("phase upgrade waits for approval\a")
}

// A budget with many pods, or a node with many, is one notification; a budget that
// lets pods go one after the other is none.
func TestANotificationWhenANodeIsBlocked(t *testing.T) {
	ui := sit(t, 120, 36, uitest.Quiet(), ghostty)
	s := uitest.Busy()
	young := *s.Blockers[0]
	young.Since = uitest.Moment.Add(-5 * time.Second)
	s.Blockers = []*blockers.Blocker{&young}
	ui.Expect("draining").Press(focusOut).Show(s).Expect("blocked: 1 PDB").Silent(osc777)
	many := uitest.Busy()
	for _, pod := range []string{"shop/checkout-7d9f-x3", "shop/checkout-7d9f-x4"} {
		b := *many.Blockers[0]
		b.Pod, b.UID = pod, pod
		many.Blockers = append(many.Blockers, &b)
	}
	ui.Show(many).Heard(osc777 + "drainboard ng-web;ip-10-0-1-23 is blocked: 3 pods\a")
	one := uitest.Busy()
	one.Blockers[0].Pod = "shop/checkout-7d9f-x9" // of the same owner
	ui.Later(time.Hour).Show(one).Expect("checkout-7d9f-x9").Silent(osc777)
}

// What comes in a burst is told together, when it is time, as it is then.
func TestABurstIsOneNotification(t *testing.T) {
	ui := sit(t, 120, 36, uitest.Quiet(), ghostty)
	ui.Expect("draining").Press(focusOut).Show(uitest.Busy()).Heard("is blocked: shop/checkout-7d9f-x2\a")
	both := uitest.Asking()
	second := *uitest.Busy().Blockers[0]
	second.Owner, second.Pod, second.Node, second.Machine = "cart", "shop/cart-1", uitest.Host(2, 31), "i-0a1b2c3d4e5f62031"
	third := second
	third.Owner, third.Pod, third.Node, third.Machine = "agent", "kube-system/agent-1", uitest.Host(2, 9), "i-0a1b2c3d4e5f62009"
	both.Blockers = []*blockers.Blocker{&second, &third}
	ui.Show(both).Expect("Batch 2 waits").Silent(osc777)
	ui.Later(news.Every).Show(both)
	ui.Heard(osc777 + "drainboard ng-web;batch 2 (3 nodes) waits for approval. ip-10-0-2-31 is blocked: shop/cart-1. and 1 more\a").Silent(osc777)
	// Gone before it is time: not told.
	paused := uitest.Quiet()
	paused.State, paused.Why = record.Paused, "pods are Pending for too long"
	ui.Show(paused).Expect("paused").Silent(osc777).Show(uitest.Quiet()).Gone("paused").Later(news.Every).Show(uitest.Quiet()).Show(uitest.Busy()).Expect("checkout").Silent(osc777)
}

func TestANotificationWhenTheRunPausesOrEnds(t *testing.T) {
	paused := uitest.Quiet()
	paused.State, paused.Why = record.Paused, "pods are Pending; too long"
	ui := sit(t, 120, 36, uitest.Quiet(), ghostty)
	ui.Expect("draining").Press(focusOut).Show(paused).Heard(osc777 + "drainboard ng-web;paused: pods are Pending; too long\a")
	ui.Expect("paused").Show(uitest.Quiet()).Gone("paused").Later(news.Every).Show(paused).Heard(osc777)
	// The end is told at once.
	ui.Show(uitest.Failed()).Heard(osc777 + "drainboard ng-web;failed: PodEvictionFailure: ")
	ui.Show(uitest.Failed()).Later(time.Hour).Show(uitest.Failed()).Silent(osc777)
}

func TestANotificationPerTerminal(t *testing.T) {
	for _, c := range []struct {
		name    string
		environ []string
		want    string
	}{
		{"kitty", []string{"TERM=xterm-kitty"}, "\x1b]99;i=drainboard:d=0:p=title;drainboard ng-web\a\x1b]99;i=drainboard:d=1:p=body;paused: x\a"},
		{"iTerm2", []string{"TERM=xterm-256color", "TERM_PROGRAM=iTerm.app"}, ""},
		{"iTerm2", []string{"TERM=xterm-256color", "TERM_PROGRAM=iTerm.app", "TERM_PROGRAM_VERSION=3.5.0"}, "\x1b]9;drainboard ng-web: paused: x\a"},
		{"iTerm2 over SSH", []string{"TERM=xterm-256color", "LC_TERMINAL=iTerm2", "LC_TERMINAL_VERSION=3.6.9", "SSH_TTY=/dev/pts/3"}, "\x1b]9;drainboard ng-web: paused: x\a"},
		{"foot", []string{"TERM=foot"}, "\x1b]777;notify;drainboard ng-web;paused: x\a"},
		{"VTE", []string{"TERM=xterm-256color", "VTE_VERSION=7802"}, "\x1b]777;notify;drainboard ng-web;paused: x\a"},
		{"any other", []string{"TERM=xterm-256color"}, "\a"},
		{"dumb", []string{"TERM=dumb", "VTE_VERSION=7802"}, "\a"},
		{"kitty in tmux", []string{"TERM=tmux-256color", "TMUX=/tmp/tmux-0/default,1,0", "TERM_PROGRAM=tmux", "KITTY_WINDOW_ID=1"},
			"\x1bPtmux;\x1b\x1b]99;i=drainboard:d=0:p=title;drainboard ng-web\a\x1b\x1b]99;i=drainboard:d=1:p=body;paused: x\a\x1b\\\a"},
		{"VTE in screen", []string{"TERM=screen.xterm-256color", "STY=1.pts-0", "VTE_VERSION=7802"}, "\x1bP\x1b]777;notify;drainboard ng-web;paused: x\a\x1b\\\a"},
		{"tmux in any other", []string{"TERM=screen-256color", "TMUX=x"}, "\a"},
	} {
		term := term.TTYOf(c.environ)
		if got := term.Notification(term.Notify, "drainboard ng-web", "paused: x"); got != c.want && c.want != "" {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// Older iTerm2 and kitty take the progress for a notification.
func TestProgressOnlyWhereItIsShown(t *testing.T) {
	for env, want := range map[string]bool{
		"TERM_PROGRAM=ghostty": true, "TERM_PROGRAM=WezTerm": true, "VTE_VERSION=7900": true, "VTE_VERSION=7802": false, "WT_SESSION=x": true, "ConEmuANSI=ON": true,
		"TERM_PROGRAM=iTerm.app,TERM_PROGRAM_VERSION=3.6.6": true, "TERM_PROGRAM=iTerm.app,TERM_PROGRAM_VERSION=3.6.5": false, "TERM_PROGRAM=iTerm.app,TERM_PROGRAM_VERSION=4": true,
		"LC_TERMINAL=iTerm2,LC_TERMINAL_VERSION=3.10.1": true, "KITTY_WINDOW_ID=1": false, "TERM_PROGRAM=Apple_Terminal": false, "": false,
	} {
		if got := term.TTYOf(append(strings.Split(env, ","), "TERM=xterm-256color")).Progress; got != want {
			t.Errorf("%s: progress %v, want %v", env, got, want)
		}
	}
}

// What comes from the cluster does not steer the terminal by a notification either.
func TestANotificationIsClean(t *testing.T) {
	s := uitest.Quiet()
	s.State, s.Group = record.Paused, "ng\x1b]0;owned\a;web"
	s.Why = strings.Join(uitest.Tricks, " ") + strings.Repeat("x", 1000)
	ui := sit(t, 120, 36, uitest.Quiet(), ghostty)
	ui.Expect("draining").Press(focusOut).Show(s).Heard(osc777)
	ui.until(func(string) string {
		ui.Mu.Lock()
		defer ui.Mu.Unlock()
		body, _, found := strings.Cut(ui.wire.String(), "\a")
		title, text, parted := strings.Cut(body, ";")
		switch {
		case !found:
			return "has no end of the notification"
		case !parted || style.Clean(title) != title || style.Clean(text) != text || style.Width(text) > term.NotifyCells:
			t.Errorf("not clean or too long: %q", body)
		}
		return ""
	})
}

// A terminal that never says whether it is in focus gets a bell, for an approval
// only, when nobody has touched a key for a while.
func TestWithoutFocusReportsTheBellRings(t *testing.T) {
	const bell = "\a"
	heard := func(ui *person) int {
		ui.Mu.Lock()
		defer ui.Mu.Unlock()
		return strings.Count(ui.wire.String(), bell) - strings.Count(ui.wire.String(), "\x1b]") // titles and questions end with one
	}
	ui := sit(t, 120, 48, uitest.Quiet(), on("TERM=xterm-256color"))
	ui.Expect("draining").Later(10 * news.Idle).Show(uitest.Busy()).Expect("checkout")
	ui.Press("?").Expect("this list of actions").Press("esc").Gone("this list of actions").Show(uitest.Asking()).Expect("Batch 2 waits")
	if n := heard(ui); n != 0 {
		t.Fatalf("%d bells, want none", n)
	}
	more := uitest.Asking()
	more.Batch.Evict = 57
	ui.Later(news.Idle).Show(more).Expect("57 pods").until(func(string) string {
		if heard(ui) != 1 {
			return "has not rung once"
		}
		return ""
	})
}

func TestSilent(t *testing.T) {
	ui := sit(t, 120, 36, uitest.Quiet(), func(o *Options) { o.Silent = true; ghostty(o) })
	ui.Expect("draining").Press(focusOut).Show(uitest.Asking()).Expect("Batch 2 waits").Later(time.Hour).Show(uitest.Asking()).Silent(osc777, "\x1b[?1004h")
}

// Title and progress follow the state.
func TestTitleAndProgressAreSent(t *testing.T) {
	ui := sit(t, 120, 36, uitest.Quiet(), ghostty)
	ui.Heard(term.PushTitle).Heard("\x1b]2;4/12 ng-web\a").Heard("\x1b]9;4;1;33\a")
	ui.Show(uitest.Asking()).Heard("approve?\a").Heard("\x1b]9;4;4;33\a")
	ui.Show(uitest.Done()).Heard("\x1b]2;12/12 ng-web succeeded\a").Heard("\x1b]9;4;0\a")
	ui.Later(time.Hour).Press("q").Leaves(Finished)
	ui.Heard("\x1b]2;\a").Heard(term.PopTitle)
}

func TestADumbTerminalIsToldNothing(t *testing.T) {
	ui := sit(t, 120, 36, uitest.Quiet(), on("TERM=dumb", "SSH_TTY=/dev/pts/1", "VTE_VERSION=7900"))
	ui.Expect("draining").Show(uitest.Stale()).Expect("paused").Press("m").Expect("this terminal has no mouse").Press("down", "y").Expect("this terminal has no clipboard")
	ui.Silent("\x1b]2;", "\x1b]9;", "\x1b]52;", "\x1b[22;2t", "\x1b[?1002h", "\x1b[?1004h", "\x1b[?2026h")
}
