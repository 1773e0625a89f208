package size

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// starts is how often a program is started: most of what it has in memory are pages of its
// file, and how many of them the kernel maps differs a little.
const starts = 5

// Memory is the most memory (RSS) that a program ever had until it writes its first line, in
// bytes, the median of some starts. It is that of a fresh copy: the kernel maps whole the pieces
// in which it has a file in its cache, and of a file that was read at a stretch, as cat does,
// these are up to 2 MB (22.5 MB became 32).
func Memory(ctx context.Context, path string, args ...string) (float64, error) {
	dir, err := os.MkdirTemp("", "size")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	if path, err = installed(dir, path); err != nil {
		return 0, err
	}
	var all []float64
	for range starts {
		one, err := memory(ctx, path, args...)
		if err != nil {
			return 0, err
		}
		all = append(all, one)
	}
	slices.Sort(all)
	return all[starts/2], nil
}

// installed copies a program to a folder, page by page.
func installed(dir, path string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	to := filepath.Join(dir, filepath.Base(path))
	f, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o700)
	if err != nil {
		return "", err
	}
	for page := range slices.Chunk(text, os.Getpagesize()) {
		if _, err := f.Write(page); err != nil {
			f.Close()
			return "", err
		}
	}
	return to, f.Close()
}

// memory is that of one start. The program writes into a pipe that is full, so that it is still there to be asked: what the
// kernel tells of a process that has ended counts its parent's memory, too.
func memory(ctx context.Context, path string, args ...string) (float64, error) {
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
	look := time.NewTicker(25 * time.Millisecond)
	defer look.Stop()
	for still := 0; still < 20; still++ {
		select {
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		case <-look.C:
		}
		now, err := Peak(cmd.Process.Pid)
		if err != nil {
			return 0, err
		}
		if now > most {
			most, still = now, 0
		}
	}
	return most, nil
}

// Peak is the most memory (RSS) that a process ever had, in bytes, from Linux's /proc
// (proc(5): VmHWM of status).
func Peak(pid int) (float64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kb, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			return kb * 1024, err
		}
	}
	return 0, fmt.Errorf("process %d has no VmHWM", pid)
}
