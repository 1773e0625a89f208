package main

import (
	"testing"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/console"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
)

func TestAnUnknownThemeIsWrongUse(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	writeFiles(t, dir, map[string]string{"drainboard/themes/mine.yaml": "based-on: dark\n", "drainboard/themes/broken.yaml": "x: 1\n"})
	for theme, code := range map[string]int{"drak": 2, "./none.yaml": 2, "mine": 0, "broken": 0, "high-contrast": 0, "": 0} {
		err := (&app{Console: console.Console{Theme: theme}}).CheckTheme()
		if got := exitcode.Of(err); got != code {
			t.Errorf("--theme %s: exit code %d, want %d", theme, got, code)
		}
		if want := "--theme: unknown theme \"" + theme + "\"; choose from auto, dark, light, high-contrast, colour-blind, 16, none, broken, mine"; err != nil && err.Error() != want {
			t.Errorf("--theme %s says %q", theme, err)
		}
	}
	if _, code := call("demo", "--auto", "--theme", "drak"); code != 2 {
		t.Errorf("demo --theme drak: exit code %d", code)
	}
}

func TestTheQuestionNamesTheMark(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	writeFiles(t, dir, map[string]string{"drainboard/config.yaml": "contexts:\n- {match: prod, mark: PRODUCTION}\n"})
	a := &app{}
	if got := a.Marked("prod", "Start?"); got != "PRODUCTION: Start?" {
		t.Errorf("%q", got)
	}
	if got := a.Marked("dev", "Start?"); got != "Start?" {
		t.Errorf("%q", got)
	}
}
