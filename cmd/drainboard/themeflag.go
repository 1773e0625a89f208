package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/themes"
)

// themeFlag adds --theme to a command with a dashboard.
func (a *app) themeFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.Theme, "theme", a.Theme, "theme of the dashboard: "+strings.Join(themes.Names(), ", ")+", or one of your own (docs/reference/config.md)")
}
