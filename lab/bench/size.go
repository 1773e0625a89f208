package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/drainboard/drainboard/lab/size"
)

// versionStarts is how often `drainboard version` is started.
const versionStarts = 9

// before is the program of commit 11a8f645 (`go build ./cmd/drainboard` without cgo, linux/amd64),
// the last one in which something looked methods up by name, so that every method of every library
// was kept (2,439 of EC2's client rather than 35), and with kustomize, all kinds of Kubernetes and
// the debugger's tables. Its start is the median of 25 ahead of other work; the program of
// November 26, 2026 took 17 ms in turn with it.
var before = struct {
	commit          string
	mb, zipped, rss float64
	start           time.Duration
}{"11a8f645", 140.4, 51.3, 40.4, 27 * time.Millisecond}

// size weighs the program, and starts it with nothing to do.
func (b *bench) size(ctx context.Context) error {
	path := filepath.Join(b.bin, "drainboard")
	p, err := size.Read(path)
	if err != nil {
		return err
	}
	memory, err := size.Memory(ctx, path, "version")
	if err != nil {
		return err
	}
	var times []time.Duration
	for range versionStarts {
		cmd := exec.CommandContext(ctx, path, "version")
		from := time.Now()
		if err := cmd.Run(); err != nil {
			return err
		}
		times = append(times, time.Since(from))
	}
	slices.Sort(times)
	mb, zipped, rss := float64(p.Bytes)/size.MB, float64(p.Zipped)/size.MB, memory/size.MB
	b.add("program on disk", fmt.Sprintf("%.1f MB", mb), beside(size.MostBytes, before.mb), ratio(mb, before.mb))
	b.add("program zipped", fmt.Sprintf("%.1f MB", zipped), beside(size.MostZipped, before.zipped), ratio(zipped, before.zipped))
	b.add("drainboard version: most memory (RSS), median of 5", fmt.Sprintf("%.1f MB", rss), beside(size.MostMemory, before.rss), ratio(rss, before.rss))
	b.add(fmt.Sprintf("drainboard version: start to end, median of %d", versionStarts), fmt.Sprintf("%d ms", at(times, 50).Milliseconds()),
		fmt.Sprintf("before (%s): %d ms", before.commit, before.start.Milliseconds()), ratio(float64(at(times, 50)), float64(before.start)))
	return nil
}

func beside(most, was float64) string {
	return fmt.Sprintf("at most %.0f MB; before (%s): %.1f MB", most/size.MB, before.commit, was)
}

func ratio(now, before float64) string { return fmt.Sprintf("1/%.1f", before/now) }
