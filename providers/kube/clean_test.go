package kube

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestClean(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"plain", "shop/cart-1", "shop/cart-1"},
		{"letters", "Größe 大きさ", "Größe 大きさ"},
		{"escape", "a\x1b[31mred\x1b]0;title\x07", "a[31mred]0;title"},
		{"c1", "a\u009b31mb", "a31mb"},
		{"lines", "one\ntwo\tthree\r", "one two three "},
		{"separators", "a\u2028b\u00a0c", "a b c"},
		{"bidi", "a\u202eb\u2066c\u200f", "abc"},
		{"zero width", "a\u200bb\u200dc\ufeff\u2060", "abc"},
		{"soft hyphen", "a\u00adb", "ab"},
		{"invisible letters", "a\u3164\u115f\ufe0fb", "ab"},
		{"tags", "a\U000e0041b", "ab"},
		{"broken", "a\xffb", "a\ufffdb"},
		{"del", "a\x7fb", "ab"},
	} {
		if got := Clean(tt.in); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestSentence(t *testing.T) {
	got := sentence(strings.Repeat("ä", 2000))
	if !utf8.ValidString(got) || len(got) > 610 || !strings.HasSuffix(got, "…") {
		t.Errorf("%d bytes: %q", len(got), got)
	}
}

func TestCleanAll(t *testing.T) {
	in := map[string]string{"app": "cart"}
	got := cleanAll(in)
	in["new"] = "x"
	if got["new"] != "x" {
		t.Error("a clean map is copied")
	}
	if got := cleanAll(map[string]string{"a": "b\x1b"}); got["a"] != "b" {
		t.Errorf("got %q", got)
	}
}

func FuzzClean(f *testing.F) {
	f.Add("a\x1b[31m\u202e")
	f.Fuzz(func(t *testing.T, s string) {
		got := Clean(s)
		if !utf8.ValidString(got) || Clean(got) != got {
			t.Errorf("%q -> %q", s, got)
		}
		for _, r := range got {
			if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
				t.Errorf("%q keeps %U", s, r)
			}
		}
	})
}
