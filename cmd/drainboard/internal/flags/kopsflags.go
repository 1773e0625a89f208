package flags

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
)

// kopsFlags are the flags of `kops rolling-update cluster` that have no counterpart for other strategies.
type kopsFlags struct {
	bastionInterval, controlPlaneInterval, nodeInterval time.Duration

	validateCount                                int
	validationTimeout, validateRetry             time.Duration
	validatePause, deregisterLimit               time.Duration
	failOnDrain, failOnValidate, drainTerminates bool
	interactive, quorumLoss                      bool
}

func (f *kopsFlags) addKops(fl *pflag.FlagSet) {
	fl.DurationVar(&f.bastionInterval, "bastion-interval", 0, "kops: wait after a bastion's termination (default 15s)")
	fl.DurationVar(&f.controlPlaneInterval, "control-plane-interval", 0, "kops: wait after the termination of a control plane instance (default 15s; kops: also --master-interval)")
	fl.DurationVar(&f.nodeInterval, "node-interval", 0, "kops: wait after any other termination (default 15s)")
	fl.IntVar(&f.validateCount, "validate-count", 0, "kops: validations in a row that the cluster must pass after a termination (default 2)")
	fl.DurationVar(&f.validationTimeout, "validation-timeout", 0, "kops: time for the cluster to become valid (default 15m)")
	fl.DurationVar(&f.validateRetry, "validate-retry", 0, "kops: wait after a failed validation (default 30s)")
	fl.DurationVar(&f.validatePause, "validate-pause", 0, "kops: wait between two passed validations (default 10s)")
	fl.BoolVar(&f.failOnValidate, "fail-on-validate-error", true, "kops: end the run when the cluster does not validate in time")
	fl.BoolVar(&f.failOnDrain, "fail-on-drain-error", true, "kops: count a node whose drain fails as failed; false terminates its instance with the pods on it")
	fl.BoolVar(&f.drainTerminates, "drain-and-terminate", true, "kops: false taints nodes and adds new ones, but drains and terminates none (an InstanceGroup's drainAndTerminate)")
	fl.DurationVar(&f.deregisterLimit, "deregister-limit", 0, "kops: time for a node to leave the load balancers of its group (default 5m; 0s: it is not deregistered)")
	fl.BoolVar(&f.quorumLoss, "allow-quorum-loss", false, "kops: of a control plane of three machines and more, fewer than a majority may be left: the API stops answering (default false; --auto without it refuses such settings)")
	fl.BoolVarP(&f.interactive, "interactive", "i", false, "replace one node at a time, with an approval for each")
}

// KopsOnly are the flags that only the strategy kops supports, with the reason. Those that set how the cluster is
// validated are for our own rules in a group of kops, too.
var KopsOnly = []struct {
	Flag, why string
	validates bool
}{
	{"bastion-interval", "has no wait after a termination", false},
	{"control-plane-interval", "has no wait after a termination", false},
	{"node-interval", "has no wait after a termination", true},
	{"validate-count", "does not validate the cluster", true},
	{"validation-timeout", "does not validate the cluster", true},
	{"validate-retry", "does not validate the cluster", true},
	{"validate-pause", "does not validate the cluster", true},
	{"fail-on-validate-error", "does not validate the cluster", true},
	{"fail-on-drain-error", "has --on-drain-timeout for that", false},
	{"drain-and-terminate", "always terminates the old instances", false},
	{"allow-quorum-loss", "rolls no control plane", false},
	{"deregister-limit", "leaves load balancers to the controllers that watch node labels", false},
}

// forceOfWhom is why --force is refused by the rules of kops: its meaning there differs from EKS's.
const forceOfWhom = "--force is ambiguous: kops's --force also rolls nodes that are up to date (use --all-nodes), EKS's deletes pods past their PDBs (use --on-drain-timeout=force)"

// kopsSettings applies kops's flags, and refuses those that a strategy does not support.
func (f *Roll) kopsSettings(cmd *cobra.Command, rules engine.Strategy, s *record.Settings) error {
	if rules.Name() != present.StrategyKops {
		for _, o := range KopsOnly {
			if cmd.Flags().Changed(o.Flag) && !(o.validates && rules.Capabilities().ValidatesWhereSet) {
				return fmt.Errorf("--%s: the %s strategy %s; --strategy kops is for groups created by kops", o.Flag, rules.Name(), o.why)
			}
		}
		return f.validates(cmd, s)
	}
	if f.force {
		return errors.New(forceOfWhom)
	}
	if err := f.validates(cmd, s); err != nil {
		return err
	}
	for _, b := range []struct {
		flag string
		from bool
		not  *bool // the setting is the flag negated
	}{
		{"fail-on-drain-error", f.failOnDrain, &s.PassDrain},
		{"drain-and-terminate", f.drainTerminates, &s.KeepOld},
	} {
		if cmd.Flags().Changed(b.flag) {
			*b.not = !b.from
		}
	}
	s.AllowQuorumLoss = f.quorumLoss
	if s.PassDrain && f.onDrainTimeout != "" {
		return fmt.Errorf("--fail-on-drain-error=false and --on-drain-timeout=%s both set what a failed drain means: give one", f.onDrainTimeout)
	}
	return nil
}

// validates applies the flags on how a cluster of kops is validated; durations has the others.
func (f *kopsFlags) validates(cmd *cobra.Command, s *record.Settings) error {
	for flag, given := range map[string]time.Duration{"bastion-interval": f.bastionInterval, "control-plane-interval": f.controlPlaneInterval, "node-interval": f.nodeInterval} {
		if given < 0 {
			return fmt.Errorf("--%s: %s is too short, the minimum is 0s", flag, given)
		}
	}
	if cmd.Flags().Changed("validate-count") {
		if f.validateCount < 1 {
			return fmt.Errorf("--validate-count: %d is too small, the minimum is 1", f.validateCount)
		}
		s.ValidateCount = f.validateCount
	}
	if cmd.Flags().Changed("fail-on-validate-error") {
		s.PassInvalid = !f.failOnValidate
	}
	return nil
}

// amounts sets how many nodes are replaced at once, and how many surge nodes there are.
func (f *Roll) amounts(rules engine.Strategy, s *record.Settings) error {
	if rules.Name() == (strategy.GardenerFollow{}).Name() {
		return f.pace(s)
	}
	own := rules.Name() == strategy.Drainboard{}.Name()
	kops := own || rules.Name() == present.StrategyKops || present.ByZone(rules.Name()) // whose nodes may all be replaced by a surge
	if err := f.surge(rules, kops, s); err != nil {
		return err
	}
	if f.maxUnavailable != "" {
		a, err := record.ParseAmount(f.maxUnavailable)
		switch {
		case err != nil:
			return fmt.Errorf("--max-unavailable: %w", err)
		case !kops && (a.N == 0 || !a.Percent && a.N > 100):
			return fmt.Errorf("--max-unavailable: %s is out of range, EKS allows 1 to 100 nodes", a)
		case rules.Name() == strategy.GardenerManual{}.Name() && a.N == 0:
			return fmt.Errorf("--max-unavailable: with %s no node is ever selected, the minimum is 1", a)
		case rules.Name() == present.StrategyKops && a.N == 0 && f.maxSurge != "" && s.MaxSurge.N == 0:
			return fmt.Errorf("--max-surge %s and --max-unavailable %s: no node could ever start", s.MaxSurge, a)
		}
		s.MaxUnavailable = a
	}
	if own && s.MaxSurge.N == 0 && s.MaxUnavailable.N == 0 {
		return fmt.Errorf("--max-surge %s and --max-unavailable %s: no node could ever start", s.MaxSurge, s.MaxUnavailable)
	}
	return nil
}

// surge sets how many surge nodes there are; any: the strategy has a number of them, and EKS's
// rules have others.
func (f *Roll) surge(rules engine.Strategy, any bool, s *record.Settings) (err error) {
	switch {
	case f.maxSurge == "":
		return nil
	case rules.Name() == strategy.EKS{}.Name():
		if s.Surge, s.MaxSurge, err = record.ParseSurge(f.maxSurge); err == nil && s.Surge == record.SurgeAmount && s.MaxSurge.N == 0 {
			err = errors.New("new nodes come first with the eks strategy; --strategy eks-minimal has no surge")
		} else if err != nil {
			err = fmt.Errorf("%w, nor eks or fit", err)
		}
	case !any:
		return surgeRefused(rules)
	default:
		s.MaxSurge, err = record.ParseAmount(f.maxSurge)
	}
	if err != nil {
		return fmt.Errorf("--max-surge: %w", err)
	}
	return nil
}

// oneByOne applies --interactive: each node is approved and replaced by itself.
func (f *Roll) oneByOne(cmd *cobra.Command, rules engine.Strategy, s *record.Settings, auto bool) error {
	switch {
	case !f.interactive:
		return nil
	case auto:
		return fmt.Errorf("--interactive prompts for each node, and --auto never prompts: give one")
	case f.approve != "" && f.approve != string(record.ApproveBatch):
		return fmt.Errorf("--interactive and --approve %s contradict each other", f.approve)
	case cmd.Flags().Changed("batch-size") && f.batchSize != 1:
		return fmt.Errorf("--interactive and --batch-size %d contradict each other", f.batchSize)
	case f.maxSurge != "" && (s.MaxSurge.Percent || s.MaxSurge.N > 1):
		return fmt.Errorf("--interactive and --max-surge %s contradict each other", s.MaxSurge)
	case f.maxUnavailable != "" && (s.MaxUnavailable.Percent || s.MaxUnavailable.N > 1 || s.MaxUnavailable.N == 0 && s.MaxSurge.N == 0):
		return fmt.Errorf("--interactive and --max-unavailable %s contradict each other", s.MaxUnavailable)
	}
	s.Approve, s.BatchSize, s.MaxUnavailable = record.ApproveBatch, 1, record.Amount{N: 1}
	if (rules.Name() == present.StrategyKops || rules.Name() == strategy.Drainboard{}.Name()) && s.MaxSurge.N > 0 {
		s.MaxSurge, s.MaxUnavailable = record.Amount{N: 1}, record.Amount{}
	}
	return nil
}

// interval returns the wait after a termination for a group's role, and the flag that sets it.
func (f *kopsFlags) interval(role world.Role) (flag string, given time.Duration) {
	switch role {
	case world.RoleBastion:
		return "bastion-interval", f.bastionInterval
	case world.RoleControlPlane:
		return "control-plane-interval", f.controlPlaneInterval
	}
	return "node-interval", f.nodeInterval // of API servers as well, as in kops
}
