package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/drainboard/drainboard/themes"
	"github.com/drainboard/drainboard/ui"
)

// ThemeEnv is the environment variable with a theme for all dashboards of a shell.
const ThemeEnv = "DRAINBOARD_THEME"

// ThemeSources decides the appearance of a dashboard: a flag, an environment variable,
// the operator's files, and the kubeconfig context.
type ThemeSources struct {
	Dir       string // of config.yaml and themes/
	Flag, Env string // --theme and DRAINBOARD_THEME, "" for none
	Context   string
}

// ConfigDir is $XDG_CONFIG_HOME/drainboard, by default ~/.config/drainboard, on
// every system, as kubectl's neighbours (k9s, gh) have it; "" without a home.
func ConfigDir(getenv func(string) string) string {
	base := getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(base) { // the specification ignores relative ones
		home := getenv("HOME")
		if home == "" {
			return ""
		}
		base = filepath.Join(home, ".config")
	}
	return filepath.Join(base, "drainboard")
}

// notThere reports whether there is no such file, nor could be: the home of users without one is
// often /dev/null.
func notThere(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// Read reads the files. Errors are in the appearance's problem; after an error the theme stays
// as it was. Seen has the content of each file that counts, including
// missing ones.
func (l ThemeSources) Read(before themes.Theme) (appearance ui.Appearance, c config, seen map[string]string) {
	seen = map[string]string{}
	var problems []string
	tell := func(err error, stays string) {
		if err != nil {
			problems = append(problems, strings.ReplaceAll(err.Error(), l.Dir+string(filepath.Separator), "")+stays)
		}
	}
	c = config{notify: true}
	if l.Dir != "" {
		file := filepath.Join(l.Dir, "config.yaml")
		data, err := readSeen(file, seen)
		if err == nil {
			c, err = parseConfig(file, data)
		}
		if !notThere(err) {
			tell(err, "")
		}
	}
	here := c.in(l.Context)
	name, base := cmp.Or(l.Flag, l.Env), ""
	if name == "" {
		name, base = cmp.Or(here.theme, c.theme), l.Dir
	}
	t, err := l.Theme(name, base, seen)
	if err != nil {
		t = before
		tell(err, "; the theme is "+cmp.Or(t.Name, themes.Auto.Name))
	} else {
		t = onBackground(t, c.background)
	}
	return ui.Appearance{Theme: t, Mark: here.mark, Silent: !c.notify, Problem: strings.Join(problems, "; ")}, c, seen
}

// onBackground returns a theme's variant for a known background.
func onBackground(t themes.Theme, background string) themes.Theme {
	if background == "light" && t.OnLight != nil {
		return *t.OnLight
	}
	if background != "" {
		t.OnLight = nil
	}
	return t
}

// Theme returns the theme of a name: a path, a file of the operator's, or a built-in.
// Paths are relative to base, or to where one is.
func (l ThemeSources) Theme(name, base string, seen map[string]string) (themes.Theme, error) {
	switch {
	case name == "":
		return themes.Auto, nil
	case strings.ContainsRune(name, filepath.Separator) || strings.HasSuffix(name, themes.Ext):
		file := name
		if !filepath.IsAbs(file) {
			file = filepath.Join(base, file)
		}
		data, err := readSeen(file, seen)
		if notThere(err) {
			return themes.Theme{}, &UnknownTheme{name, l.Names()}
		}
		if err != nil {
			return themes.Theme{}, err
		}
		return themes.Parse(file, data)
	}
	if l.Dir != "" {
		file := filepath.Join(l.Dir, "themes", name+themes.Ext)
		data, err := readSeen(file, seen)
		if err == nil {
			return themes.Parse(file, data)
		}
		if !notThere(err) {
			return themes.Theme{}, err
		}
	}
	t, ok := themes.Named(name)
	if !ok {
		return themes.Theme{}, &UnknownTheme{name, l.Names()}
	}
	return t, nil
}

// unknownTheme: no theme has that name, and no file is there.
type UnknownTheme struct {
	name  string
	known []string
}

func (e *UnknownTheme) Error() string {
	return fmt.Sprintf("unknown theme %q; choose from %s", e.name, strings.Join(e.known, ", "))
}

// Names returns the known themes: the built-in ones, and those of the user.
func (l ThemeSources) Names() []string {
	names := themes.Names()
	files, err := filepath.Glob(filepath.Join(l.Dir, "themes", "*"+themes.Ext))
	if l.Dir == "" || err != nil {
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

// readSeen reads a file and notes its content.
func readSeen(file string, seen map[string]string) ([]byte, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		seen[file] = missing
		return nil, err
	}
	seen[file] = string(data)
	return data, nil
}
