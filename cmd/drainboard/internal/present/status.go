package present

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/api"
	"github.com/drainboard/drainboard/engine/assess/blockers"
	"github.com/drainboard/drainboard/engine/assess/workloads"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// Status is the state of a run at one moment.
type Status struct {
	Run, Group string
	// Alias is the group's name on screen, "" where that is its own name.
	Alias         string
	Strategy      string
	State         record.State
	Result        record.Result
	Why, Phase    string
	Started, Seen time.Time
	By            string
	// Driver drives it now, user and host, "" if none does; DriverUnknown is why that
	// is unknown.
	Driver, DriverUnknown string
	// UnwrittenSince is since when the record has not been written although a process drives
	// the run, which suggests that it cannot be written; zero while it is.
	UnwrittenSince time.Time
	// RecordAt is the machine with the record of a run without Kubernetes, where this is
	// another one: all else is unknown here. "" for all other runs.
	RecordAt string

	Order              []record.Order
	Only               []string
	Until              time.Time
	Replaced, Outdated int
	Stages             map[record.Stage]int
	Waiting            *record.Batch
	// Canary is the watch over the canary's replacement, until it has passed.
	Canary *record.Canary
	Gate   string
	// Awaits is what the group's own controller has to do for a running run to proceed.
	Awaits string
	// Validation is the current or last wait for the cluster to be valid.
	Validation *record.Validation
	// ExternalMovers are the external movers of the group's nodes.
	ExternalMovers []record.ExternalMover
	// Blocked are the pods whose eviction was refused, or that are kept on a node which others drain.
	Blocked []record.Pod
	// Candidates are the nodes of which the group's own controller is at one at least, WhyCandidates
	// says why that is concluded.
	Candidates    []string
	WhyCandidates string
	// Workloads are those whose pods the run has moved, those in most trouble first.
	Workloads []*record.Workload
	// Failed, Skipped and Unreachable are the nodes by why.
	Failed, Skipped map[string][]string
	Unreachable     []string
	Left            []string
	// Forecast is how its driver foresaw last that it will end, nil where it has not.
	Forecast *record.Foreseen
	// Others are external movers of its nodes, as read from the marks on them.
	Others []snapshot.MoverView
	// Pool is the state of a Gardener worker pool, which its run does not have; PoolUnknown is
	// why that is unknown.
	Pool        *api.WorkerPoolStatus
	PoolUnknown string
	run         record.Run // parts of it are shown as recorded
	// Past are the group's recorded earlier runs, the newest first.
	Past []api.EarlierRun
}

// PastOf returns a group's earlier runs, in short.
func PastOf(records []live.Stored) (list []api.EarlierRun) {
	for _, r := range records {
		p := api.EarlierRun{
			Record: r.Name, ID: r.Run.ID, StartedAt: r.Run.Started, StartedBy: r.Run.By, FinishedAt: r.Run.Finished,
			Result: api.Word(string(r.Run.Result)), Discarded: r.Discarded,
		}
		p.Replaced, p.Outdated = r.Run.Outdated()
		if r.Err != nil && p.Discarded == "" {
			p.Discarded = r.Err.Error()
		}
		list = append(list, p)
	}
	return list
}

// writePast lists earlier runs, one per line.
func writePast(w io.Writer, past []api.EarlierRun) {
	var lines []string
	for _, p := range past {
		line := cmp.Or(p.ID, p.Record)
		if !p.FinishedAt.IsZero() {
			line += fmt.Sprintf("  %s  %d of %d nodes replaced  ended %s, started by %s", p.Result, p.Replaced, p.Outdated, When(p.FinishedAt.Local()), p.StartedBy)
		}
		if p.Discarded != "" {
			where := "configmap " + p.Record
			if filepath.IsAbs(p.Record) {
				where = p.Record
			}
			line += fmt.Sprintf("  %s (%s)", p.Discarded, where)
		}
		lines = append(lines, line)
	}
	List(w, "  earlier runs:", lines)
}

// StatusOf returns the state in a run's record.
func StatusOf(r record.Run) Status {
	s := Status{
		Run: r.ID, Group: r.Group, Alias: r.Alias, Strategy: r.Strategy, State: r.State, Result: r.Result, Why: r.Why,
		Started: r.Started, By: r.By, Seen: r.Seen, Stages: map[record.Stage]int{}, Left: r.Unrestored,
		Order: r.Settings.Order, Only: r.Target.Only, Until: r.Settings.Until, Gate: r.Gate, ExternalMovers: r.ExternalMovers,
		Failed: map[string][]string{}, Skipped: map[string][]string{}, run: r,
	}
	if len(s.Order) == 0 {
		s.Order = []record.Order{record.OrderRandom}
	}
	if c := r.Canary; c != nil && (c.Stands || !c.Passed) {
		s.Canary = c
	}
	if a := r.Awaits; a != nil && r.State == record.Running {
		s.Awaits = a.Why
	}
	if f := r.Foreseen; f != nil && r.State == record.Running && r.Seen.Sub(f.At) < record.Foreseeable {
		s.Forecast = f
	}
	s.Validation, s.Workloads = r.Validation, workloads.Recorded(&r)
	s.Replaced, s.Outdated = r.Outdated()
	for _, p := range r.Phases {
		if !p.Start.IsZero() && p.End.IsZero() {
			s.Phase = p.Name
		}
	}
	s.ofNodes(r)
	if b, waiting := r.Waiting(); waiting && r.State != record.Finished {
		s.Waiting = &b
	}
	return s
}

// ofNodes counts the nodes by stage and names those that failed, were skipped or are out of reach, and the pods that
// are blocked.
func (s *Status) ofNodes(r record.Run) {
	for _, id := range slices.Sorted(r.Nodes.Keys()) {
		n := r.Nodes.Get(id)
		s.Stages[n.Stage]++
		name := cmp.Or(n.Name, id)
		switch n.Stage {
		case record.NodeFail:
			s.Failed[n.Reason] = append(s.Failed[n.Reason], name)
		case record.Skipped:
			s.Skipped[n.Reason] = append(s.Skipped[n.Reason], name)
		}
		if n.Lost {
			s.Unreachable = append(s.Unreachable, name)
		}
	}
	for _, p := range r.Pods.All() {
		if p.Refusal != "" {
			s.Blocked = append(s.Blocked, p)
		}
	}
}

// FollowedOf returns the state of a run that follows an update by the group's own controller, with what keeps
// pods on the nodes that it drains, and why it may be at some of them.
func FollowedOf(r record.Run, kept []*blockers.Blocker, why string) Status {
	s := StatusOf(r)
	s.Candidates, s.WhyCandidates = r.Candidates, why
	for _, b := range kept {
		if b.Guess {
			continue // why tells of it
		}
		p := record.Pod{Ref: b.Pod, Node: b.Node, Tries: b.Tries, Message: b.Detail}
		for _, v := range b.Budgets {
			p.Budgets = append(p.Budgets, v.Ref)
		}
		s.Blocked = append(s.Blocked, p)
	}
	return s
}

// DrivenBy notes the driver of the run, or why it is unknown. A driver writes the record every
// few seconds: if the record is old although the lock is renewed, it probably cannot be written.
func (s *Status) DrivenBy(driver, unknown string, now time.Time) {
	s.Driver, s.DriverUnknown = driver, unknown
	if driver != "" && now.Sub(s.Seen) > live.Unseen {
		s.UnwrittenSince = s.Seen
	}
}

// undriven reports whether it is known that no process drives the run; an update that EKS carries out needs none.
func (s *Status) undriven() bool {
	return s.Driver == "" && s.DriverUnknown == "" && s.Strategy != strategy.EKSManaged{}.Name()
}

// called returns the group's name on screen.
func (s *Status) called() string { return cmp.Or(s.Alias, s.Group) }

// WriteStatus writes a run as text.
func WriteStatus(w io.Writer, s Status, now time.Time) {
	s.writeHead(w)
	if s.State != record.Finished {
		s.writeDriver(w, now)
		s.writeStages(w)
	}
	if s.Forecast != nil && s.Driver != "" {
		f := *s.Forecast
		if s.Waiting != nil { // who is to approve takes what time they like
			f = f.Later(now.Sub(f.At))
		}
		if line := f.Headline(now); line != "" {
			fmt.Fprintf(w, "  forecast: %s\n", line)
		}
	}
	s.writeWaits(w, now)
	for _, r := range s.ExternalMovers {
		if r.Acts {
			fmt.Fprintf(w, "  external mover: %s: %s\n", r.Action(), r.How)
		}
	}
	writeNodes(w, "failed", s.Failed)
	for _, m := range s.Others {
		fmt.Fprintln(w, "  others: "+m.Text)
	}
	writeNodes(w, "skipped", s.Skipped)
	if len(s.Unreachable) > 0 {
		fmt.Fprintf(w, "  terminated as unreachable: %s\n", strings.Join(s.Unreachable, ", "))
	}
	var blocked []string
	for _, p := range s.Blocked {
		blocked = append(blocked, fmt.Sprintf("%s on %s: %s", p.Ref, p.Node, p.Message))
	}
	List(w, "  blocked:", blocked)
	var moved []string
	for _, l := range s.Workloads {
		if l.Trouble() != record.NoTrouble {
			moved = append(moved, text.Workload(l.Kind, l.Ref(), l.Sentence()))
		}
	}
	List(w, "  workloads:", moved)
	if len(s.Candidates) > 0 {
		fmt.Fprintln(w, "  "+cmp.Or(s.WhyCandidates, "EKS may be at one of: "+strings.Join(s.Candidates, ", ")))
	}
	List(w, "  not restored:", s.Left)
	if left := s.run.RaiseLeft; left != nil {
		what, command := s.run.RaiseText(left)
		fmt.Fprintf(w, "  raise left: %s: %s\n", what, command)
	} else if left := s.run.Inherited; left != nil && s.State != record.Finished {
		what, _ := s.run.RaiseText(left)
		fmt.Fprintf(w, "  inherited raise: %s\n", what)
	}
	writePast(w, s.Past)
	if s.PoolUnknown != "" {
		fmt.Fprintln(w, "  pool state unknown: "+s.PoolUnknown)
	}
}

// writeHead writes which run it is, its progress and its settings.
func (s *Status) writeHead(w io.Writer) {
	state := string(s.State)
	if s.Result != "" {
		state += ", " + string(s.Result)
	}
	fmt.Fprintf(w, "%s  %s  %s", s.called(), s.Run, state)
	if s.Phase != "" {
		fmt.Fprintf(w, "  %s", s.Phase)
	}
	fmt.Fprintf(w, "  %d of %d nodes replaced\n", s.Replaced, s.Outdated)
	fmt.Fprintf(w, "  strategy %s, order %s", s.Strategy, orderText(s.Order))
	if len(s.Only) > 0 {
		fmt.Fprintf(w, ", only %s", strings.Join(s.Only, ", "))
	}
	if !s.Until.IsZero() {
		fmt.Fprintf(w, ", until %s", When(s.Until.Local()))
	}
	fmt.Fprintln(w)
	if s.Why != "" {
		fmt.Fprintln(w, "  "+s.Why)
	}
}

// WriteElsewhere writes a run without Kubernetes whose record is on another machine.
func WriteElsewhere(w io.Writer, s Status, cluster string) {
	fmt.Fprintf(w, "%s  %s  unfinished; recorded on another machine: %s\n", s.Group, s.Run, s.RecordAt)
	if s.Driver != "" {
		fmt.Fprintf(w, "  driven by %s\n", s.Driver)
	} else {
		fmt.Fprintf(w, "  not driven by any process; resume it there with: %s\n", UpgradeCloudOnly(s.Group, cluster))
	}
}

// writeDriver writes who started an unfinished run and which process drives it, if any.
func (s *Status) writeDriver(w io.Writer, now time.Time) {
	started := fmt.Sprintf("  started by %s, %s", cmp.Or(s.By, "unknown"), When(s.Started.Local()))
	if s.Driver != "" {
		started += "; driven by " + s.Driver
	}
	fmt.Fprintln(w, started)
	if s.DriverUnknown != "" {
		fmt.Fprintln(w, "  driver unknown: "+s.DriverUnknown)
	}
	switch age := now.Sub(s.Seen); {
	case !s.UnwrittenSince.IsZero():
		fmt.Fprintf(w, "  record not written since %s (%s): it apparently cannot be written, so nothing new starts; see the log of %s\n", s.UnwrittenSince.Local().Format("15:04:05"), age.Round(time.Second), s.Driver)
	case age > live.Unseen && s.DriverUnknown != "":
		fmt.Fprintf(w, "  last written %s ago: either no process drives it, or its record cannot be written\n", age.Round(time.Second))
	case s.undriven():
		fmt.Fprintf(w, "  no process drives it, and its record was last written %s ago; drainboard upgrade %s resumes it\n", age.Round(time.Second), s.called())
	}
}

// writeStages writes how many nodes are in each stage.
func (s *Status) writeStages(w io.Writer) {
	var stages []string
	for _, st := range []record.Stage{record.Outdated, record.Queued, record.Draining, record.Settling, record.Terminating, record.Replaced, record.Launching, record.Ready, record.Surplus, record.Updating, record.Unreachable, record.Skipped, record.NodeFail} {
		if n := s.Stages[st]; n > 0 {
			stages = append(stages, fmt.Sprintf("%d %s", n, st))
		}
	}
	fmt.Fprintln(w, "  "+strings.Join(stages, ", "))
}

// writeWaits writes what the run waits for.
func (s *Status) writeWaits(w io.Writer, now time.Time) {
	if s.Waiting != nil {
		what := fmt.Sprintf("batch %d waits for approval: %s", s.Waiting.ID, strings.Join(s.Waiting.Names, ", "))
		if s.Waiting.Phase != "" {
			what = "phase " + s.Waiting.Phase + " waits for approval"
		}
		switch {
		case s.undriven(): // nobody would hear an approval
		case s.Canary != nil && s.Canary.Stands:
			what += " (in the dashboard that drives the run: the canary is unhealthy)"
		default:
			what += fmt.Sprintf(" (drainboard approve %s --batch %d --hash %s)", s.called(), s.Waiting.ID, s.Waiting.Hash)
		}
		fmt.Fprintln(w, "  "+what)
	}
	switch c := s.Canary; {
	case c == nil:
	case c.Holds():
		fmt.Fprintln(w, "  canary unhealthy: "+c.Trouble+". The dashboard that drives the run accepts it")
	case c.Passed:
		fmt.Fprintf(w, "  canary unhealthy, accepted by %s: %s\n", c.By, c.Trouble)
	default:
		fmt.Fprintf(w, "  canary watched for another %s%s\n", max(0, s.Canary.Wait.End.Sub(now)).Round(time.Second), because(s.Canary.Trouble))
	}
	if v := s.Validation; v != nil && v.Passed.IsZero() && (s.State == record.Running || s.State == record.Paused || !v.Failed.IsZero()) {
		writeValidation(w, v, now)
	}
	if s.Gate != "" {
		fmt.Fprintln(w, "  no new drain starts: "+s.Gate)
	}
	if held := cmp.Or(s.run.Pace.Sentence(), s.run.UpdateConfig.Sentence()); held != "" {
		fmt.Fprintln(w, "  pace: "+held)
	}
	if s.Awaits != "" {
		fmt.Fprintln(w, "  waiting for Gardener: "+s.Awaits)
	}
}

// writeValidation writes why the cluster is not valid, ignored failures last.
func writeValidation(w io.Writer, v *record.Validation, now time.Time) {
	head := fmt.Sprintf("  cluster validation: passed %d of %d", v.Passes, max(v.Need, 1))
	switch {
	case !v.Failed.IsZero():
		head = "  cluster not valid in time"
	case v.Wait != nil:
		head += fmt.Sprintf(", %s left", max(0, v.Wait.End.Sub(now)).Round(time.Second))
	}
	var counts, ignored []string
	for _, f := range v.Failures {
		if f.Ignored {
			ignored = append(ignored, "ignored: "+f.Message)
		} else {
			counts = append(counts, f.Message)
		}
	}
	fmt.Fprintln(w, head)
	for _, line := range append(counts, ignored...) {
		fmt.Fprintln(w, "    - "+line)
	}
}

// writeNodes lists nodes by the reason they were left.
func writeNodes(w io.Writer, what string, why map[string][]string) {
	for _, reason := range slices.Sorted(maps.Keys(why)) {
		fmt.Fprintf(w, "  %s%s: %s\n", what, because(reason), strings.Join(short(why[reason]), ", "))
	}
}

// NodesOf returns the nodes of a run's machines.
func NodesOf(r record.Run, nodes []*world.Node) (out []*world.Node) {
	for _, n := range nodes {
		if r.Nodes.Has(n.Machine) {
			out = append(out, n)
		}
	}
	return out
}

// Unclaimed returns external movers of nodes that belong to no run.
func Unclaimed(records []live.Stored, nodes []*world.Node) []snapshot.MoverView {
	known := map[string]bool{}
	for _, r := range records {
		for id := range r.Run.Nodes.Keys() {
			known[id] = true
		}
	}
	return snapshot.Movers(slices.DeleteFunc(slices.Clone(nodes), func(n *world.Node) bool { return known[n.Machine] }), nil)
}

// WriteUnclaimed lists external movers of nodes that belong to no run.
func WriteUnclaimed(w io.Writer, movers []snapshot.MoverView) {
	if len(movers) == 0 {
		return
	}
	fmt.Fprintln(w, "Nodes without a run that external movers move (details: drainboard watch GROUP):")
	for _, m := range movers {
		fmt.Fprintln(w, "  "+m.Text)
	}
}
