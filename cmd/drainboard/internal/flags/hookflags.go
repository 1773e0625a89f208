package flags

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/config"
)

// addHooks adds the flags of hooks to a command.
func addHooks(cmd *cobra.Command, f *config.Hooks) {
	fl := cmd.Flags()
	fl.StringArrayVar(&f.Commands, "hook", nil, "WHEN[,WHEN]=COMMAND ARGS: run a command, without a shell (docs/guide/notifications.md). WHEN: "+strings.Join(config.Moments(), ", "))
	fl.StringArrayVar(&f.Webhooks, "webhook", nil, "WHEN[,WHEN]=env:NAME or =file:PATH: post to the URL in an environment variable or a file")
	fl.StringVar(&f.Format, "webhook-format", "", "body of --webhook: "+strings.Join(config.Formats(), ", ")+" (default slack)")
	fl.DurationVar(&f.Timeout, "hook-timeout", 0, "timeout for one call of --hook and --webhook (default 30s)")
	fl.DurationVar(&f.BlockedFor, "blocked-for", 0, "time a node must be blocked before --hook and --webhook on blocked are called (default 5m0s)")
	fl.BoolVar(&f.Without, "without-hooks", false, "run no hooks, neither those of config.yaml nor those of the resumed run")
}

// hookFlagNames are the flags of hooks: they apply to a resumed run as well.
var hookFlagNames = []string{"hook", "webhook", "webhook-format", "hook-timeout", "blocked-for", "without-hooks"}
