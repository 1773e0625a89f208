//go:build !unix

package disk

import "context"

// lockDir makes the directory. It locks nothing: the lock of the group keeps other
// processes away.
func lockDir(_ context.Context, dir string) (unlock func(), err error) {
	return func() {}, makeDir(dir)
}

// syncDir does nothing where directories cannot be synced.
func syncDir(string) error { return nil }
