package planner

import (
	"cmp"
	"context"
	"errors"
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

// Request has the command line's flags for the runs of groups.
type Request struct {
	// Hooks are the user's; Settle reads them once the cluster is known.
	config.Hooks
	// Flags lays the flags over the defaults of rules.
	Flags    backend.Asked
	Strategy string // the name of the rules, "" for the provider's default
	// NewTarget is another template or image, empty for the group's own.
	NewTarget asg.TargetOptions
	Only      []string // nodes or machines, none for all outdated ones
	AllNodes  bool     // also those up to date
	Seed      uint64   // 0: chosen at random
	RunID     string   // that of a saved plan, whose settings have its hooks; "": made from the group's name and the time
	Line      present.CommandLine
	// Several: the flags are for more than one group, so those for managed node groups do not concern the others.
	Several bool
}

// Terms are the rules and settings of a run in one group, and a plan's notes on the origin of
// the settings.
type Terms struct {
	Rules    engine.Strategy
	Settings record.Settings
	Notes    []string
}

// TermsFor returns the terms for a group: flags take precedence over the settings of its system.
func (r *Request) TermsFor(ctx context.Context, at backend.Group) (t Terms, err error) {
	if err := r.FitsEKS(at); err != nil {
		return t, err
	}
	backend.Ask(at, r.Flags)
	if t.Rules, err = strategy.Named(cmp.Or(r.Strategy, at.Strategy())); err != nil {
		return t, fmt.Errorf("--strategy: %w", err)
	}
	if err := at.Fits(t.Rules); err != nil {
		return t, err
	}
	if t.Settings, t.Notes, err = at.Settings(ctx, t.Rules, r.Flags); err != nil {
		return t, err
	}
	if r.RunID == "" {
		r.Into(&t.Settings)
	}
	return t, nil
}

// ErrForEKS refuses a version for a group that is no managed node group of EKS.
var ErrForEKS = errors.New("--kubernetes-version and --release-version are for groups that EKS manages; an Auto Scaling group takes --launch-template-version or --ami")

// ErrUpdateStrategy refuses an update strategy for such a group.
var ErrUpdateStrategy = errors.New("--update-strategy is for groups that EKS manages; elsewhere --strategy eks-minimal lets old nodes go first")

// ErrRetry refuses retries in such a group.
var ErrRetry = errors.New("--retry is for groups that EKS manages, whose update EKS fails as a whole; a failed run is continued with drainboard upgrade")

// ErrHelpAlong refuses that consent in such a group.
var ErrHelpAlong = errors.New("--help-along is for groups that EKS manages; elsewhere Drainboard evicts all pods itself")

// FitsEKS refuses flags for managed node groups of EKS for another group.
func (r *Request) FitsEKS(at backend.Group) error {
	if r.Flags == nil || at.Provider() == backend.EKSManaged {
		return nil
	}
	switch u := r.Flags.Update(); {
	case u.Kubernetes+u.Release != "":
		return ErrForEKS
	case r.Several:
	case u.Config.Strategy != "":
		return ErrUpdateStrategy
	case u.Retry > 0:
		return ErrRetry
	case u.HelpAlong:
		return ErrHelpAlong
	}
	return nil
}

// Contradicts returns the flag that asks for other nodes or another target than an
// unfinished run has; "" if none. Repeating the run's own command line resumes it;
// $Latest and $Default may have been another version then.
func (r *Request) Contradicts(t record.Target) string {
	var only []string // as in a plan
	for _, name := range r.Only {
		if name = strings.TrimSpace(name); !slices.Contains(only, name) {
			only = append(only, name)
		}
	}
	if t.Update != nil {
		return r.contradictsUpdate(*t.Update)
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

// contradictsUpdate is Contradicts for what EKS was asked for.
func (r *Request) contradictsUpdate(u record.UpdateRequest) string {
	var asked record.UpdateRequest
	if r.Flags != nil {
		asked = r.Flags.Update()
	}
	for _, f := range []struct{ flag, asked, has string }{
		{"kubernetes-version", asked.Kubernetes, u.Kubernetes}, {"release-version", asked.Release, u.Release}, {"launch-template-version", asked.TemplateVersion, u.TemplateVersion},
		{"max-unavailable", asked.Config.MaxUnavailable, u.Config.MaxUnavailable}, {"update-strategy", strings.ToLower(asked.Config.Strategy), strings.ToLower(u.Config.Strategy)},
		{"retry", times(asked.Retry), times(u.Retry)},
	} {
		if f.asked != "" && f.asked != f.has {
			return "--" + f.flag + " " + f.asked
		}
	}
	return ""
}

// times is a number of retries, "" for none.
func times(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}
