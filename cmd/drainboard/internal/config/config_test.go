package config

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/themes"
	"github.com/drainboard/drainboard/ui"
)

// write puts files into a directory, by their paths in it, whole at once.
func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, data := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file+".new", []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(file+".new", file); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTheDocumentedConfigurationIsRead(t *testing.T) {
	doc, err := os.ReadFile("../../../../docs/reference/config.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(doc), "```yaml\ntheme:")
	block, _, closed := strings.Cut(rest, "```")
	if !found || !closed {
		t.Fatal("docs/reference/config.md has no example of config.yaml")
	}
	got, err := parseConfig("config.yaml", []byte("theme:"+block))
	want := config{theme: "auto", notify: true, contexts: []contextConfig{{"*prod*", "high-contrast", "PRODUCTION"}, {"*stag*", "", "staging"}}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestABrokenConfigurationIsToldAndTheRestOfItCounts(t *testing.T) {
	for _, c := range []struct {
		data string
		want config
		err  string
	}{
		{"", config{notify: true}, ""},
		{"theme: dark\nnotify: false\nmouse: true\nbackground: light\n", config{theme: "dark", background: "light", Mouse: true}, ""},
		{"tehme: dark\ncontexts:\n- match: p*\n  mark: PRODUCTION\n", config{notify: true, contexts: []contextConfig{{"p*", "", "PRODUCTION"}}}, `config.yaml, line 1: unknown: "tehme"; did you mean "theme"?`},
		{"contexts:\n- match: p*\n  makr: X\n  theme: dark\n", config{notify: true, contexts: []contextConfig{{"p*", "dark", ""}}}, `config.yaml, line 3: contexts[0]: unknown: "makr"; did you mean "mark"?`},
		{"contexts:\n- mark: X\n", config{notify: true, contexts: []contextConfig{{"", "", "X"}}}, `config.yaml, line 2: contexts[0]: needs match: a pattern of kubeconfig contexts, such as "prod-*"`},
		{"contexts:\n- match: \"[a\"\n", config{notify: true, contexts: []contextConfig{{"[a", "", ""}}}, `config.yaml, line 2: contexts[0].match: "[a" is not a pattern`},
		{"background: grey\n", config{notify: true}, `config.yaml, line 1: background: unknown: "grey"; known are auto, dark, light`},
		{"notify: perhaps\n", config{notify: true}, `config.yaml, line 1: notify: "perhaps" is neither true nor false`},
		{"contexts: [\n", config{notify: true}, `config.yaml, line 1: not YAML: `},
	} {
		got, err := parseConfig("config.yaml", []byte(c.data))
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q: %+v, want %+v", c.data, got, c.want)
		}
		if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.HasPrefix(err.Error(), c.err)) {
			t.Errorf("%q: error %v, want %s", c.data, err, c.err)
		}
	}
}

func TestTheFirstContextThatMatchesCounts(t *testing.T) {
	c := config{contexts: []contextConfig{{match: "prod-eu"}, {match: "prod-*"}, {match: "*prod*"}, {match: "dev-?"}, {match: "", mark: "NEVER"}}}
	for context, want := range map[string]string{
		"prod-eu": "prod-eu", "prod-us": "prod-*", "arn:aws:eks:eu-west-1:111122223333:cluster/prod": "*prod*",
		"dev-1": "dev-?", "dev-11": "", "staging": "",
	} {
		if got := c.in(context); got.match != want {
			t.Errorf("%s: %q, want %q", context, got.match, want)
		}
	}
}

func TestWhereTheConfigurationIs(t *testing.T) {
	for _, c := range []struct{ xdg, home, want string }{
		{"/x", "/home/ana", "/x/drainboard"},
		{"", "/home/ana", "/home/ana/.config/drainboard"},
		{"relative", "/home/ana", "/home/ana/.config/drainboard"},
		{"", "", ""},
	} {
		if got := ConfigDir(func(name string) string {
			return map[string]string{"XDG_CONFIG_HOME": c.xdg, "HOME": c.home}[name]
		}); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// A flag goes before the environment, that before the context, that before the
// rest of the file.
func TestWhoseThemeCounts(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"config.yaml":      "theme: light\nmouse: true\nnotify: false\ncontexts:\n- {match: \"prod-*\", theme: high-contrast, mark: PRODUCTION}\n- {match: stage, mark: staging}\n- {match: lit, theme: lit, mark: x}\n- {match: path, theme: themes/mine.yaml}\n",
		"themes/mine.yaml": "based-on: dark\n",
		"themes/dark.yaml": "based-on: colour-blind\n",
	})
	for _, c := range []struct {
		l           ThemeSources
		theme, mark string
	}{
		{ThemeSources{Dir: dir}, "light", ""},
		{ThemeSources{Dir: dir, Context: "prod-eu"}, "high-contrast", "PRODUCTION"},
		{ThemeSources{Dir: dir, Context: "prod-eu", Env: "16"}, "16", "PRODUCTION"},
		{ThemeSources{Dir: dir, Context: "prod-eu", Env: "16", Flag: "none"}, "none", "PRODUCTION"},
		{ThemeSources{Dir: dir, Context: "stage"}, "light", "staging"},
		{ThemeSources{Dir: dir, Flag: "mine"}, "mine", ""},
		{ThemeSources{Dir: dir, Context: "path"}, "mine", ""},
		{ThemeSources{Dir: dir, Flag: filepath.Join(dir, "themes", "mine.yaml")}, "mine", ""},
		{ThemeSources{Dir: dir, Flag: "auto", Context: "prod-eu"}, "auto", "PRODUCTION"},
		{ThemeSources{Dir: filepath.Join(dir, "nowhere")}, "auto", ""},
		{ThemeSources{}, "auto", ""},
		{ThemeSources{Env: "colour-blind"}, "colour-blind", ""},
	} {
		got, cfg, _ := c.l.Read(themes.Theme{})
		if got.Theme.Name != c.theme || got.Mark != c.mark || got.Problem != "" {
			t.Errorf("%+v: theme %q, mark %q, problem %q", c.l, got.Theme.Name, got.Mark, got.Problem)
		}
		if c.l.Dir == dir && (!cfg.Mouse || !got.Silent) {
			t.Errorf("%+v: mouse %v, silent %v", c.l, cfg.Mouse, got.Silent)
		}
	}
	shadowed, _, _ := ThemeSources{Dir: dir, Flag: "dark"}.Read(themes.Theme{})
	if shadowed.Theme.Good != themes.ColourBlind.Good {
		t.Error("a file of the operator's does not go before a built-in theme")
	}
}

func TestTheBackgroundCanBeSettled(t *testing.T) {
	dir := t.TempDir()
	for background, want := range map[string]themes.Style{"light": themes.HighContrast.OnLight.Good, "dark": themes.HighContrast.Good} {
		write(t, dir, map[string]string{"config.yaml": "theme: high-contrast\nbackground: " + background + "\n"})
		got, _, _ := ThemeSources{Dir: dir}.Read(themes.Theme{})
		for _, dark := range []bool{true, false} {
			if s := got.Theme.On(themes.Terminal{Colours: 256, Dark: dark}).Good; s != want {
				t.Errorf("background: %s on a terminal that is dark: %v has %v, want %v", background, dark, s, want)
			}
		}
	}
}

func TestWhatIsWrongIsToldAndLeavesTheThemeBefore(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"config.yaml":        "theme: broken\nmouse: maybe\ncontexts:\n- {match: prod, theme: nowhere, mark: PRODUCTION}\n",
		"themes/broken.yaml": "roles:\n  goood: {fg: 1}\n",
	})
	for _, c := range []struct {
		l       ThemeSources
		before  themes.Theme
		theme   string
		problem string
	}{
		{ThemeSources{Dir: dir}, themes.Theme{}, "", `config.yaml, line 2: mouse: "maybe" is neither true nor false; themes/broken.yaml, line 2: roles: unknown: "goood"; did you mean "good"?; the theme is auto`},
		{ThemeSources{Dir: dir}, themes.Light, "light", `config.yaml, line 2: mouse: "maybe" is neither true nor false; themes/broken.yaml, line 2: roles: unknown: "goood"; did you mean "good"?; the theme is light`},
		{ThemeSources{Dir: dir, Context: "prod"}, themes.Theme{}, "", `config.yaml, line 2: mouse: "maybe" is neither true nor false; unknown theme "nowhere"; choose from auto, dark, light, high-contrast, colour-blind, 16, none, broken; the theme is auto`},
		{ThemeSources{Env: "drak"}, themes.Theme{}, "", `unknown theme "drak"; choose from auto, dark, light, high-contrast, colour-blind, 16, none; the theme is auto`},
	} {
		got, _, _ := c.l.Read(c.before)
		if got.Theme.Name != c.theme || got.Problem != c.problem || c.l.Context == "prod" && got.Mark != "PRODUCTION" {
			t.Errorf("%+v: theme %q, mark %q, problem\n%s\nwant\n%s", c.l, got.Theme.Name, got.Mark, got.Problem, c.problem)
		}
	}
}

// following follows files and waits for what is told.
type following struct {
	t    *testing.T
	told chan ui.Appearance
}

func followed(t *testing.T, l ThemeSources) (following, ui.Appearance) {
	first, _, seen := l.Read(themes.Theme{})
	f := following{t, make(chan ui.Appearance)}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { l.Follow(ctx, time.Millisecond, first.Theme, seen, f.told); close(ended) }()
	t.Cleanup(func() { stop(); <-ended })
	return f, first
}

func (f following) next() ui.Appearance {
	f.t.Helper()
	select {
	case a := <-f.told:
		return a
	case <-time.After(10 * time.Second):
		f.t.Fatal("a change was not seen")
		return ui.Appearance{}
	}
}

// Files that come, change, break, are mended and go, by renaming, in place
// and behind links, are seen; a broken one leaves the theme before and says so.
func TestFilesAreFollowed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "drainboard") // comes later
	f, first := followed(t, ThemeSources{Dir: dir, Context: "prod"})
	if first.Theme.Name != "auto" || first.Problem != "" {
		t.Fatalf("at the start: %+v", first)
	}
	write(t, dir, map[string]string{"config.yaml": "theme: mine\ncontexts:\n- {match: prod, mark: PRODUCTION}\n"})
	if a := f.next(); a.Mark != "PRODUCTION" || a.Theme.Name != "auto" || !strings.Contains(a.Problem, `unknown theme "mine"`) {
		t.Fatalf("a configuration that comes: %+v", a)
	}
	write(t, dir, map[string]string{"themes/mine.yaml": "roles: {good: {fg: 1}}\n"})
	if a := f.next(); a.Theme.Good.FG != "1" || a.Problem != "" {
		t.Fatalf("a theme that comes: %+v", a)
	}
	write(t, dir, map[string]string{"themes/mine.yaml": "roles:\n  good: {fg: green}\n"})
	if a := f.next(); a.Theme.Good.FG != "1" || a.Mark != "PRODUCTION" || !strings.HasPrefix(a.Problem, `themes/mine.yaml, line 2: roles.good.fg: "green" is no colour`) || !strings.HasSuffix(a.Problem, "; the theme is mine") {
		t.Fatalf("a theme that breaks: %+v", a)
	}
	mine, err := os.OpenFile(filepath.Join(dir, "themes", "mine.yaml"), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := mine.WriteString("roles: {good: {fg: 2}} # "); err != nil { // what was there becomes a comment
		t.Fatal(err)
	}
	mine.Close()
	if a := f.next(); a.Theme.Good.FG != "2" || a.Problem != "" {
		t.Fatalf("a theme that is mended in place: %+v", a)
	}
	elsewhere := t.TempDir()
	write(t, elsewhere, map[string]string{"dotfile.yaml": "theme: none\n"})
	if err := os.Remove(filepath.Join(dir, "config.yaml")); err != nil {
		t.Fatal(err)
	}
	if a := f.next(); a.Theme.Name != "auto" || a.Mark != "" {
		t.Fatalf("a configuration that goes: %+v", a)
	}
	if err := os.Symlink(filepath.Join(elsewhere, "dotfile.yaml"), filepath.Join(dir, "config.yaml")); err != nil {
		t.Fatal(err)
	}
	if a := f.next(); a.Theme.Name != "none" {
		t.Fatalf("a configuration by link: %+v", a)
	}
	write(t, elsewhere, map[string]string{"dotfile.yaml": "theme: light\nnotify: false\n"})
	if a := f.next(); a.Theme.Name != "light" || !a.Silent {
		t.Fatalf("a change behind the link: %+v", a)
	}
	select {
	case a := <-f.told:
		t.Errorf("told without a change: %+v", a)
	case <-time.After(50 * time.Millisecond):
	}
}
