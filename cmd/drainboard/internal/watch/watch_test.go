//go:build unix

package watch

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

	"github.com/drainboard/drainboard/cmd/drainboard/internal/clitest"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/console"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/sim/realtime"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/ui"
	"github.com/drainboard/drainboard/ui/picker"
)

// watchedDemo watches the demo's group, or picks it. SIGUSR1 has the watch panic, or
// fail.
func watchedDemo(mode string) error {
	script, wall, ordered, err := clitest.Tour()
	if err != nil {
		return err
	}
	order := clitest.OrderedFeed{Ordered: ordered, Do: func(post func(live.Change)) error {
		post(func(*world.World) { panic("as ordered") })
		return nil
	}}
	if mode == "failure of the watch" || mode == "failure of the lines" {
		order.Do = func(func(live.Change)) error { return errors.New("failed as ordered") }
	}
	ctx, stop := console.UntilSignalled(context.Background())
	defer stop()
	if mode == "picker" {
		_, _, err := picker.Pick(ctx, []picker.Group{{Name: "ng-web", Provider: "asg"}}, nil, picker.Options{Environ: os.Environ()})
		return console.Left(ctx, err)
	}
	screen, f := ui.Options{ReadOnly: true, Environ: os.Environ()}, console.Face{Plain: strings.HasSuffix(mode, "lines")}
	if f.Plain {
		ctx, stop = context.WithCancel(ctx)
		defer stop()
		a := &Watch{Console: console.NewConsole(os.Stdin, os.Stdout, os.Stderr), Face: f}
		screen = a.screen(ctx, nil, stop)
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

func TestMain(m *testing.M) {
	if mode := os.Getenv(clitest.HelperEnv); mode != "" {
		os.Exit(console.Report(os.Stderr, watchedDemo(mode)))
	}
	os.Exit(m.Run())
}

// nodesFirst reads a simulated cluster's nodes, then the pods of those that are on the
// screen, and the whole when it is ordered to.
type nodesFirst struct {
	of      *world.World
	whole   *realtime.World
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
	r := clitest.OpenRaw(t, "nodes first")
	r.Shows("reading pods")
	if err := pty.Setsize(r.Control, &pty.Winsize{Rows: 36, Cols: 100}); err != nil { // three tables have no room for pods
		t.Fatal(err)
	}
	r.Until("the pods of a node", func(out string) bool { return anyPods.MatchString(out) })
	if err := r.Cmd.Process.Signal(syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Control.WriteString("q"); err != nil {
		t.Fatal(err)
	}
	r.Exits(0)
	r.AsItWas()
}

var anyPods = regexp.MustCompile(`\d+ pods?`)

// A watch that panics or fails says so on the screen, leaves the last picture there, and
// the terminal as it was once the user has left.
func TestAWatchThatFailsSaysSo(t *testing.T) {
	for mode, says := range map[string]string{"crash in the watch": "internal error: as ordered", "failure of the watch": "failed as ordered"} {
		t.Run(mode, func(t *testing.T) {
			r := clitest.OpenRaw(t, mode)
			r.Shows("outdated")
			if err := r.Cmd.Process.Signal(syscall.SIGUSR1); err != nil {
				t.Fatal(err)
			}
			r.Shows("the watch stopped: " + says)
			r.Shows("sends no more updates")
			if _, err := r.Control.WriteString("q"); err != nil {
				t.Fatal(err)
			}
			r.Exits(exitcode.WrongUse)
			r.AsItWas()
		})
	}
}

// What cannot be read closes the screen that says so, and is told below it.
func TestAWatchThatCannotReadLeaves(t *testing.T) {
	r := clitest.OpenRaw(t, "no such group")
	r.Shows("reading the cluster and the group")
	if err := r.Cmd.Process.Signal(syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	r.Shows("\x1b[?1049l")
	r.Shows("there is no such group")
	r.Exits(exitcode.WrongUse)
	r.AsItWas()
}

// SIGINT, which another user sends where ctrl-c is a key, ends a screen that only
// shows, and the terminal is as it was.
func TestSIGINTRestoresTheTerminalOfWhoLooks(t *testing.T) {
	for mode, seen := range map[string]string{"watch": "outdated", "picker": "ng-web"} {
		t.Run(mode, func(t *testing.T) {
			r := clitest.OpenRaw(t, mode)
			r.Shows(seen)
			if err := r.Cmd.Process.Signal(syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
			r.Exits(0)
			r.Cooked()
			r.Shows("\x1b[?1049l")
		})
	}
}

// A watch in lines is left by ctrl-c, SIGTERM, q and the end of what is typed, always with
// the exit code of one that did its work.
func TestLeavingAWatchInLines(t *testing.T) {
	for name, leave := range map[string]func(*clitest.Typist){
		"ctrl-c": (*clitest.Typist).Signal,
		"SIGTERM": func(p *clitest.Typist) {
			if err := p.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
		},
		"q":      func(p *clitest.Typist) { p.Types("q\n") },
		"ctrl-d": func(p *clitest.Typist) { p.Types("\x04") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := clitest.TypeAt(t, clitest.HelperEnv+"=lines")
			p.Hears("READ-ONLY: this watches and changes nothing")
			p.Hears("no run is under way")
			leave(p)
			if code := p.Exit(); code != 0 {
				t.Errorf("exit code %d\n%s", code, p.Text)
			}
			if strings.ContainsRune(p.Text, '\x1b') {
				t.Errorf("told with escape sequences:\n%q", p.Text)
			}
		})
	}
}

// A watch in a pipe continues when its input ends, and ends without a word when nobody reads
// it any more.
func TestAWatchInAPipe(t *testing.T) {
	t.Parallel()
	for _, ends := range []bool{true, false} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), clitest.HelperEnv+"=lines")
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
	p := clitest.TypeAt(t, clitest.HelperEnv+"=failure of the lines")
	p.Hears("no run is under way")
	if err := p.Cmd.Process.Signal(syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	p.Hears("The watch has ended: no more updates.\n(?s:.*)drainboard: failed as ordered")
	if code := p.Exit(); code != exitcode.WrongUse || strings.Count(p.Text, "failed as ordered") != 1 {
		t.Errorf("exit code %d\n%s", code, p.Text)
	}
}
