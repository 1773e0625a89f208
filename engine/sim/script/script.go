package script

import (
	"fmt"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim"
	"github.com/drainboard/drainboard/engine/sim/check"
	"github.com/drainboard/drainboard/engine/sim/drive"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
)

// Script runs the small language of engine/testdata: a line is a command, its
// words are names, switches and key=value pairs.
//
//	cluster zones=a,b,c nodes=12 template=2   a group; its nodes run version 1 of its template;
//	                                          slots= cpu= memory= are a node's room, min= max= the
//	                                          bounds, warm=2 a warm pool, overrides=2 templates of a
//	                                          mixed group, half-spot one of On-Demand and Spot
//	                                          machines, spot and protected what its machines are,
//	                                          names=aws as AWS names nodes and instances
//	timing boot=30s terminate=1m              how fast the world is (Config)
//	cluster provider=kops role=node           an instance group of kops; role= is also control-plane,
//	                                          apiserver or bastion (which has no nodes), name= its
//	                                          name, detached=2 machines that an earlier roll
//	                                          has detached
//	cluster provider=gardener update=ManualInPlaceUpdate   a worker pool whose nodes await an update
//	                                          in place, which takes takes=2m, after a
//	                                          drain that is forced after drain=2h;
//	                                          update=AutoInPlaceUpdate where nobody selects them;
//	                                          shoot=30s: its Shoot was changed just before, and
//	                                          Gardener starts after so long, or never
//	peer masters role=control-plane nodes=3   another group of the cluster (systems.go)
//	balancer takes=20s                        the group's load balancer lets a machine go that slowly; follows:
//	                                          a user takes out those whose nodes have the label that excludes them
//	workload web replicas=6 grace=5s          a Deployment; kind= for the others; cpu= memory= is what
//	                                          a pod asks for, apart=host or zone its anti-affinity,
//	                                          volume a disk of one zone, crashes-on=v1.32 crash-loops
//	                                          there, finalized=1m who serves its finalizers,
//	                                          critical=cluster or node what cannot do without it (in
//	                                          kube-system)
//	budget web min=5                          a PodDisruptionBudget over a workload's pods
//	settings max-unavailable=2 approve=batch  what the user asks for
//	wait for=1m                               lets time pass before the run
//	start                                     the plan, and the run if nothing speaks against it
//	retire                                    a run that retires what the last one left of its surge
//	again                                     once a run has ended, the next one of the group
//	run until=end                             continues until something happens, or for= a while
//	operator approve                          what the operator says (say.go)
//	autoscaler, hook drainer timeout=10m      who else looks at the group (user.go)
//	user scale group=+2                   what others do (user.go)
//	fault lose kind=evict                     what goes wrong (say.go)
//	after 4m: user scale web=4            a line for later, of a user or fate
//	after 4m of refusing web: ...             ... once a budget has refused an eviction
//	after 4m of evicting web: ...             ... once a workload's pod was evicted
//	after 4m of failing a1: ...               ... once a node's update in place has failed
//	sleep for=2h                              the driver's laptop is shut
//	crash [before-save|before-act|mid-act|after-act] [kind=evict] [lost] [for=10s]   its process dies (drive/process.go)
//	status, pods                              how things stand
//	answers                                   what became of the commands from elsewhere
//	least app=web                             the fewest Ready pods a workload had since the start
type Script struct {
	// Sim is the world, nil before the command cluster; Driver drives the run, nil before start.
	Sim    *sim.Sim
	Driver *drive.Driver
	// Checker holds the Driver to the rules.
	Checker *check.Checker
	// Planned is what start has planned.
	Planned snapshot.Plan
	// Rules and Settings are those of the next run, as settings has set them.
	Rules    engine.Strategy
	Settings record.Settings
	// Began is when the last plan was made.
	Began time.Time
	// Hurried: nobody asks for the least, which takes time to follow.
	Hurried bool
	// Late is the error of a line whose time had come (after 4m: ...), nil for none.
	Late error

	config sim.Config
	target record.Target
	seed   uint64
	runs   int            // of the group that have ended
	until  time.Duration  // of the run, after its plan
	least  map[string]int // the fewest Ready pods of each workload since the start
	shown  int            // events printed so far
}

// New returns a script that has said nothing yet.
func New() *Script {
	return &Script{config: sim.Defaults(), Rules: strategy.EKS{}, Settings: settingsOf(strategy.EKS{}), seed: 1, least: map[string]int{}}
}

func settingsOf(rules engine.Strategy) record.Settings {
	s := rules.Defaults()
	s.Approve = record.ApproveNone
	return s
}

// Do carries out one line, or several, and returns what there is to tell.
func (c *Script) Do(text string) (string, error) {
	var out strings.Builder
	set := map[string]bool{}
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		if strings.TrimSpace(line) == "" {
			continue
		}
		a := parse(line)
		if when, what, isLater := strings.Cut(line, ":"); isLater && a.name == "after" {
			if err := c.later(parse(when), what); err != nil {
				return out.String(), fmt.Errorf("%s: %w", strings.TrimSpace(line), err)
			}
			continue
		}
		for _, what := range a.sets() {
			if set[what] {
				return out.String(), fmt.Errorf("%s: %s is set a second time", strings.TrimSpace(line), what)
			}
			set[what] = true
		}
		told, err := c.command(a)
		if err != nil {
			out.WriteString(told)
			return out.String(), fmt.Errorf("%s: %w", strings.TrimSpace(line), err)
		}
		out.WriteString(told)
		if len(a.unread()) > 0 {
			return out.String(), fmt.Errorf("%s: nobody understands %s", strings.TrimSpace(line), strings.Join(a.unread(), ", "))
		}
		if c.Late != nil {
			return out.String(), c.Late
		}
		if c.Driver != nil && len(c.Driver.Broken) > 0 {
			return out.String(), fmt.Errorf("BROKEN: %s", strings.Join(c.Driver.Broken, "\n"))
		}
	}
	return out.String(), nil
}

func (c *Script) command(a *args) (string, error) {
	if c.Sim == nil && a.name != "cluster" && a.name != "timing" && a.name != "seed" {
		return "", fmt.Errorf("a cluster comes first")
	}
	for _, part := range []func(*args) (says string, known bool, err error){c.building, c.running, c.showing} {
		if says, known, err := part(a); known || err != nil {
			return says, err
		}
	}
	return "", fmt.Errorf("there is no command %q", a.name)
}

// building carries out the commands that make the cluster and the run's settings.
func (c *Script) building(a *args) (says string, known bool, err error) {
	switch a.name {
	case "seed":
		c.seed = uint64(a.int("", 1))
		c.config.Seed = c.seed
	case "timing":
		err = c.timing(a)
	case "cluster":
		err = c.cluster(a)
	case "peer":
		err = c.peer(a)
	case "balancer":
		c.Sim.Balancer = sim.Balancer{There: true, Takes: a.span("takes", 0), Follows: a.flag("follows")}
		c.Sim.Group.Balancers = []string{"arn:aws:elasticloadbalancing:eu-west-1:1:targetgroup/web/1", "web"}
		c.Sim.ListMachines()
	case "workload":
		err = c.workload(a)
	case "budget":
		err = c.budget(a)
	case "settings":
		err = c.set(a)
	case "autoscaler":
		c.autoscaler(a)
	case "hook":
		c.hook(a)
	default:
		return "", false, nil
	}
	return "", true, err
}

// running carries out the commands by which a run starts, time passes and things happen.
func (c *Script) running(a *args) (says string, known bool, err error) {
	switch a.name {
	case "start":
		says, err = c.begin(a)
	case "again":
		says, err = c.again(a)
	case "run":
		says, err = c.run(a)
	case "retire":
		says, err = c.retire()
	case "operator":
		err = c.operator(a)
	case "user":
		err = c.user(a)
	case "fault":
		err = c.fault(a)
	case "repair":
		if c.Driver == nil {
			return "", true, fmt.Errorf("nothing was started")
		}
		c.Sim.Repair(&c.Driver.Run)
	case "wait":
		c.Sim.Advance(c.Sim.Now().Add(a.span("for", time.Minute)))
	case "sleep":
		c.Driver.Sleep(a.span("for", time.Hour))
	case "crash":
		err = c.crash(a)
	default:
		return "", false, nil
	}
	return says, true, err
}

// showing carries out the commands that only show something.
func (c *Script) showing(a *args) (says string, known bool, err error) {
	switch a.name {
	case "status":
		return c.status(), true, nil
	case "least":
		app := a.word("app")
		n, known := c.least[app]
		if !known {
			return "", true, fmt.Errorf("nothing is known of workload %q", app)
		}
		return fmt.Sprintf("%s never had fewer than %d Ready\n", app, n), true, nil
	case "answers":
		return c.answers(), true, nil
	case "pods":
		return c.listPods(a.word("app")), true, nil
	}
	return "", false, nil
}

// crash ends the driver's process, now or at a point of the next decision that acts.
func (c *Script) crash(a *args) error {
	if c.Driver == nil {
		return fmt.Errorf("nothing was started")
	}
	crash := drive.Crash{Pause: a.span("for", 10*time.Second), Lost: a.flag("lost"), Kind: record.ActionKind(a.word("kind"))}
	for _, at := range []drive.CrashPoint{drive.CrashBeforeSave, drive.CrashBeforeAct, drive.CrashMidAct, drive.CrashAfterAct} {
		if a.flag(string(at)) {
			crash.Point = at
		}
	}
	c.Driver.Crash(crash)
	return nil
}

// later keeps a line for when its time has come.
func (c *Script) later(when *args, line string) error {
	span, err := time.ParseDuration(when.next())
	if err != nil {
		return err
	}
	if a := parse(line); c.Sim == nil || a.name != "user" && a.name != "fault" {
		return fmt.Errorf("there is a cluster, and a user or fate acts on it")
	}
	do := func() {
		c.Sim.After(span, func() {
			if _, err := c.Do(line); err != nil {
				c.Late = fmt.Errorf("%s after the start: %w", c.Sim.Now().Sub(c.Began), err)
			}
		})
	}
	if !when.flag("of") {
		do()
		return nil
	}
	for i, word := range when.words {
		when.words[i] = c.Sim.Names.NodeName(word)
	}
	what := strings.Join(when.words, " ")
	c.Sim.OnCue(what, do)
	return nil
}

// Use sets the strategy, with its own settings but for approvals: nobody is there to give them.
func (c *Script) Use(rules engine.Strategy) { c.Rules, c.Settings = rules, settingsOf(rules) }

// setStrategy sets the strategy, with its own settings.
func (c *Script) setStrategy(name string) error {
	if name == "" {
		return nil
	}
	rules, err := strategy.Named(name)
	if err != nil {
		return err
	}
	c.Use(rules)
	if rules.Capabilities().ValidatesWhereSet && c.Sim.Group.Provider == "kops" {
		c.Settings = strategy.AsKops(c.Settings)
	}
	return nil
}

func (c *Script) set(a *args) error {
	if err := c.setStrategy(a.word("strategy")); err != nil {
		return err
	}
	if err := c.setKops(a); err != nil {
		return err
	}
	c.setGardener(a)
	k := &c.Settings
	if n, err := a.amount("max-unavailable"); err != nil {
		return err
	} else if n != nil {
		k.MaxUnavailable = *n
	}
	for name, v := range map[string]*time.Duration{
		"drain-timeout": &k.DrainTimeout, "post-drain-wait": &k.Settle, "node-ready-timeout": &k.NodeReadyTimeout,
		"terminate-timeout": &k.TerminateTimeout, "pending-limit": &k.PendingLimit, "gate-pause": &k.GatePause,
		"before-node": &k.BeforeNode, "after-node": &k.AfterNode,
		"eviction-retry": &k.EvictionRetry, "canary-watch": &k.CanaryWatch, "unreachable-after": &k.UnreachableAfter,
	} {
		*v = a.span(name, *v)
	}
	if w := a.word("approve"); w != "" {
		k.Approve = record.Approval(w)
	}
	if w := a.word("on-trouble"); w != "" {
		k.OnTrouble = record.TroublePolicy(w)
	}
	if w := a.word("on-drain-timeout"); w != "" {
		k.OnDrainTimeout = record.TimeoutPolicy(w)
	}
	if a.flag("force") {
		k.OnDrainTimeout, k.ForcedBy = record.TimeoutForce, "operator@laptop"
	}
	k.BatchSize = a.int("batch-size", k.BatchSize)
	k.MaxFailedNodes = a.int("max-failed-nodes", k.MaxFailedNodes)
	if w := a.word("unreachable"); w != "" {
		k.Unreachable = record.UnreachablePolicy(w)
	}
	if order := a.list("order", ""); len(order) > 0 { // it takes the place of the strategy's own
		k.Order = nil
		for _, o := range order {
			k.Order = append(k.Order, record.Order(o))
		}
	}
	if d := a.span("until", 0); d > 0 { // counted from the plan
		c.until = d
	}
	k.Unmanaged = a.flag("force-unmanaged") || k.Unmanaged
	k.EmptyDir = a.flag("delete-emptydir-data") || k.EmptyDir
	k.RetireSurge = a.flag("retire-surge") || k.RetireSurge
	k.Singles = (a.flag("singles") || k.Singles) && a.word("singles") != "false"
	if labels := a.pairs("new-labels"); labels != nil {
		k.NewLabels = labels
	}
	c.setTarget(a)
	return nil
}

// setTarget sets what the run is for.
func (c *Script) setTarget(a *args) {
	c.target.Only = append(c.target.Only, a.list("only", "")...)
	c.target.All = a.flag("all-nodes") || c.target.All
	if image := a.word("ami"); image != "" {
		c.target.Image = image
	}
	if v := a.int("target", 0); v > 0 {
		c.target.Templates = []world.Template{{ID: c.Sim.Group.Template.ID, Version: int64(v)}}
	}
}

// settle is how long the world runs before a run starts, so that all pods are
// where they belong.
const settle = time.Minute

// Plan makes the run that the script's settings ask for, and what it would do.
func (c *Script) Plan(id string) snapshot.Plan {
	s := c.Sim
	s.Advance(s.Now().Add(settle))
	s.Health()
	c.Began = s.Now()
	rules := c.Rules
	if c.until > 0 {
		c.Settings.Until = s.Now().Add(c.until)
	}
	r := assess.NewRun(rules, id, c.seed, s.View, c.Settings, c.target)
	s.RebalanceSuspended = s.Group.HasSuspended(sim.AZRebalance)
	for _, process := range []string{sim.Launch, sim.Terminate} {
		s.TheirSuspended[process] = s.Group.HasSuspended(process) // by an earlier run, too: its end has named it
	}
	c.follows()
	if c.Driver != nil {
		if left := c.Driver.Run.RaiseLeft; left != nil {
			r.Inherit(*left, s.View.Group.Sizes)
		}
	}
	return snapshot.MakePlan(rules, s.Now(), s.View, r, strategy.Limit(c.Settings.MaxUnavailable, r.Base.Desired))
}

// follows has the Sim look at what others did between two runs.
func (c *Script) follows() {
	s := c.Sim
	if c.Driver == nil {
		s.Before, s.Foreign, s.Slack = s.Group.Sizes, world.Sizes{}, 0
		return
	}
	for at, by := range s.Lowerings {
		if !at.Before(s.LastKnew) { // of what a run had left, or of their own: nobody can tell
			s.Doubts += by
		}
	}
}

// begin plans the run and starts it.
func (c *Script) begin(*args) (string, error) {
	s := c.Sim
	plan := c.Plan(fmt.Sprintf("run-%d", c.runs+1))
	c.Planned = plan
	var out strings.Builder
	fmt.Fprintf(&out, "plan: %d nodes", len(plan.Nodes))
	batch := 0
	for _, n := range plan.Nodes {
		if n.Batch != batch {
			batch = n.Batch
			fmt.Fprintf(&out, " |")
		}
		fmt.Fprintf(&out, " %s", n.Name)
	}
	fmt.Fprintf(&out, "; maxUnavailable %d, %d more for a while", plan.Limit, plan.Extra)
	if plan.ExtraWhy != "" {
		fmt.Fprintf(&out, " (%s)", plan.ExtraWhy)
	}
	fmt.Fprintf(&out, "; %s\n", s.Group.Sizes)
	for _, n := range plan.Nodes {
		for _, f := range n.Foreseen {
			fmt.Fprintf(&out, "foreseen on %s: %s\n", n.Name, f)
		}
	}
	for _, w := range plan.Warnings {
		fmt.Fprintf(&out, "warning: %s\n", w)
	}
	for _, r := range plan.ExternalMovers {
		if r.Handling != record.HandlingSuspended {
			fmt.Fprintf(&out, "mover: %s\n", r.Sentence())
		}
	}
	for _, w := range plan.NotEvaluated {
		if strings.Contains(w, "scaling policies") {
			fmt.Fprintf(&out, "not evaluated: %s\n", w)
		}
	}
	for _, w := range plan.Refusals {
		fmt.Fprintf(&out, "refused: %s\n", w)
	}
	if len(plan.Refusals)+len(plan.Opposed()) > 0 || c.runs > 0 && !plan.HasWork() {
		return out.String(), nil
	}
	s.Planned, s.PlannedTo = map[string]bool{}, s.View.Group.Template
	s.PlannedLimit, s.PlannedFor = plan.Limit, s.Stands(plan.Run.Settings)
	if to := plan.Run.Target.Templates; len(to) > 0 {
		s.PlannedTo = to[0]
	}
	for _, n := range plan.Nodes {
		s.Planned[n.Machine] = true
	}
	c.drive(plan.Run)
	return out.String(), nil
}

// drive starts a run: what looks like a mark of ours now is none of its own.
func (c *Script) drive(r record.Run) {
	s := c.Sim
	for _, n := range s.Truth.Nodes() {
		for _, mark := range s.MarksOn(n) {
			s.OtherMarks[mark] = true
		}
	}
	s.Began = true
	c.Checker = new(check.Checker)
	c.Driver = drive.New(s, c.Rules, engine.Start(r, s.Now(), "operator@laptop"), c.Checker)
	c.shown = 0
}

// retire starts a run that retires what the last one left of its surge.
func (c *Script) retire() (string, error) {
	if c.Driver == nil {
		return "", fmt.Errorf("no run has ended")
	}
	s := c.Sim
	s.Advance(s.Now().Add(settle))
	s.Health()
	r, some := engine.PlanRetirement(c.Rules, c.Driver.Run, s.View, fmt.Sprintf("run-%d", c.runs+2), c.seed)
	if !some {
		return "nothing to retire\n", nil
	}
	c.runs++
	c.Began, s.Planned, s.PlannedLimit = s.Now(), map[string]bool{}, 0
	c.follows()
	c.drive(r)
	return "", nil
}

// again plans the next run of the group and starts it, unless there is nothing for it to do.
func (c *Script) again(a *args) (string, error) {
	if c.Driver == nil || c.Driver.Run.State != record.Finished {
		return "", fmt.Errorf("no run has ended")
	}
	c.runs++
	return c.begin(a)
}

// longest is how long a run command waits for what it was told to wait for.
const longest = 6 * time.Hour

// glance is how often an operator looks.
const glance = 50 * time.Millisecond

// run lets time pass until something happens.
func (c *Script) run(a *args) (string, error) {
	if c.Driver == nil {
		return "", fmt.Errorf("nothing was started")
	}
	d := c.Driver
	until, span := a.word("until"), a.span("for", longest)
	node, all := c.Sim.Names.NodeName(a.word("node")), a.flag("all")
	end := c.Sim.Now().Add(span)
	start, from, come := c.Sim.Now(), len(d.Events), false
	d.Advance(end, func() bool {
		if !c.Hurried {
			c.countReady()
		}
		for _, e := range d.Events[from:] {
			come = come || until != "" && means(e, until) && (node == "" || e.Node == node)
		}
		from = len(d.Events)
		return come
	})
	if come || d.Run.State == record.Finished { // it is seen a moment later
		seen := start.Add((c.Sim.Now().Sub(start) + glance - 1) / glance * glance)
		d.Advance(seen, nil)
		c.Sim.Advance(seen)
	}
	out := c.story(all)
	if d.Run.State == record.Finished {
		out += c.ending()
	} else if until != "" && !come && len(d.Broken) == 0 {
		return out, fmt.Errorf("it did not come to %q within %s", until, span)
	}
	return out, nil
}

// countReady keeps the fewest Ready pods that each workload has had.
func (c *Script) countReady() {
	for name, n := range c.Sim.ReadyPods() {
		if least, known := c.least[name]; !known || n < least {
			c.least[name] = n
		}
	}
}

// means reports whether an event is what a script waits for: a type without its
// first part ("draining", "blocked"), or the name of a phase that begins.
func means(e record.Event, what string) bool {
	if e.Type == record.PhaseStarted {
		return strings.ReplaceAll(e.Phase, " ", "-") == what
	}
	_, last, _ := strings.Cut(string(e.Type), ".")
	return last == what || string(e.Type) == what
}
