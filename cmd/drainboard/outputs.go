package main

import (
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/console"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/yaml"
)

// addYAML gives -o yaml to each command that has -o json: the same documents, converted.
func (a *app) addYAML(root *cobra.Command) {
	for _, cmd := range root.Commands() {
		format := cmd.Flag("output")
		if format == nil || cmd.Name() == "report" {
			continue
		}
		run := cmd.RunE
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			if format.Value.String() != "yaml" {
				return run(cmd, args)
			}
			if err := format.Value.Set("json"); err != nil {
				return err
			}
			out := a.Out
			a.Out = yaml.NewWriter(out, false)
			defer func() { a.Out = out }()
			return run(cmd, args)
		}
	}
}

// formatAsked is the format for programs that a command line asks for, json, yaml or "", also
// one that is refused before its flags are known. The last -o counts.
func formatAsked(args []string) (format string) {
	for i, arg := range args {
		value, given := "", false
		if arg == "--" {
			break
		}
		for _, form := range []string{"--output=", "-o=", "-o"} {
			if value, given = strings.CutPrefix(arg, form); given {
				break
			}
		}
		if (arg == "-o" || arg == "--output") && i+1 < len(args) {
			value, given = args[i+1], true
		}
		switch {
		case value == "json", value == "yaml":
			format = value
		case given:
			format = ""
		}
	}
	return format
}

// programOutput is the output of a program for documents of a format.
func programOutput(root *cobra.Command, format string) io.Writer {
	if format == "yaml" {
		return yaml.NewWriter(root.OutOrStdout(), console.Wrote(root.OutOrStdout()))
	}
	return root.OutOrStdout()
}

// printingCommands are the commands that do nothing but print, as each does that is asked for
// its help. Their exit code tells also whether all of it was written; that of other commands is
// about the run.
var printingCommands = []string{"groups", "plan", "status", "report", "version", "completion", "help"}

// withLost returns how a command ended: a printing one fails where a part of its output was lost.
func withLost(cmd *cobra.Command, err error) error {
	help := cmd.Flag("help")
	prints := slices.Contains(printingCommands, cmd.Name()) || help != nil && help.Changed
	if code := exitcode.Of(err); prints && (code == 0 || code == exitcode.NodesLeft) {
		if lost := console.Lost(cmd.OutOrStdout()); lost != nil {
			return lost
		}
	}
	return err
}
