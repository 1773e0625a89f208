package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
)

// helpWidth is how many columns a line of the help has at most.
const helpWidth = 100

// flagGroup is a heading of the help, and the flags below it in their order.
type flagGroup struct {
	heading string
	flags   []string
}

// flagGroups are the headings, what is needed most often first. Each flag is below one.
var flagGroups = []flagGroup{
	{"Common", []string{"auto", "yes", "dry-run", "compare", "save", "hash-names", "from", "detailed-exitcode", "plain", "output", "no-headers", "no-descriptions", "to", "scenario", "speed", "tour", "provider", "strategy", "reason", "retire", "wait", "theme", "version", "help"}},
	{"Groups and target", []string{"all", "keep-going", "only", "all-nodes", "launch-template-version", "ami", "kubernetes-version"}},
	{"Pace", []string{
		"max-unavailable", "max-surge", "order", "seed", "until", "post-drain-wait", "node-ready-timeout", "terminate-timeout", "pending-limit", "gate-pause", "on-trouble",
		"expect-label", "max-failed-nodes", "retire-surge", "unreachable", "unreachable-after",
	}},
	{"Drain", []string{"drain-timeout", "on-drain-timeout", "force", "force-unmanaged", "delete-emptydir-data", "singles", "eviction-retry", "evictions-at-once"}},
	{"Approval", []string{"approve", "batch-size", "canary-watch", "interactive", "batch", "hash"}},
	{"Hooks and metrics", []string{"hook", "webhook", "webhook-format", "hook-timeout", "blocked-for", "without-hooks", "metrics", "metrics-push", "metrics-file"}},
	{"Run record", []string{"record", "record-timeout", "record-namespace"}},
	{"kops", []string{
		"cluster-name", "state", "cloudonly", "instance-group", "instance-group-roles", "bastions-at-once", "bastion-interval", "control-plane-interval", "node-interval",
		"validate-count", "validation-timeout", "validate-retry", "validate-pause", "fail-on-validate-error", "fail-on-drain-error", "drain-and-terminate", "deregister-limit", "allow-quorum-loss",
	}},
	{"Gardener", []string{
		"garden-kubeconfig", "shoot", "control-kubeconfig", "control-namespace", "wait-for-start", "max-evict-retries", "health-timeout", "node-conditions",
		"change", "shoot-file", "machine-image-version", "operation", "cloud-profile",
	}},
	{"EKS", []string{"release-version", "update-strategy", "retry", "help-along", "node-groups-at-once"}},
	{"Cluster and cloud", []string{"kubeconfig", "context", "cluster", "region", "profile", "start-timeout"}},
}

// otherFlags is the heading of flags that belong to none: those of cobra's own commands.
const otherFlags = "Other"

// offlineCommands ask neither cluster nor cloud, so their help is without the flags that lead there.
var offlineCommands = []string{"demo", "version", "completion", "help", "man"}

// groupedFlags are the flags of a command below their headings; headings without one are
// left out.
func groupedFlags(cmd *cobra.Command) (out []flagGroup) {
	have := map[string]bool{}
	note := func(f *pflag.Flag) {
		if !f.Hidden {
			have[f.Name] = true
		}
	}
	cmd.LocalFlags().VisitAll(note)
	if !slices.Contains(offlineCommands, cmd.Name()) {
		cmd.InheritedFlags().VisitAll(note)
	}
	for _, g := range flagGroups {
		var names []string
		for _, name := range g.flags {
			if have[name] {
				names = append(names, name)
				delete(have, name)
			}
		}
		if len(names) > 0 {
			out = append(out, flagGroup{g.heading, names})
		}
	}
	if len(have) > 0 {
		var names []string
		for name := range have {
			names = append(names, name)
		}
		slices.Sort(names)
		out = append(out, flagGroup{otherFlags, names})
	}
	return out
}

// flagUsages are lines for some flags of a command.
func flagUsages(cmd *cobra.Command, names []string) string {
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	set.SortFlags = false
	for _, name := range names {
		set.AddFlag(cmd.Flag(name))
	}
	return set.FlagUsagesWrapped(helpWidth)
}

// writeHelp writes what a command does, and its usage.
func writeHelp(w io.Writer, cmd *cobra.Command) {
	long := cmd.Long
	if long == "" {
		long = cmd.Short + "."
	}
	fmt.Fprintln(w, reflowed(long)+"\n")
	writeUsage(w, cmd)
}

// writeUsage writes how a command is called: cobra's own templates would look methods up
// by name.
func writeUsage(w io.Writer, cmd *cobra.Command) {
	fmt.Fprintln(w, "Usage:")
	if cmd.Runnable() {
		fmt.Fprintln(w, "  "+cmd.UseLine())
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintln(w, "  "+cmd.CommandPath()+" COMMAND")
	}
	if cmd.Example != "" {
		fmt.Fprintln(w, "\nExamples:\n"+cmd.Example)
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintln(w, "\nCommands:")
		for _, sub := range cmd.Commands() {
			if sub.IsAvailableCommand() || sub.Name() == "help" {
				const indent = 13
				fmt.Fprintf(w, "  %-*s%s\n", indent-2, sub.Name(), hanging(sub.Short, indent))
			}
		}
	}
	for _, g := range groupedFlags(cmd) {
		fmt.Fprintf(w, "\n%s flags:\n%s", g.heading, flagUsages(cmd, g.flags))
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(w, "\n%s COMMAND --help shows the flags of a command.\n", cmd.CommandPath())
	}
}

// reflowed has the paragraphs of a text in lines of helpWidth. A line that is indented stays
// one, and if it is too long its last column is wrapped.
func reflowed(text string) string {
	var out, words []string
	flush := func() {
		if len(words) > 0 {
			out = append(out, wrapped(words, helpWidth)...)
			words = nil
		}
	}
	for line := range strings.SplitSeq(text, "\n") {
		if line == "" || line[0] == ' ' || line[0] == '\t' {
			flush()
			out = append(out, column(line))
			continue
		}
		words = append(words, strings.Fields(line)...)
		if strings.HasSuffix(line, ":") {
			flush()
		}
	}
	flush()
	return strings.TrimRight(strings.Join(out, "\n"), "\n")
}

// column wraps what follows the last wide gap of a line that is too long.
func column(line string) string {
	if utf8.RuneCountInString(line) <= helpWidth {
		return line
	}
	from := strings.LastIndex(line, "  ") + len("  ")
	return line[:from] + hanging(line[from:], utf8.RuneCountInString(line[:from]))
}

// hanging wraps a text whose first line begins at a column, the others below it.
func hanging(text string, indent int) string {
	return strings.Join(wrapped(strings.Fields(text), helpWidth-indent), "\n"+strings.Repeat(" ", indent))
}

// wrapped puts words into lines of a width.
func wrapped(words []string, width int) (lines []string) {
	line := ""
	for _, word := range words {
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width:
			lines = append(lines, line)
			line = word
		default:
			line += " " + word
		}
	}
	return append(lines, line)
}

// meant are words that other programs have for a command.
var meant = map[string][]string{
	"groups":  {"get", "ls", "list", "nodegroups", "instancegroups"},
	"upgrade": {"update", "roll", "rolling-update", "rollout", "drain"},
	"plan":    {"diff", "preview", "simulate"},
	"status":  {"describe", "show", "info"},
	"watch":   {"top", "dashboard", "ui"},
	"abort":   {"cancel", "stop", "rollback", "undo"},
	"resume":  {"continue", "unpause"},
	"report":  {"history", "logs", "log", "journal"},
}

// addHelp gives a program its help: grouped flags, examples, and commands that were mistyped.
func addHelp(root *cobra.Command) {
	root.SetFlagErrorFunc(flagError)
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { writeHelp(cmd.OutOrStdout(), cmd) })
	root.SetUsageFunc(func(cmd *cobra.Command) error { writeUsage(cmd.OutOrStdout(), cmd); return nil })
	root.SetHelpCommand(&cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Show the help of a command",
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
			if of, rest, err := root.Find(args); err == nil && len(rest) == 0 {
				for _, sub := range of.Commands() {
					if sub.IsAvailableCommand() {
						names = append(names, sub.Name()+"\t"+sub.Short)
					}
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			of, rest, err := root.Find(args)
			switch {
			case err == nil && len(rest) == 0:
			case of == nil || of == root:
				return exitcode.Usage(noSuchCommand(root, args))
			default:
				return exitcode.Usage(fmt.Errorf("%s has no subcommand %q", of.CommandPath(), rest[0]))
			}
			of.InitDefaultHelpFlag()
			return of.Help()
		},
	})
	root.InitDefaultHelpCmd()
	for _, cmd := range root.Commands() {
		cmd.SuggestFor = meant[cmd.Name()]
		cmd.Example = examplesOf(cmd.Name())
	}
	root.Example = examplesOf("")
}
