package main

import (
	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/console"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/driver"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/flags"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/planner"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
)

func (a *app) retireCmd() *cobra.Command {
	var face console.Face
	var where backend.Where
	var format string
	var yes bool
	cmd := &cobra.Command{
		Use:   "retire GROUP",
		Short: "Drain and terminate the surplus nodes that the group's last run left",
		Long: "Drain and terminate the surplus nodes that the group's last run left when it was aborted or failed, with that run's settings,\n" +
			"until the group has its old size. New nodes go, outdated ones stay. An unfinished run of this kind is resumed.\n\n" + exitCodes,
		Args: oneGroup,
		RunE: func(cmd *cobra.Command, args []string) error {
			asJSON, err := output(format)
			if err != nil {
				return err
			}
			if face, err = face.Fit(asJSON); err != nil {
				return err
			}
			if err := a.CheckTheme(); err != nil {
				return err
			}
			u := &driver.Upgrade{
				Console: a.Console, Face: face, Request: planner.Request{Line: flags.CommandLineOf(cmd)}, Options: a.Options, Where: where, Group: args[0],
				Yes: yes, JSON: asJSON, RecordLimit: live.RecordLimit, Retire: true,
			}
			return u.Run(cmd.Context(), record.Settings{})
		},
	}
	fl := cmd.Flags()
	fl.BoolVar(&face.Auto, "auto", false, "headless: no prompts, one line per event, exit code by result")
	fl.BoolVar(&face.Plain, "plain", false, console.PlainHelp)
	fl.BoolVarP(&yes, "yes", "y", false, "do not prompt at the start")
	fl.StringVarP(&format, "output", "o", "text", "events of --auto as text, json or yaml")
	a.themeFlag(cmd)
	flags.AddWhere(fl, &where)
	return cmd
}
