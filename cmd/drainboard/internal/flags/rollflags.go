package flags

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/config"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/planner"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/providers/asg"
)

// Roll are the flags of upgrade and plan that make a run's settings and
// target.
type Roll struct {
	config.Hooks
	kopsFlags
	zoneFlags
	Where    backend.Where
	strategy string
	// several: the flags are for more than one group, so what one of them cannot honour
	// concerns the others.
	several bool

	maxUnavailable, maxSurge string
	approve                  string
	canaryWatch              time.Duration
	batchSize                int
	order, only              []string
	until                    string
	maxFailedNodes           int
	retireSurge              bool
	unreachable              string
	unreachableAfter         time.Duration
	drainTimeout             time.Duration
	onDrainTimeout           string
	onTrouble                string
	force                    bool
	singles                  bool
	allNodes                 bool
	forceUnmanaged, emptyDir bool
	postDrainWait            time.Duration
	nodeReadyTimeout         time.Duration
	waitForStart             time.Duration
	terminateTimeout         time.Duration
	evictionRetry            time.Duration
	evictionsAtOnce          int
	pendingLimit, gatePause  time.Duration
	newLabels                []string
	seed                     uint64
	Detailed                 bool // of plan only

	templateVersion, ami string
	kubernetesVersion    string
	releaseVersion       string
	updateStrategy       string // of EKS's update
	retry                int    // of it, after a failure
	helpAlong            bool   // consent to help it
	Planned              bool   // only a plan is asked for
	Compare              bool   // other settings are planned too
	Save, From           string // files of a plan's cluster
	HashNames            bool   // in the file
	Wide                 bool   // all nodes of a plan are listed, however many
}

func (f *Roll) Add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringVar(&f.templateVersion, "launch-template-version", "", "target: roll to this version of the group's launch template (a number, $Latest or $Default)")
	fl.StringVar(&f.ami, "ami", "", "target: roll to this image, through a new launch template version")
	fl.StringVar(&f.kubernetesVersion, "kubernetes-version", "", "target: a Kubernetes version (plan: of a Gardener Shoot, or of the POOLs named; otherwise groups that EKS manages)")
	fl.StringVar(&f.releaseVersion, "release-version", "", "target: an AMI release version (groups that EKS manages)")
	fl.StringVar(&f.updateStrategy, "update-strategy", "", "groups that EKS manages: default (new nodes come first) or minimal (old nodes go first), set while the run lasts (default: as the group is configured)")
	fl.IntVar(&f.retry, "retry", 0, "groups that EKS manages: how often EKS's update is started again after it failed (default 0)")
	fl.BoolVar(&f.helpAlong, "help-along", false, "groups that EKS manages: consent to help EKS along: pods are evicted from nodes that EKS has picked once their PDB opens, and f in the dashboard deletes them")
	fl.SetNormalizeFunc(ByKopsName)
	AddWhere(fl, &f.Where)
	fl.StringVar(&f.strategy, "strategy", "", "strategy: "+strategies()+" (default: by provider; asg: eks, kops: kops)")
	fl.StringVar(&f.maxUnavailable, "max-unavailable", "", "nodes out of service at once, a number or a percentage (default 1, at most 100; kops, drainboard: 0 if there is a surge; groups that EKS manages: as configured, and restored at the end)")
	fl.StringVar(&f.maxSurge, "max-surge", "", "new nodes that come before old ones go: a number or a percentage (kops, gardener, drainboard: default 1; the control plane has none, gardener splits it over the zones); eks also: eks (twice the zones, at least max-unavailable; the default) or fit (as many as pods need that find no room elsewhere)")
	fl.StringVar(&f.approve, "approve", "", "what you are asked to approve: batch, canary (one node first, then the rest), phase or none (default batch; none with --auto)")
	fl.DurationVar(&f.canaryWatch, "canary-watch", 0, "time to watch the canary's replacement before the other nodes follow (default 2m0s)")
	fl.IntVar(&f.batchSize, "batch-size", 0, "nodes approved together (default: max-unavailable)")
	fl.StringSliceVar(&f.order, "order", nil, "order of the nodes within the zones: random, oldest, newest, name, fewest-blockers, apart (nodes that go together share few PDBs), or several by rank (default: the strategy's; eks and kops: random, gardener: oldest, drainboard: apart)")
	fl.StringSliceVar(&f.only, "only", nil, "roll only these nodes; the run then exits with code 8, nodes left by choice")
	fl.StringVar(&f.until, "until", "", "start nothing that cannot end by then: a local time of day (05:00: the next one), a date and time, or an RFC 3339 time")
	fl.IntVar(&f.maxFailedNodes, "max-failed-nodes", 0, "number of nodes that may fail before the run fails (default 0)")
	fl.BoolVar(&f.retireSurge, "retire-surge", false, "if the run fails, drain and terminate what is left of its surge (default: new nodes with pods stay)")
	fl.StringVar(&f.unreachable, "unreachable", "", "nodes whose kubelet is not heard from: wait (they go last), terminate (with the pods on them) or fail (default: the strategy's; eks and kops: wait, gardener: terminate)")
	fl.DurationVar(&f.unreachableAfter, "unreachable-after", 0, "time without a kubelet heartbeat before --unreachable applies (default 5m0s)")
	fl.DurationVar(&f.drainTimeout, "drain-timeout", 0, "time for a node to lose its pods (default: the strategy's; eks and kops: 15m, gardener: 2h)")
	fl.StringVar(&f.onDrainTimeout, "on-drain-timeout", "", "then: fail, skip, force or wait (default: the strategy's; eks and kops: fail, gardener: force)")
	fl.BoolVar(&f.force, "force", false, "the same as --on-drain-timeout=force (kops's --force is --all-nodes)")
	fl.DurationVar(&f.postDrainWait, "post-drain-wait", -1, "wait between a node's drain and its termination (default: the strategy's; eks: 1m0s, kops: 5s, drainboard: until nothing routes to the node, 5s to 1m0s; kops: also --post-drain-delay)")
	fl.Lookup("post-drain-wait").DefValue = "0s" // cobra then omits it: the text has the default
	fl.DurationVar(&f.nodeReadyTimeout, "node-ready-timeout", 0, "time for new nodes to become Ready (default: the strategy's; eks and kops: 15m, gardener: 20m)")
	fl.DurationVar(&f.waitForStart, "wait-for-start", 0, "Gardener: time for the controller to start the update that the Shoot asks for, and to complete it after the last node; then the run pauses, exit code 9 (default 30m)")
	fl.DurationVar(&f.terminateTimeout, "terminate-timeout", 0, "time for an instance to terminate once requested (default 15m)")
	fl.BoolVar(&f.allNodes, "all-nodes", false, "also roll nodes that are up to date (kops's --force)")
	fl.BoolVar(&f.forceUnmanaged, "force-unmanaged", false, "consent to evict pods without a controller that recreates them (kubectl drain --force; default: the strategy's; eks: no, kops and gardener: yes)")
	fl.BoolVar(&f.emptyDir, "delete-emptydir-data", false, "consent to lose the data in emptyDir volumes (default: the strategy's; eks: no, kops and gardener: yes)")
	fl.BoolVar(&f.singles, "singles", false, "a Deployment of one replica gets a second one while its pod moves, where its PDB keeps the pod on its node (default: the strategy's; drainboard: yes, others: no)")
	fl.DurationVar(&f.evictionRetry, "eviction-retry", 0, "fallback interval between attempts of a blocked eviction (default: the strategy's; eks and kops: 5s, gardener: 20s; when a PDB opens the eviction is sent at once)")
	fl.IntVar(&f.evictionsAtOnce, "evictions-at-once", 0, "evictions in flight in the whole run (default 50)")
	fl.DurationVar(&f.pendingLimit, "pending-limit", 0, "time a replacement pod may be Pending before no new drain starts (default 5m)")
	fl.DurationVar(&f.gatePause, "gate-pause", 0, "pause the run when no drain could start for this long (default 30m)")
	fl.StringVar(&f.onTrouble, "on-trouble", "", "drainboard: when replacements crash-loop: hold (no drain starts until it is over) or pause (default hold)")
	fl.StringSliceVar(&f.newLabels, "expect-label", nil, "label (key or key=value) that a new node must carry before it counts as ready")
	f.addKops(fl)
	f.addZones(fl)
	addHooks(cmd, &f.Hooks)
	fl.Uint64Var(&f.seed, "seed", 0, "seed of the random order (default: random; the plan shows it)")
}

// settings lays the flags over the strategy's defaults, and notes the origin of
// each setting.
func (f *Roll) settings(cmd *cobra.Command, rules engine.Strategy, auto bool, who string) (record.Settings, error) {
	return f.over(cmd, rules, rules.Defaults(), auto, who)
}

// over lays the flags over existing settings.
func (f *Roll) over(cmd *cobra.Command, rules engine.Strategy, s record.Settings, auto bool, who string) (record.Settings, error) {
	if err := f.oneTarget(); err != nil {
		return s, err
	}
	if err := ofShoot(cmd, rules); err != nil {
		return s, err
	}
	if err := f.amounts(rules, &s); err != nil {
		return s, err
	}
	if err := f.approval(cmd, &s, auto); err != nil {
		return s, err
	}
	if err := f.sequence(cmd, &s); err != nil {
		return s, err
	}
	if err := f.timeoutPolicy(&s, who); err != nil {
		return s, err
	}
	if cmd.Flags().Changed("force-unmanaged") {
		s.Unmanaged = f.forceUnmanaged
	}
	if cmd.Flags().Changed("delete-emptydir-data") {
		s.EmptyDir = f.emptyDir
	}
	if cmd.Flags().Changed("singles") {
		s.Singles = f.singles
	}
	if err := f.counts(cmd, &s); err != nil {
		return s, err
	}
	if err := f.durations(cmd, &s); err != nil {
		return s, err
	}
	if err := f.kopsSettings(cmd, rules, &s); err != nil {
		return s, err
	}
	if err := f.zoneSettings(cmd, rules, &s); err != nil {
		return s, err
	}
	if err := f.cloudOnlySettings(cmd, rules, &s, who); err != nil {
		return s, err
	}
	if err := f.oneByOne(cmd, rules, &s, auto); err != nil {
		return s, err
	}
	if err := f.labels(&s); err != nil {
		return s, err
	}
	f.origins(cmd, rules, &s, auto)
	return s, nil
}

// asksEKS reports whether a version is asked for that EKS is to update a group to.
func (f *Roll) asksEKS() bool { return f.kubernetesVersion != "" || f.releaseVersion != "" }

// oneTarget refuses targets that an Auto Scaling group does not have, and two at once.
func (f *Roll) oneTarget() error {
	if p := f.Where.Provider; f.asksEKS() && (p == asg.Provider || p == backend.Kops || f.Where.CloudOnly) {
		return planner.ErrForEKS
	} else if f.updateStrategy != "" && (p == asg.Provider || p == backend.Kops || p == backend.Gardener || f.Where.CloudOnly) {
		return planner.ErrUpdateStrategy
	}
	if f.retry < 0 {
		return fmt.Errorf("--retry: %d is too small, the minimum is 0", f.retry)
	}
	if f.updateStrategy != "" && f.updateStrategy != "default" && f.updateStrategy != "minimal" {
		return fmt.Errorf("--update-strategy: %q is not one of default, minimal", f.updateStrategy)
	}
	if f.templateVersion != "" && f.ami != "" {
		return fmt.Errorf("--launch-template-version and --ami both set the target: give one")
	}
	return nil
}

// counts sets the numbers that are at least 1.
func (f *Roll) counts(cmd *cobra.Command, s *record.Settings) error {
	for _, n := range []struct {
		flag string
		from int
		to   *int
	}{{"batch-size", f.batchSize, &s.BatchSize}, {"evictions-at-once", f.evictionsAtOnce, &s.EvictionsAtOnce}} {
		if !cmd.Flags().Changed(n.flag) {
			continue
		}
		if n.from < 1 {
			return fmt.Errorf("--%s: %d is too small, the minimum is 1", n.flag, n.from)
		}
		*n.to = n.from
	}
	return nil
}

// labels sets which labels a new node must carry.
func (f *Roll) labels(s *record.Settings) error {
	for _, l := range f.newLabels {
		key, value, _ := strings.Cut(l, "=")
		if key == "" {
			return fmt.Errorf("--expect-label: %q has no key (form: key or key=value)", l)
		}
		if s.NewLabels == nil {
			s.NewLabels = map[string]string{}
		}
		s.NewLabels[key] = value
	}
	return nil
}

// origins notes the origin of each setting.
func (f *Roll) origins(cmd *cobra.Command, rules engine.Strategy, s *record.Settings, auto bool) {
	for _, row := range present.Settings {
		if !row.In(record.Run{Strategy: rules.Name(), Settings: *s}) {
			continue
		}
		if cmd.Flags().Changed(row.Flag) {
			s.Origin[row.Flag] = "flag"
		} else if s.Origin[row.Flag] == "" {
			s.Origin[row.Flag] = "Drainboard"
		}
	}
	if f.force {
		s.Origin["on-drain-timeout"] = "flag --force"
	}
	if auto && f.approve == "" {
		s.Origin["approve"] = "flag --auto"
	}
	if f.interactive {
		s.Origin["approve"], s.Origin["batch-size"], s.Origin["max-unavailable"] = "flag --interactive", "flag --interactive", "flag --interactive"
		if rules.Name() == present.StrategyKops {
			s.Origin["max-surge"] = "flag --interactive"
		}
	}
	if f.strategy == "" {
		s.Origin["strategy"] = "the provider's default"
	}
	if f.seed == 0 {
		s.Origin["seed"] = "chosen at random"
	}
}
