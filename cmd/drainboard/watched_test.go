//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/console"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/sim"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/ui"
	"github.com/drainboard/drainboard/ui/picker"
)

// watchedDemo watches the demo's group, or picks it. SIGUSR1 has the watch panic, or
// fail.
func watchedDemo(mode string) error {
	script, wall, ordered, err := tour()
	if err != nil {
		return err
	}
	order := orderedFeed{ordered, func(post func(live.Change)) error {
		post(func(*world.World) { panic("as ordered") })
		return nil
	}}
	if mode == "failure of the watch" || mode == "failure of the lines" {
		order.do = func(func(live.Change)) error { return errors.New("failed as ordered") }
	}
	ctx, stop := untilSignalled(context.Background())
	defer stop()
	if mode == "picker" {
		_, _, err := picker.Pick(ctx, []picker.Group{{Name: "ng-web", Provider: "asg"}}, nil, picker.Options{Environ: os.Environ()})
		return left(ctx, err)
	}
	screen, f := ui.Options{ReadOnly: true, Environ: os.Environ()}, console.Face{Plain: strings.HasSuffix(mode, "lines")}
	if f.Plain {
		ctx, stop = context.WithCancel(ctx)
		defer stop()
		a := &app{Console: console.NewConsole(os.Stdin, os.Stdout, os.Stderr)}
		screen = a.watcher(ctx, nil, f, stop)
	}
	w := &live.Watch{World: world.New(), Clock: wall, Rules: strategy.Named, Idle: strategy.EKS{}, Cluster: "demo"}
	first := nodesFirst{script.Sim.View, wall, make(chan []string, 1), ordered}
	if mode == "nodes first" {
		screen.Unread = first.see
	}
	return watchOn(ctx, w, f, func(ctx context.Context) error {
		if mode == "no such group" {
			<-ordered
			return exitcode.Usage(errors.New("there is no such group"))
		}
		if mode == "nodes first" {
			w.Queue = live.Open(ctx, first)
			return w.Queue.Fill(ctx, w.World, time.Minute, world.Nodes, world.Cloud)
		}
		w.Queue = live.Open(ctx, wall, order)
		return w.Queue.Fill(ctx, w.World, time.Minute, world.Cluster, world.Cloud)
	}, screen)
}

// nodesFirst reads a simulated cluster's nodes, then the pods of those that are on the
// screen, and the whole when it is ordered to.
type nodesFirst struct {
	of      *world.World
	whole   *sim.RealTime
	seen    chan []string // of one: the newest
	ordered <-chan os.Signal
}

// see takes the nodes on the screen.
func (f nodesFirst) see(nodes []string) {
	select {
	case <-f.seen:
	default:
	}
	f.seen <- nodes
}

func (f nodesFirst) Run(ctx context.Context, post func(live.Change)) error {
	post(func(w *world.World) {
		w.SetGroup(f.of.Group)
		var machines []world.Machine
		for _, m := range f.of.Machines() {
			machines = append(machines, *m)
		}
		w.SetMachines(machines)
		for _, n := range f.of.Nodes() {
			w.SetNode(n)
		}
		w.SetHealth(world.Cloud, world.Health{Fresh: f.whole.Now()})
		w.SetHealth(world.Nodes, world.Health{Fresh: f.whole.Now()})
	})
	for {
		select {
		case nodes := <-f.seen:
			post(func(w *world.World) {
				for _, n := range nodes {
					w.SetEarly(n, f.of.PodsOn(n))
				}
			})
		case <-f.ordered:
			return f.whole.Run(ctx, post)
		case <-ctx.Done():
			return nil
		}
	}
}

// The nodes are on the screen before any pod is known; those whose pods are wanted are
// told, and show them before the whole is read.
func TestAWatchShowsTheNodesFirst(t *testing.T) {
	r := openRaw(t, "nodes first")
	r.shows("reading pods")
	if err := pty.Setsize(r.control, &pty.Winsize{Rows: 36, Cols: 100}); err != nil { // three tables have no room for pods
		t.Fatal(err)
	}
	r.until("the pods of a node", func(out string) bool { return anyPods.MatchString(out) })
	if err := r.cmd.Process.Signal(syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	if _, err := r.control.WriteString("q"); err != nil {
		t.Fatal(err)
	}
	r.exits(0)
	r.asItWas()
}

var anyPods = regexp.MustCompile(`\d+ pods?`)

// A watch that panics or fails says so on the screen, leaves the last picture there, and
// the terminal as it was once the user has left.
func TestAWatchThatFailsSaysSo(t *testing.T) {
	for mode, says := range map[string]string{"crash in the watch": "internal error: as ordered", "failure of the watch": "failed as ordered"} {
		t.Run(mode, func(t *testing.T) {
			r := openRaw(t, mode)
			r.shows("outdated")
			if err := r.cmd.Process.Signal(syscall.SIGUSR1); err != nil {
				t.Fatal(err)
			}
			r.shows("the watch stopped: " + says)
			r.shows("sends no more news")
			if _, err := r.control.WriteString("q"); err != nil {
				t.Fatal(err)
			}
			r.exits(exitcode.WrongUse)
			r.asItWas()
		})
	}
}

// What cannot be read closes the screen that says so, and is told below it.
func TestAWatchThatCannotReadLeaves(t *testing.T) {
	r := openRaw(t, "no such group")
	r.shows("reading the cluster and the group")
	if err := r.cmd.Process.Signal(syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	r.shows("\x1b[?1049l")
	r.shows("there is no such group")
	r.exits(exitcode.WrongUse)
	r.asItWas()
}

// SIGINT, which somebody else sends where ctrl-c is a key, ends a screen that only
// shows, and the terminal is as it was.
func TestSIGINTRestoresTheTerminalOfWhoLooks(t *testing.T) {
	for mode, seen := range map[string]string{"watch": "outdated", "picker": "ng-web"} {
		t.Run(mode, func(t *testing.T) {
			r := openRaw(t, mode)
			r.shows(seen)
			if err := r.cmd.Process.Signal(syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
			r.exits(0)
			r.cooked()
			r.shows("\x1b[?1049l")
		})
	}
}

// A watch in lines is left by ctrl-c, SIGTERM, q and the end of what is typed, always with
// the exit code of one that did its work.
func TestLeavingAWatchInLines(t *testing.T) {
	for name, leave := range map[string]func(*typist){
		"ctrl-c": (*typist).signal,
		"SIGTERM": func(p *typist) {
			if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
				p.t.Fatal(err)
			}
		},
		"q":      func(p *typist) { p.types("q\n") },
		"ctrl-d": func(p *typist) { p.types("\x04") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := typeAt(t, helperEnv+"=lines")
			p.hears("READ-ONLY: this watches and changes nothing")
			p.hears("no run is under way")
			leave(p)
			if code := p.exit(); code != 0 {
				t.Errorf("exit code %d\n%s", code, p.text)
			}
			if strings.ContainsRune(p.text, '\x1b') {
				t.Errorf("told with escape sequences:\n%q", p.text)
			}
		})
	}
}

// A watch in a pipe goes on when its input ends, and ends without a word when nobody reads
// it any more.
func TestAWatchInAPipe(t *testing.T) {
	t.Parallel()
	for _, ends := range []bool{true, false} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), helperEnv+"=lines")
		keys, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		told, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		var errOut bytes.Buffer
		cmd.Stderr = &errOut
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		kill := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
		if ends {
			keys.Close()
		}
		text := ""
		for lines := bufio.NewReader(told); !strings.Contains(text, "no run is under way"); {
			line, err := lines.ReadString('\n')
			if text += line; err != nil {
				t.Fatalf("%v\n%s%s", err, text, errOut.String())
			}
		}
		if ends {
			time.Sleep(300 * time.Millisecond)
			err = cmd.Process.Signal(os.Interrupt) // it is still there
		} else {
			told.Close()
			_, err = io.WriteString(keys, "\n")
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil || errOut.Len() > 0 {
			t.Errorf("the input ends %v: %v, %q", ends, err, errOut.String())
		}
		kill.Stop()
	}
}

// A watch in lines that fails says why once.
func TestAWatchInLinesThatFails(t *testing.T) {
	t.Parallel()
	p := typeAt(t, helperEnv+"=failure of the lines")
	p.hears("no run is under way")
	if err := p.cmd.Process.Signal(syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	p.hears("The watch has ended: there is no more news.\n(?s:.*)drainboard: failed as ordered")
	if code := p.exit(); code != exitcode.WrongUse || strings.Count(p.text, "failed as ordered") != 1 {
		t.Errorf("exit code %d\n%s", code, p.text)
	}
}

// Without a terminal a watch is one in lines, by itself and when told to.
func TestAWatchWithoutATerminal(t *testing.T) {
	for _, args := range [][]string{{"watch", "ng-web"}, {"watch", "--plain"}} {
		out, code := call(append(args, "--kubeconfig", "/nonexistent")...)
		if code != exitcode.WrongUse || strings.Contains(out, "terminal") || strings.Contains(out, "unknown") {
			t.Errorf("%v: exit code %d\n%s", args, code, out)
		}
	}
}
