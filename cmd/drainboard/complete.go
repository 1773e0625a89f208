package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/complete"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/config"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/flags"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/sim/script"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/kube"
)

// words are what a flag takes, if it takes one of a few words. A tab separates what is said
// about a word. Those of one command only are below its name, as "demo provider".
func words() map[string][]string {
	w := map[string][]string{
		"provider":             backend.Providers,
		"demo provider":        {"asg", backend.Kops},
		"approve":              {"batch", "canary\tone node first, then the rest", "phase", "none"},
		"order":                {"random", "oldest", "newest", "name", "fewest-blockers", "apart"},
		"on-trouble":           {"hold\tno drain starts until it is over", "pause"},
		"update-strategy":      {"default\tnew nodes come first", "minimal\told nodes go first"},
		"unreachable":          {"wait\tthey go last", "terminate\twith the pods on them", "fail"},
		"on-drain-timeout":     {"fail", "skip", "force\tdelete what is left", "wait"},
		"instance-group-roles": {"bastion", "control-plane", "apiserver", "node"},
		"webhook-format":       config.Formats(),
		"record":               {"fitting", "discard"},
		"max-surge":            {"eks\ttwice the zones, at least max-unavailable", "fit\tas many as pods need that find no room elsewhere"},
		"output":               {"text", "json", "yaml"},
		"groups output":        {"text", "wide", "name", "json", "yaml"},
		"plan output":          {"text", "wide", "json", "yaml"},
		"report output":        {"markdown", "html"},
		"scenario":             {"list\tthe names of all"},
		"node-conditions":      world.HealthConditions,
		"launch-template-version": {
			"$Latest\tthe newest one", "$Default\tthe template's default",
		},
	}
	for _, name := range flags.OfferedStrategies() {
		w["strategy"] = append(w["strategy"], name+"\t"+strategy.About(name))
	}
	for _, s := range script.Scenarios() {
		w["scenario"] = append(w["scenario"], s.Name+"\t"+s.About)
	}
	return w
}

// fileFlags are the flags that take a file, which the shell completes itself.
var fileFlags = []string{"kubeconfig", "garden-kubeconfig", "control-kubeconfig", "change", "shoot-file", "cloud-profile", "to", "state", "metrics-file", "save", "from"}

// groupCommands are the commands that take groups; those that are true take several.
var groupCommands = map[string]bool{
	"upgrade": true, "plan": true, "watch": false, "status": false, "pause": false, "resume": false, "approve": false, "abort": false, "retire": false,
}

// addCompletion says for each argument and flag of all commands what a shell offers. Only
// where a file is meant does it offer files.
func (a *app) addCompletion(root *cobra.Command) {
	known := words()
	for _, cmd := range append(root.Commands(), root) {
		several, takesGroups := groupCommands[cmd.Name()]
		switch {
		case takesGroups:
			cmd.ValidArgsFunction = a.completeGroups(several)
		case cmd.ValidArgsFunction == nil && !cmd.HasSubCommands() && cmd.Name() != "man":
			cmd.ValidArgsFunction = cobra.NoFileCompletions
		}
		offer := func(f *pflag.Flag) {
			if do := a.flagCompletion(known, cmd.Name(), f); do != nil {
				_ = cmd.RegisterFlagCompletionFunc(f.Name, do) // fails for one that has its own already
			}
		}
		cmd.LocalNonPersistentFlags().VisitAll(offer)
		cmd.PersistentFlags().VisitAll(offer)
	}
}

// flagCompletion completes a flag's value, nil where files are meant, or nothing.
func (a *app) flagCompletion(known map[string][]string, command string, f *pflag.Flag) cobra.CompletionFunc {
	switch f.Name {
	case "context":
		return a.completeKubeconfig(kube.Flags.Contexts)
	case "cluster":
		return a.completeKubeconfig(kube.Flags.Clusters)
	case "only":
		return listed(a.completeNodes)
	case "instance-group":
		return listed(a.completeGroups(true))
	case "hook", "webhook":
		return completeMoments
	case "order":
		return completeOrder(known["order"])
	case "theme":
		return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return a.Themes(), cobra.ShellCompDirectiveNoFileComp
		}
	}
	if slices.Contains(fileFlags, f.Name) || f.Value.Type() == "bool" {
		return nil
	}
	offered, own := known[command+" "+f.Name]
	if !own {
		offered = known[f.Name]
	}
	of := func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return offered, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
	if f.Value.Type() == "stringSlice" {
		return listed(of)
	}
	return of
}

// listed completes the last word of a list with commas, without those that are in it.
func listed(of cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		before := typed[:strings.LastIndex(typed, ",")+1]
		offered, directive := of(cmd, args, typed)
		var out []string
		for _, o := range offered {
			if word, _, _ := strings.Cut(o, "\t"); !slices.Contains(strings.Split(before, ","), word) {
				out = append(out, before+o)
			}
		}
		return out, directive
	}
}

// completeOrder completes --order by what can follow: nothing follows random, and oldest and
// newest exclude each other.
func completeOrder(all []string) cobra.CompletionFunc {
	return listed(func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		before := strings.Split(typed[:strings.LastIndex(typed, ",")+1], ",")
		var out []string
		aged := slices.Contains(before, "oldest") || slices.Contains(before, "newest")
		for _, o := range all {
			if !slices.Contains(before, "random") && !(aged && (o == "oldest" || o == "newest")) {
				out = append(out, o)
			}
		}
		return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	})
}

// completeMoments completes the WHEN of a hook; after that the command is the user's.
func completeMoments(_ *cobra.Command, _ []string, typed string) (out []string, _ cobra.ShellCompDirective) {
	if strings.Contains(typed, "=") {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	before := typed[:strings.LastIndex(typed, ",")+1]
	for _, moment := range config.Moments() {
		out = append(out, before+moment+"=")
	}
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

func (a *app) completeKubeconfig(read func(kube.Flags) []string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return read(kube.Flags{Kubeconfig: a.Flags.Kubeconfig}), cobra.ShellCompDirectiveNoFileComp
	}
}

// completeGroups completes the names of groups: the first argument, or each that is not
// there yet.
func (a *app) completeGroups(several bool) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) (out []string, _ cobra.ShellCompDirective) {
		if several || len(args) == 0 {
			for _, g := range a.names(cmd).Groups {
				if !slices.Contains(args, g.Name) {
					out = append(out, strings.TrimSuffix(g.Name+"\t"+g.About, "\t"))
				}
			}
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}

func (a *app) completeNodes(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	return a.names(cmd).Nodes, cobra.ShellCompDirectiveNoFileComp
}

// names are the groups and nodes that the flags of a command lead to.
func (a *app) names(cmd *cobra.Command) complete.Names {
	where := whereOf(cmd)
	key := fmt.Sprint(a.Flags, where, os.Getenv("KUBECONFIG"), os.Getenv("AWS_PROFILE"), os.Getenv("AWS_REGION"))
	once := live.WithPatience(cmd.Context(), nil) // a shell does not wait until a cluster is back
	return complete.Of(once, key, func(ctx context.Context) (n complete.Names, err error) {
		s, err := a.Open(ctx, where, kube.ReadRights(a.Namespace), true)
		if err != nil {
			return n, err
		}
		rows, err := s.List(ctx)
		if err != nil {
			return n, err
		}
		for _, g := range rows {
			n.Groups = append(n.Groups, complete.Group{Name: g.Called(), About: g.Running})
		}
		nodes, err := s.Nodes(ctx)
		for _, node := range nodes {
			n.Nodes = append(n.Nodes, node.Name)
		}
		slices.Sort(n.Nodes)
		return n, err
	})
}

// whereOf is where a command looks groups up, by those of its flags that say so.
func whereOf(cmd *cobra.Command) (w backend.Where) {
	for name, to := range map[string]*string{
		"provider": &w.Provider, "region": &w.Region, "profile": &w.Profile, "cluster-name": &w.Cluster, "state": &w.Store,
		"garden-kubeconfig": &w.Pools.Garden, "shoot": &w.Pools.Shoot, "control-kubeconfig": &w.Pools.Control, "control-namespace": &w.Pools.Namespace,
	} {
		if f := cmd.Flag(name); f != nil {
			*to = f.Value.String()
		}
	}
	f := cmd.Flag("cloudonly")
	w.CloudOnly = f != nil && f.Value.String() == "true"
	return w
}
