//go:build darwin || freebsd || netbsd || openbsd

package console

import (
	"os"

	"golang.org/x/sys/unix"
)

// forgetTyped drops what was typed at a terminal and not read yet, a line that is not
// ended included.
func forgetTyped(f *os.File) {
	const read = 1 // FREAD: the input's side only
	_ = unix.IoctlSetPointerInt(int(f.Fd()), unix.TIOCFLUSH, read)
}
