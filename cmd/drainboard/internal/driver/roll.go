package driver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/planner"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/session"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/roll"
)

// rollDriver drives several runs in the order of roll.Decide. Each is an Upgrade of its own,
// which takes the lock of its group when its turn comes.
type rollDriver struct {
	*Upgrade
	session *session.Session
	rules   roll.Rules
	// start drives the run of one group to its end; tests have their own.
	start   func(context.Context, *Upgrade) error
	tell    func([]record.Event) // receives events of the roll and its groups; may be nil
	screen  *sharedScreen        // of a dashboard or lines, nil without
	now     func() time.Time     // the cluster's
	context string               // the kubeconfig's

	value roll.Roll
	log   []record.Event // events of the roll
	ends  chan roll.End
	woken chan struct{}     // buffered, of one: the operator gave a command for the roll
	said  []*deferredOutput // output of the groups, written once the dashboard is closed

	mu      sync.Mutex
	members map[string]*Upgrade // of the groups in progress
	word    roll.News           // the operator's first command for the roll
	crash   error               // a bug, in one of the runs
}

// cannotRoll says why a roll cannot be started, nil if it can; see cannotStart.
func cannotRoll(p present.RollPlan, auto bool) error {
	for _, name := range p.Roll.Names(roll.Waiting) {
		if plan := p.Plans[name]; plan.QuorumLost != "" {
			if err := cannotStart(plan, auto); err != nil {
				return fmt.Errorf("group %s: %w", name, err)
			}
		}
	}
	return present.CannotRoll(p)
}

// rollThrough plans a roll, prompts, and drives it.
func (u *Upgrade) rollThrough(ctx context.Context, s *session.Session) error {
	u.Several = true
	p, err := planner.Planner{Session: s, Request: &u.Request, Auto: u.Auto}.Roll(ctx, &u.Scope)
	if err != nil {
		return err
	}
	if err := cannotRoll(p, u.Auto); err != nil {
		return err
	}
	if slices.ContainsFunc(p.Roll.Names(roll.Waiting), func(name string) bool { return p.Plans[name].Run.Settings.Singles }) {
		if err := s.MayScale(ctx); err != nil {
			return exitcode.Usage(err)
		}
	}
	nothing := len(p.Roll.Names(roll.Waiting)) == 0
	if !u.Auto && (!u.Yes || nothing) {
		present.WriteRollPlan(u.Out, p, s.Clock().Now(), false)
	}
	if !u.Auto && !u.Yes && !nothing && !u.Ask(ctx, u.Marked(s.Context(), "Start this roll? [y/N] ")) {
		return exitcode.With(exitcode.Aborted, errors.New("not started"))
	}
	if u.Where.CloudOnly && !u.Auto && !nothing && !u.consents(ctx, s.Context(), s.Cluster()) {
		return exitcode.With(exitcode.Aborted, errors.New("not started"))
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	close(u.driving)
	r := newRoll(u, p.Rules, p.Roll)
	r.session, r.now, r.context = s, s.Clock().Now, s.Context()
	switch {
	case nothing:
		return r.nothing(ctx)
	case u.Auto:
		return r.headless(ctx)
	}
	return r.interactive(ctx)
}

func newRoll(u *Upgrade, rules roll.Rules, value roll.Roll) *rollDriver {
	r := &rollDriver{
		Upgrade: u, rules: rules, value: value, members: map[string]*Upgrade{}, now: time.Now,
		ends: make(chan roll.End), woken: make(chan struct{}, 1),
	}
	r.start = func(ctx context.Context, m *Upgrade) error {
		return m.onGroup(ctx, r.session)
	}
	if u.Auto {
		r.tell = present.NewPrinter(u.Out, u.JSON, true).Events
	}
	return r
}

// nothing ends a roll without a group to start.
func (r *rollDriver) nothing(ctx context.Context) error {
	r.through(ctx)
	text := "nothing to do"
	if code := r.value.ExitCode(); code != 0 {
		return exitcode.Told(code, errors.New(text+", but nodes are outdated in groups that cannot be rolled now"))
	}
	fmt.Fprintln(r.Err, text)
	return nil
}

// through drives the roll to its end.
func (r *rollDriver) through(ctx context.Context) {
	var news roll.News
	for {
		word := r.told()
		news.Stop, news.Told = word.Stop, word.Told
		d := roll.Decide(r.rules, r.now(), r.value, news)
		r.value, news = d.Roll, roll.News{}
		r.value.Again = r.again()
		r.log = append(r.log, d.Events...)
		if r.tell != nil {
			r.tell(d.Events)
		}
		if r.screen != nil {
			r.screen.decided(r.value)
		}
		if r.value.Over() {
			return
		}
		for _, group := range d.Start {
			m, mine := r.join(ctx, group)
			go live.Guarded(func() { r.ends <- r.drive(mine, m) }, func(err error) {
				r.ends <- roll.End{Group: group, Code: exitcode.Failed, Why: err.Error()}
			})()
		}
		select {
		case e := <-r.ends:
			news.Ends = append(news.Ends, e)
		case <-r.woken:
		}
	}
}

// again returns the command that resumes the roll. With --all-nodes a rolled node cannot be
// recognized: only the groups that are not done are named.
func (r *rollDriver) again() string {
	if !r.AllNodes {
		return r.value.Again
	}
	var names []string
	for _, g := range r.value.Groups {
		if g.State != roll.LeftOut && (g.State != roll.Finished || g.Bad()) {
			names = append(names, g.Name)
		}
	}
	if len(names) == 0 {
		return r.value.Again
	}
	return r.Line.Repeat(names...)
}

// join returns the Upgrade of a group, and its context.
func (r *rollDriver) join(ctx context.Context, group string) (*Upgrade, context.Context) {
	m := *r.Upgrade
	m.Group, m.Yes = group, true // the roll was confirmed
	m.signals, m.driving = make(chan os.Signal, cap(r.signals)), make(chan struct{})
	m.part = &member{group: group, roll: r.value.ID, tell: r.tell, before: slices.Clone(r.log)}
	ctx, m.part.cancel = context.WithCancel(ctx)
	if r.screen != nil {
		said := &deferredOutput{}
		m.Out, m.Err = said, said
		m.part.shared = func(ctx context.Context, loop *live.Loop, run record.Run, from *operator) (record.Run, error) {
			return r.screen.drive(ctx, group, loop, run, from)
		}
		r.said = append(r.said, said)
	}
	r.mu.Lock()
	r.members[group] = &m
	stopped := r.word.Stop != ""
	r.mu.Unlock()
	if stopped {
		m.part.stop()
	}
	return &m, ctx
}

// drive drives a group's run, and returns its result.
func (r *rollDriver) drive(ctx context.Context, m *Upgrade) roll.End {
	defer m.part.cancel()
	err := live.Caught(func() error { return r.start(ctx, m) })
	r.mu.Lock()
	delete(r.members, m.part.group)
	r.mu.Unlock()
	run := m.part.last
	end := roll.End{Group: m.part.group, Unbegun: m.part.unbegun(), Run: run.ID, Result: run.Result, Why: run.Why, Left: run.Unrestored}
	end.Done, end.Total = run.Outdated()
	if err == nil || end.Unbegun {
		return end
	}
	end.Code = exitcode.Failed
	var e *exitcode.Error
	if errors.As(err, &e) {
		end.Code = e.Code
	}
	if end.Why == "" {
		end.Why, _, _ = strings.Cut(err.Error(), "\n")
	}
	fmt.Fprintf(m.Err, "drainboard: %s: %s\n", m.part.group, err)
	var crash *live.Crash
	if errors.As(err, &crash) {
		r.mu.Lock()
		r.crash = err
		r.mu.Unlock()
	}
	return end
}

// stop prevents further groups from starting, and ends those that have not begun.
func (r *rollDriver) stop(why string, told int) {
	r.mu.Lock()
	if r.word.Stop == "" {
		r.word = roll.News{Stop: why, Told: told}
	}
	r.mu.Unlock()
	select {
	case r.woken <- struct{}{}:
	default:
	}
	for _, m := range r.underway() {
		m.part.stop()
	}
}

// told returns the operator's command for the roll.
func (r *rollDriver) told() roll.News {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.word
}

// underway returns the upgrades in progress.
func (r *rollDriver) underway() (all []*Upgrade) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, m := range r.members {
		all = append(all, m)
	}
	return all
}

// headless drives the roll without a dashboard: a signal aborts the runs in progress, and
// ends the roll with them; a second one stops at once.
func (r *rollDriver) headless(ctx context.Context) error {
	ctx, done := context.WithCancel(ctx)
	defer done()
	go live.Guarded(func() {
		for {
			select {
			case s := <-r.signals:
				r.interrupt(s)
			case <-ctx.Done():
				return
			}
		}
	}, nil)()
	r.through(ctx)
	return r.conclude()
}

// interrupt passes a signal to the drivers of the runs, which report it.
func (r *rollDriver) interrupt(s os.Signal) {
	members := r.underway()
	if len(members) == 0 {
		fmt.Fprintf(r.Err, "drainboard: %s: the roll ends here\n", s)
	}
	for _, m := range members {
		select {
		case m.signals <- s:
		default:
		}
	}
	r.stop(fmt.Sprintf("ended by %s (%s)", session.User(), s), exitcode.Aborted)
}

// conclude writes how the roll ended, and returns its exit code.
func (r *rollDriver) conclude() error {
	for _, said := range r.said {
		said.tell(r.Err)
	}
	var lines []string
	for _, g := range r.value.Groups {
		lines = append(lines, g.Sentence())
	}
	if !r.Plain { // plain lines have shown it
		present.List(r.Err, "The roll "+r.value.ID+":", lines)
	}
	text := "the roll: " + r.value.Sentence()
	if len(r.value.Names(roll.NotStarted)) > 0 || slices.ContainsFunc(r.value.Groups, roll.Group.Bad) {
		text += "\nTo continue: " + r.value.Again
	}
	code := r.value.ExitCode()
	switch {
	case r.crash != nil:
		return exitcode.Told(code, fmt.Errorf("%s\n%w", text, r.crash)) // by roll.finished
	case code != 0:
		return exitcode.Told(code, errors.New(text))
	}
	fmt.Fprintln(r.Err, text)
	return nil
}
