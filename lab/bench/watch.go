package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/vt"

	"github.com/drainboard/drainboard/lab"
	"github.com/drainboard/drainboard/lab/size"
	"github.com/drainboard/drainboard/lab/terminal"
	"github.com/drainboard/drainboard/lab/workload"
)

// The cluster that dashboards look at, and the terminal that they are looked at in.
const (
	watchNodes, watchPods = 1000, 10000
	watchApps             = 100 // deployments that the pods belong to, each with a budget
	watchGroup            = "ng-large"
	watchWide, watchHigh  = 200, 50

	watchQuiet  = 2 * time.Minute  // from a full cluster until its controllers have caught up
	watchStarts = 9                // of each program, one after the other
	watchPause  = 2 * time.Second  // between two of them
	watchCalm   = 10 * time.Second // from a full table until the program is at rest
	watchRest   = 30 * time.Second // for which it is then measured
)

// viewer is a program that shows the nodes of a cluster.
type viewer struct {
	name string
	args []string
	// row is what a complete row of its table looks like, and rows how many there are
	// on the screen when it is full.
	row  *regexp.Regexp
	rows int
}

// viewers are drainboard and its peers. A row of drainboard's is complete with
// zone, stage, version and pods; of the others with what they show by themselves.
var viewers = []viewer{
	{"drainboard", []string{"watch", watchGroup}, regexp.MustCompile(`│ \S+ +1[a-c] +\S (outdated|ready) +1\.\d+\.\d+ +\d+ pods? `), 30},
	{"k9s", []string{"--readonly", "--command", "nodes"}, regexp.MustCompile(`Ready +\S+ .*v1\.\d+\.\d+`), 30},
	{"eks-node-viewer", []string{"--disable-pricing"}, regexp.MustCompile(`\(\d+ pods\)`), 15},
}

// watched is what was measured of a viewer.
type watched struct {
	first []time.Duration // from its start to a full table, sorted
	cpu   float64         // of one core, at rest, in percent
	rss   float64         // the most it ever had in memory, in MB
}

// watch compares the dashboard in watch of a large lab with peers that are
// installed.
func (b *bench) watch(ctx context.Context) error {
	if b.env != "" { // one that is up already, with such a group
		env, err := b.labEnv()
		if err != nil {
			return err
		}
		return b.compareViewers(ctx, env)
	}
	return b.inLab(ctx, lab.Times{Boot: time.Second, Ready: 100 * time.Millisecond, PodReady: 100 * time.Millisecond}, func(ctx context.Context) error {
		if err := b.fillLab(ctx); err != nil {
			return err
		}
		if err := sleep(ctx, watchQuiet); err != nil {
			return err
		}
		return b.compareViewers(ctx, b.lab.Env())
	})
}

// fillLab makes the cluster that is looked at.
func (b *bench) fillLab(ctx context.Context) error {
	p := workload.Place{Namespace: "large", Group: watchGroup}
	if _, err := b.lab.AddGroup(ctx, lab.GroupOptions{Name: p.Group, Nodes: watchNodes}); err != nil {
		return err
	}
	for i := range watchApps {
		app := fmt.Sprintf("app%02d", i)
		if err := b.lab.Apply(ctx, p.MaxUnavailable(app, 10), p.Deployment(app, watchPods/watchApps)); err != nil {
			return err
		}
	}
	return b.lab.WaitReady(ctx, p.Namespace)
}

// labEnv is the environment of the lab in the directory b.env (lab up --dir).
func (b *bench) labEnv() ([]string, error) {
	file, err := os.ReadFile(filepath.Join(b.env, "env"))
	if err != nil {
		return nil, err
	}
	var env []string
	for line := range strings.Lines(string(file)) {
		if pair, ok := strings.CutPrefix(strings.TrimSpace(line), "export "); ok {
			name, value, _ := strings.Cut(pair, "=")
			env = append(env, name+"="+strings.Trim(value, "'"))
		}
	}
	return env, nil
}

func (b *bench) compareViewers(ctx context.Context, env []string) error {
	var ours watched
	for i, v := range viewers {
		path := filepath.Join(b.bin, v.name)
		if i > 0 {
			var err error
			if path, err = exec.LookPath(v.name); err != nil {
				continue
			}
		}
		got, err := b.measureViewer(ctx, v, path, env)
		switch {
		case err != nil && i > 0: // no reason not to tell of ours
			fmt.Fprintln(os.Stderr, "bench:", err)
			continue
		case err != nil:
			return err
		case i == 0:
			ours = got
			b.add(fmt.Sprintf("watch of %d nodes and %d pods at %dx%d: start to a full table, median of %d", watchNodes, watchPods, watchWide, watchHigh, watchStarts),
				seconds(at(got.first, 50)), "at most 0.7 s", fmt.Sprintf("%.2f", at(got.first, 50).Seconds()/0.7))
			b.add(fmt.Sprintf("  CPU at rest, over %s", watchRest), fmt.Sprintf("%.1f %% of a core", got.cpu), "at most 5 %", fmt.Sprintf("%.2f", got.cpu/5))
			b.add("  most memory (RSS)", fmt.Sprintf("%.0f MB", got.rss), "at most 80 MB", fmt.Sprintf("%.2f", got.rss/80))
			continue
		}
		b.add("  start beside "+v.name, seconds(at(ours.first, 50)), seconds(at(got.first, 50)), fmt.Sprintf("1/%.1f", float64(at(got.first, 50))/float64(at(ours.first, 50))))
		b.add("  CPU beside "+v.name, fmt.Sprintf("%.1f %%", ours.cpu), fmt.Sprintf("%.1f %%", got.cpu), fmt.Sprintf("1/%.0f", got.cpu/max(ours.cpu, 0.1)))
		b.add("  memory beside "+v.name, fmt.Sprintf("%.0f MB", ours.rss), fmt.Sprintf("%.0f MB", got.rss), fmt.Sprintf("1/%.1f", got.rss/ours.rss))
	}
	return nil
}

// measureViewer starts a viewer some times, and measures the last one at rest.
func (b *bench) measureViewer(ctx context.Context, v viewer, path string, env []string) (got watched, err error) {
	home, err := os.MkdirTemp("", "drainboard-bench-home-")
	if err != nil {
		return got, err
	}
	defer os.RemoveAll(home)
	for i := range watchStarts {
		if err := sleep(ctx, watchPause); err != nil {
			return got, err
		}
		cmd := exec.CommandContext(ctx, path, v.args...)
		cmd.Env = append(append(cmd.Environ(), env...), "TERM=xterm-256color", "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_STATE_HOME="+home)
		s, err := terminal.Start(cmd, vt.NewEmulator(watchWide, watchHigh))
		if err != nil {
			return got, err
		}
		err = func() error {
			defer s.Close()
			full, cancel := context.WithTimeoutCause(ctx, time.Minute, errors.New("not within a minute"))
			defer cancel()
			when, err := s.Until(full, "a full table", func() bool { return len(v.row.FindAllString(s.Text(), -1)) >= v.rows })
			if err != nil {
				return err
			}
			got.first = append(got.first, when.Sub(s.Started))
			if i < watchStarts-1 {
				return nil
			}
			if got.cpu, err = restingCPU(ctx, cmd.Process.Pid); err != nil {
				return err
			}
			got.rss, err = size.Peak(cmd.Process.Pid)
			got.rss /= size.MB
			return err
		}()
		if err != nil {
			return got, err
		}
	}
	slices.Sort(got.first)
	return got, nil
}

// restingCPU is how much of a core a process takes at rest, in percent.
func restingCPU(ctx context.Context, pid int) (float64, error) {
	if err := sleep(ctx, watchCalm); err != nil {
		return 0, err
	}
	before, err := cpuTime(pid)
	if err != nil {
		return 0, err
	}
	from := time.Now()
	if err := sleep(ctx, watchRest); err != nil {
		return 0, err
	}
	after, err := cpuTime(pid)
	return 100 * (after - before).Seconds() / time.Since(from).Seconds(), err
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}

// cpuTime is what a process has taken so far, from Linux's /proc (proc(5): utime and
// stime of stat, in hundredths of a second).
func cpuTime(pid int) (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	var sum time.Duration
	for _, i := range []int{11, 12} {
		ticks, err := strconv.Atoi(fields[i])
		if err != nil {
			return 0, err
		}
		sum += time.Duration(ticks) * 10 * time.Millisecond
	}
	return sum, nil
}
