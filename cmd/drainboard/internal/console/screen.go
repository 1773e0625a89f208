package console

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/config"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/themes"
	"github.com/drainboard/drainboard/ui"
)

// CheckTheme refuses an unknown --theme, before anything else is done.
func (c *Console) CheckTheme() error {
	l := c.themeSources("")
	_, err := l.Theme(l.Flag, "", map[string]string{})
	var unknown *config.UnknownTheme
	if errors.As(err, &unknown) {
		return exitcode.Usage(fmt.Errorf("--theme: %w", err))
	}
	return nil // a broken file is reported on the dashboard
}

// Themes returns the names that --theme takes.
func (c *Console) Themes() []string { return c.themeSources("").Names() }

func (c *Console) themeSources(context string) config.ThemeSources {
	return config.ThemeSources{Dir: config.ConfigDir(os.Getenv), Flag: c.Theme, Env: os.Getenv(config.ThemeEnv), Context: context}
}

// Marked puts the mark of the context before a question.
func (c *Console) Marked(context, question string) string {
	if a, _, _ := c.themeSources(context).Read(themes.Theme{}); a.Mark != "" {
		return a.Mark + ": " + question
	}
	return question
}

// Screen returns the appearance of a dashboard in a kubeconfig context, which follows
// the operator's files until ctx ends.
func (c *Console) Screen(ctx context.Context, kubeContext string) ui.Options {
	l := c.themeSources(kubeContext)
	appearance, settings, seen := l.Read(themes.Theme{})
	told := make(chan ui.Appearance, 1)
	told <- appearance
	go live.Guarded(func() { l.Follow(ctx, config.ReadEvery, appearance.Theme, seen, told) }, func(err error) {
		fmt.Fprintln(Stderr(), "configuration changes are no longer followed:", err)
	})()
	return ui.Options{Theme: appearance.Theme, Mark: appearance.Mark, Silent: appearance.Silent, Mouse: settings.Mouse, Appearances: told}
}
