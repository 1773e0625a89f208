package driver

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/clitest"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/console"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/session"
	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/kube/records"
)

// anyGroup is a group that all rules fit and that has lost no template.
type anyGroup struct{ backend.Group }

func (anyGroup) Fits(engine.Strategy) error { return nil }
func (anyGroup) Gone(context.Context, record.Run, *world.World) ([]world.Template, error) {
	return nil, nil
}

func choosing(t *testing.T, w *world.World, record string) (*driver, *bytes.Buffer) {
	var out bytes.Buffer
	k := clitest.AnyCluster(t, http.StatusNotFound, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404}`)
	u := &Upgrade{Console: console.Console{Out: &out, Err: &out}, Group: "web", RecordChoice: record}
	return &driver{Upgrade: u, session: &session.Session{Environment: session.NewInCluster(k, "drainboard")}, at: anyGroup{}, view: session.View{World: w}, lease: &session.Lease{Record: records.New(k, "drainboard", "web")}}, &out
}

func TestRecordThatDoesNotFit(t *testing.T) {
	w, run := clitest.Rolled()
	d, _ := choosing(t, w, "")
	if got, err := d.fit(t.Context(), run); err != nil || got.ID != run.ID {
		t.Fatalf("a record that fits: %v", err)
	}
	run.Base.Max, run.MaxSet = 50, 5
	_, err := d.fit(t.Context(), run)
	var e *exitcode.Error
	if !errors.As(err, &e) || e.Code != exitcode.WrongUse {
		t.Fatalf("got %v", err)
	}
	for _, want := range []string{"web-1", "min 1, max 50, desired 1", "Nothing was changed", "drainboard upgrade web --record fitting", "drainboard upgrade web --record discard"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %q", err, want)
		}
	}
	d, out := choosing(t, w, RecordFitting)
	fitted, err := d.fit(t.Context(), run)
	if err != nil || fitted.Base != w.Group.Sizes || len(fitted.Unrestored) != 1 || !strings.Contains(out.String(), "max 50") {
		t.Errorf("fitting: %+v, %v: %s", fitted.Base, err, out)
	}
}

func TestRecordOfAGroupMadeAnew(t *testing.T) {
	w, run := clitest.Rolled()
	run.GroupID = "arn:0"
	for _, record := range []string{"", RecordFitting} { // nothing of it could fit
		d, _ := choosing(t, w, record)
		_, err := d.fit(t.Context(), run)
		if err == nil || !strings.Contains(err.Error(), "deleted and recreated") || strings.Contains(err.Error(), "--record fitting") || !strings.Contains(err.Error(), "--record discard") {
			t.Errorf("--record %q: %v", record, err)
		}
	}
}

func TestDiscardTellsWhatIsLeft(t *testing.T) {
	w, _ := clitest.Rolled()
	d, out := choosing(t, w, RecordDiscard)
	var told []record.Event
	d.listeners = append(d.listeners, func(list []record.Event) { told = append(told, list...) })
	if err := d.discard(t.Context(), nil, "the unfinished run web-1"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"left by an earlier run: remove taint drainboard.dev/surplus:PreferNoSchedule from a: kubectl taint node a drainboard.dev/surplus:PreferNoSchedule-", "or set by another user: resume AZRebalance: aws autoscaling resume-processes"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, out)
		}
	}
	if len(told) != 4 {
		t.Errorf("%d events", len(told))
	}
}

// What a readable record says that the run has made of the group is named, and nothing
// is named twice.
func TestDiscardNamesWhatTheRunHasChanged(t *testing.T) {
	w, run := clitest.Rolled()
	target := world.Template{ID: "lt-1", Version: 3}
	run.Phases[0].End, run.Target.Templates = run.Started, []world.Template{target}
	run.Raised, run.Raise, run.MaxSet, run.Suspended = true, 2, 5, []string{"AZRebalance"}
	w.Group.Template, w.Group.Sizes = target, world.Sizes{Min: 1, Max: 5, Desired: 3}
	d, out := choosing(t, w, RecordDiscard)
	if err := d.discard(t.Context(), &run, "the unfinished run web-1"); err != nil {
		t.Fatal(err)
	}
	clitest.Contains(t, out.String(), "changed by run web-1 and not restored: the group web is 2 machines larger than before (min 1, max 3, desired 1); to shrink it: aws autoscaling describe-auto-scaling-groups --auto-scaling-group-names web",
		"LaunchTemplateId=lt-1,Version=2", "not restored: resume AZRebalance", "treats existing marks, sizes and launch template as set by other users")
	if n := strings.Count(out.String(), "resume AZRebalance"); n != 1 {
		t.Errorf("it is named %d times:\n%s", n, out)
	}
	run.GroupID = "arn:0" // what it says is of a group that is gone
	d, out = choosing(t, w, RecordDiscard)
	if err := d.discard(t.Context(), &run, "the unfinished run web-1"); err != nil || strings.Contains(out.String(), "changed by") {
		t.Errorf("%v: %s", err, out)
	}
}

func TestUnreadableRecordOffersAChoice(t *testing.T) {
	for _, cause := range []error{&live.DamagedError{Record: "drainboard/run-web", Err: errors.New("it has no version")}, &live.NewerError{Record: "drainboard/run-web", Version: 9, Known: 1}} {
		if err := session.Unreadable(cause, "drainboard upgrade web"); !strings.Contains(err.Error(), cause.Error()) || !strings.Contains(err.Error(), "drainboard upgrade web --record discard") {
			t.Errorf("got %v", err)
		}
	}
	if err := session.Unreadable(errors.New("the API is away"), "drainboard upgrade web"); strings.Contains(err.Error(), "discard") {
		t.Errorf("a record that is only out of reach is offered to be discarded: %v", err)
	}
	if err := CheckRecordChoice("odd"); err == nil {
		t.Error("--record odd is taken")
	}
}

// Who continues with a run that has paused machine deployments must give the control cluster;
// who ends it need not.
func TestRecordHoldsARoll(t *testing.T) {
	w, run := clitest.Rolled()
	g := w.Group
	g.Pool = &world.Pool{Name: "web"}
	w.SetGroup(g)
	run.Strategy, run.State, run.PausedDeployments, run.PausedIn = "gardener-follow", record.Paused, []string{"web-z1"}, "shoot--dev--prod"
	d, _ := choosing(t, w, "")
	_, err := d.fit(t.Context(), run)
	if clitest.ExitOf(err) != exitcode.WrongUse || !strings.Contains(err.Error(), "has paused web-z1") || !strings.Contains(err.Error(), "--control-kubeconfig") {
		t.Errorf("without the control cluster: %v", err)
	}
	d.Abort = &record.Command{Kind: record.CmdAbort}
	if _, err := d.fit(t.Context(), run); err != nil {
		t.Errorf("to end it: %v", err)
	}
	d.Abort = nil
	g.Pool = &world.Pool{Name: "web", Control: true}
	w.SetGroup(g)
	if _, err := d.fit(t.Context(), run); err != nil {
		t.Errorf("with the control cluster: %v", err)
	}
}
