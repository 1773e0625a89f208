package console

import (
	"bytes"
	"fmt"
	"io"
	"sync/atomic"
	"unicode"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
)

// plain is a writer that removes control characters except line ends and tabs, so that
// text in a run record or an API's answer cannot control the terminal. Each write must
// hold whole characters. It remembers the first error: a text is made of many writes, and not
// all of them are looked at.
type plain struct {
	w     io.Writer
	lost  atomic.Pointer[error]
	wrote atomic.Bool
}

func (p *plain) Write(b []byte) (int, error) {
	clean := bytes.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
			return -1
		}
		return r
	}, b)
	if _, err := p.w.Write(clean); err != nil {
		err = exitcode.With(exitcode.Failed, fmt.Errorf("output lost: %w", err))
		p.lost.CompareAndSwap(nil, &err)
		return 0, err
	}
	if len(clean) > 0 {
		p.wrote.Store(true)
	}
	return len(b), nil
}
