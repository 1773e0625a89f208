package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/drainboard/drainboard/lab/size"
)

// versionStarts is how often `drainboard version` is started.
const versionStarts = 9

// before is the program as it was when something in it looked methods up by name, so that
// every method of every library was kept (2,439 of EC2's client rather than 35), and with
// kustomize, all kinds of Kubernetes and the debugger's tables.
var before = struct{ mb, zipped, rss float64 }{140.5, 51.3, 40.5}

// size weighs the program, and starts it with nothing to do.
func (b *bench) size(ctx context.Context) error {
	path := filepath.Join(b.bin, "drainboard")
	p, err := size.Read(path)
	if err != nil {
		return err
	}
	memory, err := idleMemory(ctx, path, "version")
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
	mb, zipped, rss := float64(p.Bytes)/size.MB, float64(p.Zipped)/size.MB, memory
	b.add("program on disk", fmt.Sprintf("%.1f MB", mb), beside(size.MostBytes, before.mb), ratio(mb, before.mb))
	b.add("program zipped", fmt.Sprintf("%.1f MB", zipped), beside(size.MostZipped, before.zipped), ratio(zipped, before.zipped))
	b.add("drainboard version: most memory (RSS)", fmt.Sprintf("%.0f MB", rss), beside(size.MostMemory, before.rss), ratio(rss, before.rss))
	b.add(fmt.Sprintf("drainboard version: start to end, median of %d", versionStarts), fmt.Sprintf("%d ms", at(times, 50).Milliseconds()), "", "")
	return nil
}

// idleMemory is the most memory that a program ever had until it writes its first line, in
// MB. It writes into a pipe that is full, so that it is still there to be asked: what the
// kernel tells of a process that has ended counts its parent's memory, too.
func idleMemory(ctx context.Context, path string, args ...string) (float64, error) {
	from, to, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	defer from.Close()
	defer to.Close()
	fd := int(to.Fd())
	if err := syscall.SetNonblock(fd, true); err != nil {
		return 0, err
	}
	for err == nil {
		_, err = syscall.Write(fd, make([]byte, 1))
	}
	if err := syscall.SetNonblock(fd, false); err != nil {
		return 0, err
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Stdout = to
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	var most float64
	for still := 0; still < 20; still++ {
		if err := sleep(ctx, 25*time.Millisecond); err != nil {
			return 0, err
		}
		now, err := peakMemory(cmd.Process.Pid)
		if err != nil {
			return 0, err
		}
		if now > most {
			most, still = now, 0
		}
	}
	return most, nil
}

func beside(most, before float64) string {
	return fmt.Sprintf("at most %.0f MB; before: %.1f MB", most/size.MB, before)
}

func ratio(now, before float64) string { return fmt.Sprintf("1/%.1f", before/now) }
