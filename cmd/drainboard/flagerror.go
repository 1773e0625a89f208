package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
)

// flagError says what is wrong with a flag: which form its value has, or which flag may have
// been meant.
func flagError(cmd *cobra.Command, err error) error {
	var (
		invalid   *pflag.InvalidValueError
		unknown   *pflag.NotExistError
		valueless *pflag.ValueRequiredError
	)
	switch {
	case errors.As(err, &invalid):
		return exitcode.Usage(fmt.Errorf("--%s: %s", invalid.GetFlag().Name, formOfValue(invalid.GetFlag(), invalid.GetValue())))
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() != "":
		return exitcode.Usage(fmt.Errorf("there is no flag -%s; %s --help lists them", unknown.GetSpecifiedName(), cmd.CommandPath()))
	case errors.As(err, &unknown):
		name := unknown.GetSpecifiedName()
		if have := commandsWith(cmd.Root(), name); have != "" {
			return exitcode.Usage(fmt.Errorf("%s has no flag --%s; it is one of %s", cmd.CommandPath(), name, have))
		}
		if meant := nearestFlag(cmd, name); meant != "" {
			return exitcode.Usage(fmt.Errorf("there is no flag --%s; did you mean --%s?", name, meant))
		}
		return exitcode.Usage(fmt.Errorf("there is no flag --%s; %s --help lists them", name, cmd.CommandPath()))
	case errors.As(err, &valueless):
		return exitcode.Usage(fmt.Errorf("--%s needs a value", valueless.GetFlag().Name))
	}
	return exitcode.Usage(err)
}

// formOfValue says which form a flag's value has, and that this one has not.
func formOfValue(f *pflag.Flag, value string) string {
	switch f.Value.Type() {
	case "duration":
		return fmt.Sprintf("%q is not a duration: it needs a unit, such as 90s, 15m or 2h", value)
	case "bool":
		if f.Name == "dry-run" {
			return fmt.Sprintf("takes no value such as %q: --dry-run alone shows the plan and changes nothing", value)
		}
		return fmt.Sprintf("it is on or off (=true, =false), not %q", value)
	case "int":
		return fmt.Sprintf("%q is not a whole number", value)
	case "uint64":
		return fmt.Sprintf("%q is not a whole number of 0 or more", value)
	case "float64":
		return fmt.Sprintf("%q is not a number", value)
	}
	return fmt.Sprintf("%q cannot be read", value)
}

// commandsWith names the commands that have a flag of their own, "" for none.
func commandsWith(root *cobra.Command, flag string) string {
	var names []string
	for _, cmd := range root.Commands() {
		if f := cmd.LocalNonPersistentFlags().Lookup(flag); f != nil && !f.Hidden && !cmd.Hidden {
			names = append(names, cmd.Name())
		}
	}
	return strings.Join(names, ", ")
}

// nearestFlag is the flag of a command whose name is a few letters off, "" for none.
func nearestFlag(cmd *cobra.Command, name string) (nearest string) {
	least := min(len(name)/3, 3) + 1
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if far := levenshtein.ComputeDistance(name, f.Name); far < least && !f.Hidden {
			least, nearest = far, f.Name
		}
	})
	return nearest
}
