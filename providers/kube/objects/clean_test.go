package objects

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSentence(t *testing.T) {
	got := Sentence(strings.Repeat("ä", 2000))
	if !utf8.ValidString(got) || len(got) > 610 || !strings.HasSuffix(got, "…") {
		t.Errorf("%d bytes: %q", len(got), got)
	}
}
