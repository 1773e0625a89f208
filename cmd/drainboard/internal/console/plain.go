package console

import (
	"bytes"
	"io"
	"unicode"
)

// plain is a writer that lets no control character but line ends and tabs
// through: what others wrote into a run record, or an API into its answer, cannot
// steer the terminal. Each write must hold whole characters.
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
