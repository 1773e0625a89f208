package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/themes"
)

// themeFlag gives a command with a dashboard its --theme.
func (a *app) themeFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.Theme, "theme", a.Theme, "looks of the dashboard: "+strings.Join(themes.Names(), ", ")+", or a theme of yours (docs/themes.md)")
}
