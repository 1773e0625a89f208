package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// shells are those that completion is written for.
var shells = []string{"bash", "zsh", "fish", "powershell"}

// completionCmd takes the place of cobra's own command, which answers a shell that it does not
// know with its help and exit code 0.
func completionCmd() *cobra.Command {
	var brief bool
	cmd := &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print the script that completes commands, flags, groups, nodes and runs in a shell",
		Long: "Print the script that completes commands, flags, groups, nodes and runs in a shell.\nSHELL is bash, zsh, fish or powershell. Put it where the shell loads it when it starts:\n\n" +
			"  bash        drainboard completion bash > ~/.local/share/bash-completion/completions/drainboard\n" +
			"  zsh         drainboard completion zsh > \"${fpath[1]}/_drainboard\"\n" +
			"  fish        drainboard completion fish > ~/.config/fish/completions/drainboard.fish\n" +
			"  powershell  drainboard completion powershell >> $PROFILE",
		Args: oneShell,
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return shells, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return writeCompletion(cmd.OutOrStdout(), cmd.Root(), args[0], !brief)
		},
	}
	cmd.Flags().BoolVar(&brief, "no-descriptions", false, "omit descriptions")
	return cmd
}

// oneShell takes one argument, the name of a shell.
func oneShell(_ *cobra.Command, args []string) error {
	known := strings.Join(shells, ", ")
	switch {
	case len(args) == 0:
		return errors.New("name a SHELL: " + known)
	case len(args) > 1:
		return fmt.Errorf("one SHELL at a time, not %d", len(args))
	case !slices.Contains(shells, args[0]):
		return fmt.Errorf("%q is not one of the shells %s", args[0], known)
	}
	return nil
}

func writeCompletion(w io.Writer, root *cobra.Command, shell string, described bool) error {
	switch {
	case shell == "bash":
		return root.GenBashCompletionV2(w, described)
	case shell == "zsh" && described:
		return root.GenZshCompletion(w)
	case shell == "zsh":
		return root.GenZshCompletionNoDesc(w)
	case shell == "fish":
		return root.GenFishCompletion(w, described)
	case described:
		return root.GenPowerShellCompletionWithDesc(w)
	}
	return root.GenPowerShellCompletion(w)
}
