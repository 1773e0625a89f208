package flags

import (
	"errors"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/planner"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/strategy"
)

// DetailedExit is the end of a plan that was shown: with --detailed-exitcode its exit code
// tells whether there is something to do.
func (f *Roll) DetailedExit(todo bool, err error) error {
	if err == nil && todo && f.Detailed {
		return exitcode.With(exitcode.NodesLeft, errors.New("")) // said already
	}
	return err
}

// Variations are the terms that a comparison tries: those of the command line, and what other flags make of
// them where that is allowed.
func (f *Roll) Variations(cmd *cobra.Command, at backend.Group) ([]planner.Variation, error) {
	request := f.Request(cmd, false)
	given, err := request.TermsFor(cmd.Context(), at)
	if err != nil {
		return nil, exitcode.Usage(err)
	}
	out := []planner.Variation{{Terms: given}}
	var tried [][2]string
	for _, name := range OfferedStrategies() {
		if name == (strategy.Gardener{Seed: true}).Name() { // whose numbers are those of a document
			continue
		}
		tried = append(tried, [2]string{"strategy", name})
	}
	tried = append(tried, [][2]string{
		{"max-unavailable", "1"}, {"max-unavailable", "2"}, {"max-unavailable", "4"},
		{"max-surge", string(record.SurgeFit)}, {"max-surge", "1"}, {"max-surge", "4"}, {"max-surge", "25%"},
		{"order", string(record.OrderFewestBlockers)},
	}...)
	for _, flag := range tried {
		if terms, err := f.with(cmd, at, flag[0], flag[1]); err == nil {
			out = append(out, planner.Variation{Flags: []string{"--" + flag[0] + "=" + flag[1]}, Terms: terms})
		}
	}
	return out, nil
}

// with is what a flag would make of the terms, which stays as it was given.
func (f *Roll) with(cmd *cobra.Command, at backend.Group, name, value string) (planner.Terms, error) {
	flag := cmd.Flags().Lookup(name)
	before, changed := *f, flag.Changed
	defer func() { *f, flag.Changed = before, changed }()
	flag.Changed = true
	if list, is := flag.Value.(pflag.SliceValue); is { // whose Set adds to what was given
		if err := list.Replace([]string{value}); err != nil {
			return planner.Terms{}, err
		}
	} else if err := flag.Value.Set(value); err != nil {
		return planner.Terms{}, err
	}
	request := f.Request(cmd, false)
	return request.TermsFor(cmd.Context(), at)
}
