package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/providers/journal"
	runreport "github.com/drainboard/drainboard/providers/journal/report"
)

func (a *app) reportCmd() *cobra.Command {
	var o, to string
	cmd := &cobra.Command{
		Use:   "report RUN",
		Short: "Report on a run from its journal, as Markdown or as one self-contained HTML page",
		Long: "Report what happened in a run: a timeline of each node, what blocked it for how long, who forced what and why,\n" +
			"and every change. It reads the journal on the machine that drove the run, and needs no cluster.\n" +
			"RUN is the id of a run, a group (for its last run), or a journal file. Where several clusters have such a run\n" +
			"or group, --cluster chooses one.",
		Args:              oneRun,
		ValidArgsFunction: completeRuns,
		RunE:              func(_ *cobra.Command, args []string) error { return a.report(args[0], a.Flags.Cluster, o, to) },
	}
	cmd.Flags().StringVarP(&o, "output", "o", "", "markdown or html (default: by the extension of --to, else markdown)")
	cmd.Flags().StringVar(&to, "to", "", "file to write (default, or -: standard output)")
	return cmd
}

// completeRuns returns the runs and groups that have journals.
func completeRuns(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	dir, err := journal.Dir()
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	list, err := journal.List(dir)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var out []string
	groups := map[string]bool{}
	for _, e := range list {
		if !groups[e.Group] {
			groups[e.Group] = true
			out = append(out, e.Called()+"\tthe last run of the group")
		}
	}
	for _, e := range list {
		out = append(out, e.Run+"\t"+e.Started.Local().Format("2 Jan 2006 15:04"))
	}
	return out, cobra.ShellCompDirectiveKeepOrder
}

// form is an output format of a report.
type form func(io.Writer, *runreport.Report, runreport.Style) error

// formOf reads -o; without it the file's name decides.
func formOf(o, to string) (form, error) {
	if o == "" {
		switch strings.ToLower(filepath.Ext(to)) {
		case ".html", ".htm":
			o = "html"
		default:
			o = "markdown"
		}
	}
	switch o {
	case "markdown", "md":
		return runreport.Markdown, nil
	case "html":
		return runreport.HTML, nil
	}
	return nil, exitcode.Usage(fmt.Errorf("-o: %q is not one of markdown, html", o))
}

// report writes the report of a run.
func (a *app) report(name, cluster, o, to string) error {
	write, err := formOf(o, to)
	if err != nil {
		return err
	}
	dir, err := journal.Dir()
	if err != nil {
		return exitcode.Usage(err)
	}
	entry, err := journal.Find(dir, name, cluster)
	if err != nil {
		return exitcode.Usage(err)
	}
	r, err := runreport.Load(entry.Path)
	if err != nil {
		return exitcode.Usage(err)
	}
	style := runreport.Style{Location: time.Local}
	if to == "" || to == "-" {
		return write(a.Out, r, style)
	}
	f, err := os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600) // journals are private to the user
	if err != nil {
		return exitcode.Usage(err)
	}
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() { // a file that is written over had a mode of its own
		if err := f.Chmod(0o600); err != nil {
			_ = f.Close()
			return exitcode.Usage(err)
		}
	}
	err = write(f, r, style)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return exitcode.With(exitcode.Failed, fmt.Errorf("write %s: %w", to, err))
	}
	fmt.Fprintf(a.Err, "drainboard: report of %s written to %s\n", r.Run, to)
	return nil
}
