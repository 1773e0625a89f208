package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/themes"
	"github.com/drainboard/drainboard/ui"
)

// themeEnv is a theme for all dashboards of a shell.
const themeEnv = "DRAINBOARD_THEME"

// looks is what decides how a dashboard looks: a flag, an environment, the
// operator's files, and the kubeconfig context.
type looks struct {
	dir       string // of config.yaml and themes/
	flag, env string // --theme and DRAINBOARD_THEME, "" for none
	context   string
}

// configDir is $XDG_CONFIG_HOME/drainboard, by default ~/.config/drainboard, on
// every system, as kubectl's neighbours (k9s, gh) have it; "" without a home.
func configDir(getenv func(string) string) string {
	base := getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(base) { // the specification has relative ones ignored
		home := getenv("HOME")
		if home == "" {
			return ""
		}
		base = filepath.Join(home, ".config")
	}
	return filepath.Join(base, "drainboard")
}

// themeFlag gives a command with a dashboard its --theme.
func (a *app) themeFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.theme, "theme", a.theme, "looks of the dashboard: "+strings.Join(themes.Names(), ", ")+", or a theme of yours (docs/themes.md)")
}

// checkTheme refuses a --theme that there is not, before anything else is done.
func (a *app) checkTheme() error {
	l := a.looks("")
	_, err := l.theme(l.flag, "", map[string]string{})
	var unknown *unknownTheme
	if errors.As(err, &unknown) {
		return exitcode.Usage(fmt.Errorf("--theme: %w", err))
	}
	return nil // a broken file is told on the screen
}

func (a *app) looks(context string) looks {
	return looks{dir: configDir(os.Getenv), flag: a.theme, env: os.Getenv(themeEnv), context: context}
}

// marked is a question with the mark of the context before it.
func (a *app) marked(context, question string) string {
	if look, _, _ := a.looks(context).read(themes.Theme{}); look.Mark != "" {
		return look.Mark + ": " + question
	}
	return question
}

// read reads the files. What is wrong is in the appearance's problem; a theme that
// cannot be read leaves the one before. Seen is what each file held that has a
// say, and those that are missing.
func (l looks) read(before themes.Theme) (look ui.Appearance, c config, seen map[string]string) {
	seen = map[string]string{}
	var problems []string
	tell := func(err error, stays string) {
		if err != nil {
			problems = append(problems, strings.ReplaceAll(err.Error(), l.dir+string(filepath.Separator), "")+stays)
		}
	}
	c = config{notify: true}
	if l.dir != "" {
		file := filepath.Join(l.dir, "config.yaml")
		data, err := readSeen(file, seen)
		if err == nil {
			c, err = parseConfig(file, data)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			tell(err, "")
		}
	}
	here := c.in(l.context)
	name, base := cmp.Or(l.flag, l.env), ""
	if name == "" {
		name, base = cmp.Or(here.theme, c.theme), l.dir
	}
	t, err := l.theme(name, base, seen)
	if err != nil {
		t = before
		tell(err, "; the theme is "+cmp.Or(t.Name, themes.Auto.Name))
	} else {
		t = onBackground(t, c.background)
	}
	return ui.Appearance{Theme: t, Mark: here.mark, Silent: !c.notify, Problem: strings.Join(problems, "; ")}, c, seen
}

// onBackground is a theme's form for a background that need not be asked for.
func onBackground(t themes.Theme, background string) themes.Theme {
	if background == "light" && t.OnLight != nil {
		return *t.OnLight
	}
	if background != "" {
		t.OnLight = nil
	}
	return t
}

// theme is the theme of a name: a path, a file of the operator's, or a built-in.
// Paths are relative to base, or to where one is.
func (l looks) theme(name, base string, seen map[string]string) (themes.Theme, error) {
	switch {
	case name == "":
		return themes.Auto, nil
	case strings.ContainsRune(name, filepath.Separator) || strings.HasSuffix(name, themes.Ext):
		file := name
		if !filepath.IsAbs(file) {
			file = filepath.Join(base, file)
		}
		data, err := readSeen(file, seen)
		if errors.Is(err, fs.ErrNotExist) {
			return themes.Theme{}, &unknownTheme{name, l.names()}
		}
		if err != nil {
			return themes.Theme{}, err
		}
		return themes.Parse(file, data)
	}
	if l.dir != "" {
		file := filepath.Join(l.dir, "themes", name+themes.Ext)
		data, err := readSeen(file, seen)
		if err == nil {
			return themes.Parse(file, data)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return themes.Theme{}, err
		}
	}
	t, ok := themes.Named(name)
	if !ok {
		return themes.Theme{}, &unknownTheme{name, l.names()}
	}
	return t, nil
}

// unknownTheme: no theme has that name, and no file is there.
type unknownTheme struct {
	name  string
	known []string
}

func (e *unknownTheme) Error() string {
	return fmt.Sprintf("there is no theme %q; there are %s", e.name, strings.Join(e.known, ", "))
}

// names are the themes that can be named.
func (l looks) names() []string {
	names := themes.Names()
	files, err := filepath.Glob(filepath.Join(l.dir, "themes", "*"+themes.Ext))
	if l.dir == "" || err != nil {
		return names
	}
	for _, file := range files {
		if name := strings.TrimSuffix(filepath.Base(file), themes.Ext); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// missing stands for a file that cannot be read.
const missing = "\x00"

// readSeen reads a file and notes what it held.
func readSeen(file string, seen map[string]string) ([]byte, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		seen[file] = missing
		return nil, err
	}
	seen[file] = string(data)
	return data, nil
}
