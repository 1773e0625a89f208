package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/config"
)

// addHooks has the flags of hooks on a command.
func addHooks(cmd *cobra.Command, f *config.Hooks) {
	fl := cmd.Flags()
	fl.StringArrayVar(&f.Commands, "hook", nil, "WHEN[,WHEN]=COMMAND ARGS: run a command, without a shell (docs/hooks.md). WHEN: "+strings.Join(config.Moments(), ", "))
	fl.StringArrayVar(&f.Webhooks, "webhook", nil, "WHEN[,WHEN]=env:NAME or =file:PATH: post to the URL that is in an environment variable or a file, as Slack takes it")
	fl.DurationVar(&f.Timeout, "hook-timeout", 0, "time for one call of --hook and --webhook (default 30s)")
	fl.DurationVar(&f.BlockedFor, "blocked-for", 0, "how long a node must be blocked before --hook and --webhook on blocked are told (default 5m0s)")
	fl.BoolVar(&f.Without, "without-hooks", false, "run no hook, whatever config.yaml says and the run that goes on had")
}

// hookFlagNames are the flags of hooks: they count also for a run that goes on.
var hookFlagNames = []string{"hook", "webhook", "hook-timeout", "blocked-for", "without-hooks"}
