// Package hooks runs what the user wants to happen around a run: commands and webhooks
// that hear of it, and those that have a say before a node is drained.
//
// A Hook is one of them, as configuration and flags say it. The Notifier (notify.go) hears
// of events and snapshots and tells the hooks they concern, each on a goroutine of its own,
// so that none ever holds up a run; pods that are blocked for long it notices by itself
// (blocked.go). Those around a node are no notifications: they are actions of the engine,
// carried out by the Runner (runner.go). A command gets a process group of its own
// (command.go), a webhook the body that Slack or an alerting service takes, or the event as it is
// (post.go, message.go, alert.go). Webhooks' addresses are secrets (address.go).
package hooks

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// On says when a hook is called.
type On string

// When hooks are called.
const (
	RunStarted     On = "run-started"     // it starts, or is resumed
	RunFinished    On = "run-finished"    // it has ended, however
	RunPaused      On = "run-paused"      // by the operator, or by itself
	Unwritten      On = "unwritten"       // the run record cannot be written, and that it can again
	ApprovalWanted On = "approval-wanted" // a batch or a phase waits for approval
	Blocked        On = "blocked"         // pods of a node have been blocked for a time
	Failed         On = "failed"          // a node, or the run, has failed
	BeforeNode     On = "before-node"     // a node is about to be drained: may it?
	AfterNode      On = "after-node"      // its machine is gone
)

// Moments are all there are, in the order of a run.
var Moments = []On{RunStarted, ApprovalWanted, BeforeNode, Blocked, AfterNode, Unwritten, Failed, RunPaused, RunFinished}

// Defaults of a hook.
const (
	Timeout    = 30 * time.Second
	BlockedFor = 5 * time.Minute
	// MaxTimeout bounds what a hook may ask for: a node waits for it.
	MaxTimeout = time.Hour
)

// Hook is a command or a webhook, and when it is called. Zero times and formats stand for
// the defaults.
type Hook struct {
	On []On
	// Run is a command with its arguments; no shell reads it.
	Run []string
	// Env are the names of variables of this process that the command gets beside those that
	// every command gets.
	Env []string
	// Webhook is where to post to.
	Webhook Address
	Format  Format
	// Timeout is the time for one call: for a webhook with all its tries.
	Timeout time.Duration
	// BlockedFor is how long a node's pods must be blocked before Blocked is told.
	BlockedFor time.Duration
}

// Wants reports whether the hook is called at a moment.
func (h *Hook) Wants(on On) bool { return slices.Contains(h.On, on) }

func (h *Hook) timeout() time.Duration {
	if h.Timeout == 0 {
		return Timeout
	}
	return h.Timeout
}

func (h *Hook) blockedFor() time.Duration {
	if h.BlockedFor == 0 {
		return BlockedFor
	}
	return h.BlockedFor
}

// Name is what a hook is called in messages: its command without arguments, or its
// webhook's host. Neither holds a secret.
func (h *Hook) Name() string {
	if len(h.Run) > 0 {
		return filepath.Base(h.Run[0])
	}
	return h.Webhook.Host()
}

// Check says what is wrong with a hook, nil if nothing is.
func (h *Hook) Check() error {
	switch {
	case len(h.On) == 0:
		return fmt.Errorf("needs on: one or several of %s", list(Moments))
	case len(h.Run) == 0 && h.Webhook.None():
		return errors.New("needs run or a webhook")
	case len(h.Run) > 0 && !h.Webhook.None():
		return errors.New("has both run and a webhook: use two hooks")
	case len(h.Run) > 0 && strings.TrimSpace(h.Run[0]) == "":
		return errors.New("run has no command")
	case len(h.Run) == 0 && len(h.Env) > 0:
		return errors.New("env is for commands: a webhook has no environment")
	case len(h.Run) > 0 && h.Format != "":
		return errors.New("format is for webhooks: a command gets JSON")
	case h.Format.alerts() && h.aroundNodes():
		return fmt.Errorf("format %s is not for before-node and after-node: they are no alerts", h.Format)
	case h.Timeout < 0 || h.Timeout > MaxTimeout:
		return fmt.Errorf("timeout: %s is out of range, at most %s", h.Timeout, MaxTimeout)
	case h.BlockedFor < 0:
		return fmt.Errorf("blocked-for: %s must be positive", h.BlockedFor)
	case h.BlockedFor > 0 && !h.Wants(Blocked):
		return errors.New("blocked-for is for on: blocked")
	}
	return nil
}

// Time is how long the hooks of one moment may take together, one after the other; 0 if
// there are none.
func Time(hooks []Hook, on On) (sum time.Duration) {
	for i := range hooks {
		if hooks[i].Wants(on) {
			sum += hooks[i].timeout()
		}
	}
	return sum
}

// list is words with commas.
func list[S ~string](words []S) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = string(w)
	}
	return strings.Join(out, ", ")
}
