package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
)

// manCmd writes the manual pages, for packages of the program.
func manCmd() *cobra.Command {
	return &cobra.Command{
		Use:    "man DIRECTORY",
		Short:  "Write the manual pages, one for each command, into a directory",
		Hidden: true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("name one DIRECTORY for the manual pages")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return exitcode.Usage(err)
			}
			for _, of := range documented(cmd.Root()) {
				var page strings.Builder
				writeMan(&page, of)
				name := strings.ReplaceAll(of.CommandPath(), " ", "-") + ".1"
				if err := os.WriteFile(filepath.Join(args[0], name), []byte(page.String()), 0o644); err != nil {
					return exitcode.With(exitcode.Failed, err)
				}
			}
			return nil
		},
	}
}

// documented are the program and its commands, but those about its help.
func documented(root *cobra.Command) []*cobra.Command {
	out := []*cobra.Command{root}
	for _, cmd := range root.Commands() {
		if _, ours := examples[cmd.Name()]; ours && cmd.Name() != "help" && !cmd.Hidden {
			out = append(out, cmd)
		}
	}
	return out
}

// writeMan writes a manual page in roff.
func writeMan(w io.Writer, cmd *cobra.Command) {
	cmd.InitDefaultHelpFlag()
	path := cmd.CommandPath()
	fmt.Fprintf(w, ".TH \"%s\" \"1\" \"\" \"drainboard\" \"User Commands\"\n", strings.ToUpper(strings.ReplaceAll(path, " ", "\\-")))
	fmt.Fprintf(w, ".SH NAME\n%s \\- %s\n", roff(strings.ReplaceAll(path, " ", "-")), roff(cmd.Short))
	fmt.Fprintf(w, ".SH SYNOPSIS\n.B %s\n", roff(cmd.UseLine()))
	long := cmd.Long
	if long == "" {
		long = cmd.Short + "."
	}
	fmt.Fprintf(w, ".SH DESCRIPTION\n.nf\n%s\n.fi\n", roff(reflowed(long)))
	for _, g := range groupedFlags(cmd) {
		fmt.Fprintf(w, ".SH %s\n", strings.ToUpper(g.heading+" flags"))
		for _, name := range g.flags {
			f := cmd.Flag(name)
			short := ""
			if f.Shorthand != "" {
				short = "-" + f.Shorthand + ", "
			}
			fmt.Fprintf(w, ".TP\n.B %s\n%s\n", roff(short+"--"+f.Name), roff(f.Usage))
		}
	}
	fmt.Fprintf(w, ".SH EXAMPLES\n.nf\n%s\n.fi\n", roff(cmd.Example))
}

// roff is a text as it may stand in a manual page: no line of it is a request.
func roff(text string) string {
	lines := strings.Split(strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
