package planner

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/config"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/providers/asg"
)

// Request is what was asked for on the command line of the runs of groups.
type Request struct {
	// Hooks are the user's; Settle reads them once it is known which cluster it is.
	config.Hooks
	// Flags lays what was asked for over the defaults of rules.
	Flags    backend.Asked
	Strategy string // the name of the rules, "" for the provider's own
	// NewTarget is another template or image, empty for what the group launches.
	NewTarget asg.TargetOptions
	Only      []string // nodes or machines, none for all that are outdated
	AllNodes  bool     // also those that are up to date
	Seed      uint64   // 0: it is chosen
	Line      present.CommandLine
}

// Terms are the rules and settings of a run in one group, and what a plan says of where the
// settings come from.
type Terms struct {
	Rules    engine.Strategy
	Settings record.Settings
	Notes    []string
}

// TermsFor are the terms for a group: what was asked for wins over what its system says of it.
func (r *Request) TermsFor(ctx context.Context, at backend.Group) (t Terms, err error) {
	if t.Rules, err = strategy.Named(cmp.Or(r.Strategy, at.Strategy())); err != nil {
		return t, fmt.Errorf("--strategy: %w", err)
	}
	if err := at.Fits(t.Rules); err != nil {
		return t, err
	}
	if t.Settings, t.Notes, err = at.Settings(ctx, t.Rules, r.Flags); err != nil {
		return t, err
	}
	r.Into(&t.Settings)
	return t, nil
}

// Contradicts names the flag that asks for other nodes, or to make something else
// of them, than an unfinished run does; "" if none. The same command line as before
// goes on with its run; $Latest and $Default may have meant another version then.
func (r *Request) Contradicts(t record.Target) string {
	var only []string // as a plan keeps them
	for _, name := range r.Only {
		if name = strings.TrimSpace(name); !slices.Contains(only, name) {
			only = append(only, name)
		}
	}
	version, err := strconv.ParseInt(r.NewTarget.TemplateVersion, 10, 64)
	switch {
	case len(only) > 0 && !slices.Equal(slices.Sorted(slices.Values(only)), slices.Sorted(slices.Values(t.Only))):
		return "--only " + strings.Join(only, ",")
	case r.NewTarget.AMI != "" && r.NewTarget.AMI != t.Image:
		return "--ami " + r.NewTarget.AMI
	case err == nil && (len(t.Templates) == 0 || t.Templates[0].Version != version):
		return "--launch-template-version " + r.NewTarget.TemplateVersion
	}
	return ""
}
