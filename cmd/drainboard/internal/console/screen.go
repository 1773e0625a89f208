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

// CheckTheme refuses a --theme that there is not, before anything else is done.
func (c *Console) CheckTheme() error {
	l := c.themeSources("")
	_, err := l.Theme(l.Flag, "", map[string]string{})
	var unknown *config.UnknownTheme
	if errors.As(err, &unknown) {
		return exitcode.Usage(fmt.Errorf("--theme: %w", err))
	}
	return nil // a broken file is told on the screen
}

func (c *Console) themeSources(context string) config.ThemeSources {
	return config.ThemeSources{Dir: config.ConfigDir(os.Getenv), Flag: c.Theme, Env: os.Getenv(config.ThemeEnv), Context: context}
}

// Marked is a question with the mark of the context before it.
func (c *Console) Marked(context, question string) string {
	if look, _, _ := c.themeSources(context).Read(themes.Theme{}); look.Mark != "" {
		return look.Mark + ": " + question
	}
	return question
}

// Screen is how a dashboard looks in a kubeconfig context, and goes on following
// the operator's files until ctx ends.
func (c *Console) Screen(ctx context.Context, kubeContext string) ui.Options {
	l := c.themeSources(kubeContext)
	look, settings, seen := l.Read(themes.Theme{})
	told := make(chan ui.Appearance, 1)
	told <- look
	go live.Guarded(func() { l.Follow(ctx, config.ReadEvery, look.Theme, seen, told) }, func(err error) {
		fmt.Fprintln(Stderr(), "changes of the configuration are not followed any more:", err)
	})()
	return ui.Options{Theme: look.Theme, Mark: look.Mark, Silent: look.Silent, Mouse: settings.Mouse, Appearances: told}
}
