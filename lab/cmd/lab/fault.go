package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/lab"
)

// dirEnv names the directory of the running lab.
const dirEnv = "DRAINBOARD_LAB"

func faultCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "fault",
		Short: "Switch faults of a running lab on and off",
		Long: `Switch faults of a running lab on and off, from another terminal. Without a
subcommand it lists them, and which are on.

  lab fault no-capacity --zone a
  lab fault webhook --message "frozen until Monday"
  lab fault clear webhook
  lab fault clear

The lab is the one of --dir, of the environment that lab up gives (` + dirEnv + `),
or the only one that runs.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return listFaults(cmd, dir) },
	}
	cmd.PersistentFlags().StringVar(&dir, "dir", os.Getenv(dirEnv), "directory of the running lab")
	for _, fault := range lab.Faults {
		cmd.AddCommand(faultOn(fault, &dir))
	}
	cmd.AddCommand(&cobra.Command{
		Use:   "clear [FAULT]",
		Short: "End all faults, or those of one name",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			control, err := lab.Dial(dir)
			if err != nil {
				return err
			}
			return control.SwitchOff(cmd.Context(), strings.Join(args, ""))
		},
	})
	return cmd
}

// faultOn is the subcommand that switches one fault on.
func faultOn(fault lab.Fault, dir *string) *cobra.Command {
	given := map[string]*string{}
	cmd := &cobra.Command{
		Use:   fault.Name,
		Short: fault.Summary,
		Long:  strings.ToUpper(fault.Summary[:1]) + fault.Summary[1:] + ". In Go: " + fault.API + ".",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			control, err := lab.Dial(*dir)
			if err != nil {
				return err
			}
			values := map[string]string{}
			for name, value := range given {
				values[name] = *value
			}
			return control.SwitchOn(cmd.Context(), fault.Name, values)
		},
	}
	for _, flag := range fault.Flags {
		given[flag.Name] = cmd.Flags().String(flag.Name, flag.Default, flag.Usage)
	}
	return cmd
}

// listFaults prints a line for each fault, and those that are on.
func listFaults(cmd *cobra.Command, dir string) error {
	out := cmd.OutOrStdout()
	for _, fault := range lab.Faults {
		fmt.Fprintf(out, "%-19s %s%s\n", fault.Name, fault.Summary, flagsOf(fault))
	}
	fmt.Fprintf(out, "%-19s %s\n\n", "clear [FAULT]", "end all faults, or those of one name")
	control, err := lab.Dial(dir)
	if err != nil {
		fmt.Fprintf(out, "%v\n", err)
		return nil
	}
	on, err := control.On(cmd.Context())
	if err != nil {
		return err
	}
	if len(on) == 0 {
		fmt.Fprintln(out, "no fault is on")
	}
	for _, fault := range on {
		fmt.Fprintln(out, "on:", fault)
	}
	return nil
}

func flagsOf(fault lab.Fault) string {
	var names []string
	for _, flag := range fault.Flags {
		names = append(names, "--"+flag.Name)
	}
	if len(names) == 0 {
		return ""
	}
	return " (" + strings.Join(names, ", ") + ")"
}
