package console

import (
	"bytes"
	"io"
	"unicode"
)

// plain is a writer that removes control characters except line ends and tabs, so that
// text in a run record or an API's answer cannot control the terminal. Each write must
// hold whole characters.
type plain struct{ w io.Writer }

func (p plain) Write(b []byte) (int, error) {
	clean := bytes.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
			return -1
		}
		return r
	}, b)
	if _, err := p.w.Write(clean); err != nil {
		return 0, err
	}
	return len(b), nil
}
