package main

import (
	"bytes"
	"slices"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/console"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
)

// yamlCommands are the commands whose JSON is one document, which -o yaml has as YAML.
var yamlCommands = []string{"groups", "plan", "status", "version"}

// addYAML gives commands -o yaml: what -o json has, in the same order of decisions, converted.
func (a *app) addYAML(root *cobra.Command) {
	for _, name := range yamlCommands {
		cmd, _, err := root.Find([]string{name})
		if err != nil {
			continue
		}
		run := cmd.RunE
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			format := cmd.Flag("output").Value
			if format.String() != "yaml" {
				return run(cmd, args)
			}
			if err := format.Set("json"); err != nil {
				return err
			}
			out := a.Out
			var json bytes.Buffer
			a.Out = &json
			err := run(cmd, args)
			a.Out = out
			if json.Len() == 0 {
				return err
			}
			text, failed := yaml.JSONToYAML(json.Bytes())
			if failed != nil {
				return failed
			}
			if _, failed := out.Write(text); failed != nil {
				return failed
			}
			return err
		}
	}
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
