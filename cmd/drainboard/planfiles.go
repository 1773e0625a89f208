package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/flags"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/planner"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/saved"
)

// addFiles adds the flags that write the cluster of a plan to a file and read it.
func addFiles(fl *pflag.FlagSet, f *flags.Roll) {
	fl.StringVar(&f.Save, "save", "", "write the cluster as it was planned to this file, for --from (NAME.gz: compressed)")
	fl.BoolVar(&f.HashNames, "hash-names", false, "with --save: hash all names and texts")
	fl.StringVar(&f.From, "from", "", "plan from a file of --save, without a cluster or AWS")
}

// fitsFiles refuses contradictions of these flags.
func fitsFiles(f *flags.Roll, args []string) error {
	switch {
	case f.HashNames && f.Save == "":
		return exitcode.Usage(errors.New("--hash-names is for --save"))
	case f.From != "" && f.Save != "":
		return exitcode.Usage(errors.New("--from reads what --save writes: give one of them"))
	case f.Save != "" && f.Compare:
		return exitcode.Usage(errors.New("--save writes one plan: compare with --from FILE --compare"))
	case f.From != "" && len(args) > 1:
		return exitcode.Usage(errors.New("--from: the file has one group"))
	}
	return nil
}

// errSavesOne is why a plan is not saved.
func errSavesOne() error {
	return exitcode.Usage(errors.New("--save writes the plan of one group: name it, without a change of a Shoot"))
}

// errSavesRolls is why a plan is not saved whose nodes another controller replaces.
func errSavesRolls(at backend.Group) error {
	return exitcode.Usage(fmt.Errorf("--save is for groups whose nodes Drainboard drains itself: it does not drain those of %s", at.Name()))
}

// saver writes what a plan was made from to the file of --save.
func saver(f *flags.Roll, program, cluster string) func(planner.Source) error {
	return func(s planner.Source) error {
		file := saved.Of(program, cluster, s.At, s.World, s.Plan, s.Terms.Rules.Name(), s.Terms.Notes, s.Last)
		if f.HashNames {
			var err error
			if file, err = file.Hash(); err != nil {
				return fmt.Errorf("--hash-names: %w", err)
			}
		}
		if err := file.Write(f.Save); err != nil {
			return exitcode.Usage(fmt.Errorf("--save: %w", err))
		}
		return nil
	}
}

// elsewhere are flags that lead to a cluster or a cloud, or that need them.
var elsewhere = []string{
	"provider", "region", "profile", "context", "kubeconfig", "cluster", "cloudonly", "cluster-name", "state", "all", "instance-group", "instance-group-roles",
	"garden-kubeconfig", "shoot", "control-kubeconfig", "control-namespace", "change", "shoot-file", "kubernetes-version", "machine-image-version", "operation",
	"release-version", "update-strategy", "retry", "launch-template-version", "ami", "hook", "webhook", "without-hooks",
}

// planFrom plans from a file, by its settings, over which the given flags are laid.
func (a *app) planFrom(cmd *cobra.Command, args []string, f *flags.Roll, as planForm) error {
	for _, name := range elsewhere {
		if flag := cmd.Flag(name); flag != nil && flag.Changed {
			return exitcode.Usage(fmt.Errorf("--%s and --from contradict each other: a file is planned from, without a cluster or AWS", name))
		}
	}
	file, err := saved.Read(f.From)
	if err != nil {
		return exitcode.Usage(fmt.Errorf("--from: %w", err))
	}
	s := file.Session()
	name := file.World.Group.Name
	if len(args) > 0 {
		name = args[0]
	}
	at, err := s.Find(cmd.Context(), name)
	if err != nil {
		return err
	}
	f.Planned, f.Wide = true, as.wide
	request := f.Request(cmd, false)
	request.RunID = file.RunID
	if request.Seed == 0 {
		request.Seed = file.Seed
	}
	p := planner.Planner{Session: s, Request: &request}
	if only := file.Target.Only; len(p.Only) == 0 {
		p.Only = slices.Clone(only)
	}
	if f.Compare {
		return f.DetailedExit(a.compare(cmd, p, at, f, as))
	}
	return f.DetailedExit(a.planGroup(cmd.Context(), p, at, as))
}
