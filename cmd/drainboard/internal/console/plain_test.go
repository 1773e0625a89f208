package console

import (
	"bytes"
	"fmt"
	"testing"
)

func TestPlainLetsNoControlCharacterThrough(t *testing.T) {
	var out bytes.Buffer
	n, err := fmt.Fprint(&plain{w: &out}, "a\x1b[31mb\x07\u009b2J\u202ec\u200bd\te\n→ ü")
	if err != nil || n != len("a\x1b[31mb\x07\u009b2J\u202ec\u200bd\te\n→ ü") {
		t.Errorf("wrote %d bytes, %v", n, err)
	}
	if got, want := out.String(), "a[31mb2Jcd\te\n→ ü"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
