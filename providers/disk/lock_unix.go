//go:build unix

package disk

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/drainboard/drainboard/engine/world"
)

// lockPause is the pause between two tries to lock a directory.
const lockPause = 10 * time.Millisecond

// lockDir keeps other processes from reading and writing records in a directory until
// unlock, which they do in a moment. It makes the directory. Where the file system knows
// no locks, it goes without: the lock of the group keeps others away.
func lockDir(ctx context.Context, dir string) (unlock func(), err error) {
	if err := makeDir(dir); err != nil {
		return nil, err
	}
	d, err := os.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", world.Clean(dir), reason(err))
	}
	unlock = func() { _ = d.Close() } // which ends the lock
	for {
		err := syscall.Flock(int(d.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return unlock, nil
		}
		select {
		case <-time.After(lockPause):
		case <-ctx.Done():
			unlock()
			return nil, fmt.Errorf("another process has locked %s", world.Clean(dir))
		}
	}
}

// syncDir has the names in a directory on the disk.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }()
	return d.Sync()
}
