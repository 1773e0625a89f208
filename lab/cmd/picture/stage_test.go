package main

import (
	"context"
	"strings"
	"testing"
	"time"
)

// sh is a picture of what a shell does.
func sh(script string) picture {
	return picture{columns: 40, rows: 5, ground: light, args: []string{"-c", script}}
}

// A key is pressed until the screen shows what it is pressed for, and not after it.
func TestPlay(t *testing.T) {
	term, err := open("/bin/sh", sh(`printf 'ready '; read a; printf 'got:%s ' "$a"; read b; printf 'then:%s ' "$b"; exec cat`))
	if err != nil {
		t.Skip("no pseudo-terminal here: ", err)
	}
	defer term.close()
	for _, s := range []step{{until: []string{"ready"}}, {press: "x"}, {press: "enter", until: []string{"got:x"}}, {press: "enter", until: []string{"then:"}}} {
		if err := term.play(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	for want, s := range map[string]step{`does not show "never"`: {until: []string{"never"}}, `still shows "ready"`: {gone: "ready"}} {
		if err := term.play(ctx, s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want that the screen %s", err, want)
		}
	}
}

// A terminal says what its ground is like: that is how a dashboard chooses a theme.
func TestTheGroundIsTold(t *testing.T) {
	term, err := open("/bin/sh", sh(`stty raw -echo; printf '\033]11;?\007'; head -c 23 | tr -d '\033\007'; exec cat`))
	if err != nil {
		t.Skip("no pseudo-terminal here: ", err)
	}
	defer term.close()
	if err := term.play(t.Context(), step{until: []string{"rgb:ffff/ffff/ffff"}}); err != nil {
		t.Error(err)
	}
}

// A program that ends early is not pictured, and says so.
func TestEndedEarly(t *testing.T) {
	p := sh("echo wrong use")
	p.steps = []step{{until: []string{"dashboard"}}}
	if _, err := p.take(t.Context(), "/bin/sh"); err == nil || !strings.Contains(err.Error(), "wrong use") {
		t.Errorf("got %v", err)
	}
}
