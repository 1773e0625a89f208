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
		Short: "Tell a run from its journal: as Markdown, or as one HTML page that needs nothing else",
		Long: "What happened in a run, for those who were not there: a timeline of each node, what blocked for how long, who forced\n" +
			"what and why, and every change. It reads the journal that the machine keeps that drove the run, and asks no cluster.\n" +
			"RUN is the id of a run, a group (its last run is meant), or the file of a journal. Where several clusters have such a run\n" +
			"or group, --cluster chooses one.",
		Args:              oneRun,
		ValidArgsFunction: completeRuns,
		RunE:              func(_ *cobra.Command, args []string) error { return a.report(args[0], a.Flags.Cluster, o, to) },
	}
	cmd.Flags().StringVarP(&o, "output", "o", "", "markdown or html (default markdown, or what the name of --to ends in)")
	cmd.Flags().StringVar(&to, "to", "", "the file to write; - and nothing mean standard output")
	return cmd
}

// completeRuns are the runs and groups that there are journals of.
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

// form is a way to write a report.
type form func(io.Writer, *runreport.Report, runreport.Style) error

// formOf reads -o, which may be left to the name of the file.
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
	return nil, exitcode.Usage(fmt.Errorf("-o: %q is neither markdown nor html", o))
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
	f, err := os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600) // what a journal says is not for everybody
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
	fmt.Fprintf(a.Err, "drainboard: the report of %s is in %s\n", r.Run, to)
	return nil
}
