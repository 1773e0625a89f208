package podlog

import (
	"slices"
	"strings"
	"testing"
)

// What a container writes is data: no sequence of it moves or colours anything, and of a
// sequence that is taken out nothing stays.
func TestSplit(t *testing.T) {
	for log, want := range map[string][]string{
		"":                             nil,
		"\n\n":                         nil,
		"one\ntwo\n":                   {"one", "two"},
		"one\r\n\ttwo\r\n":             {"one", "    two"},
		"\x1b[1;31mfatal\x1b[0m: \x07": {"fatal:"},
		"\x1b]0;owned\x07title\x1b]8;;http://a\x1b\\link": {"titlelink"},
		"\x1b]52;c;never closed":                          nil,
		"\x1bc\x1b(Bback\x1b[2J":                          {"back"},
		"a\x00b\u202ec\u200bd\xff":                        {"abcd\uFFFD"},
	} {
		if got := Split(log); !slices.Equal(got, want) {
			t.Errorf("%q is %q, want %q", log, got, want)
		}
	}
	if got := Split(strings.Repeat("a\n", 30) + "end"); len(got) != Lines || got[Lines-1] != "end" {
		t.Errorf("%d lines, the last %q", len(got), got[len(got)-1])
	}
}

func TestCommand(t *testing.T) {
	of := PodOf("shop/web-1", "u", true)
	for want, l := range map[string]Log{
		"kubectl -n shop logs web-1 --tail=20":                   {},
		"kubectl -n shop logs web-1 -c web --previous --tail=20": {Container: "web", Previous: true},
	} {
		if got := l.Command(of); got != want || of.Ref() != "shop/web-1" {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
