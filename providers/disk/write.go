package disk

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/drainboard/drainboard/engine/world"
)

// write writes a file whole or not at all: what was there stays until the new content is
// on the disk, and nil means that the name leads to the new one for good.
func write(path string, text []byte) error {
	failed := func(err error) error { return fmt.Errorf("write %s: %w", world.Clean(path), reason(err)) }
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return failed(err)
	}
	defer func() { _ = os.Remove(f.Name()) }() // once it is renamed there is nothing to remove
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err == nil {
		err = syncDir(filepath.Dir(path))
	}
	if err != nil {
		return failed(err)
	}
	return nil
}

// makeDir makes a directory that only its user reads.
func makeDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make %s: %w", world.Clean(dir), reason(err))
	}
	return nil
}
