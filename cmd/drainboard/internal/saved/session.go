package saved

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/session"
	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg"
)

// Session returns a session whose only group is that of the file. It is for plans: what drives or
// changes a group is not there.
func (f *File) Session() *session.Session {
	return &session.Session{Environment: &environment{file: f}, Groups: groups{f}}
}

// environment is that of the file's cluster. Plans ask it for nothing but what is defined here.
type environment struct {
	session.Environment // nil
	file                *File
}

// clock stands still at the moment when the cluster was read.
type clock time.Time

func (c clock) Now() time.Time    { return time.Time(c) }
func (clock) Skew() time.Duration { return 0 }

func (e *environment) Clock() live.Clock { return clock(e.file.At) }
func (e *environment) Cluster() string   { return e.file.Cluster }
func (*environment) Context() string     { return "" }
func (*environment) Lacks() error        { return nil }

func (e *environment) Record(string) session.RunRecord { return runRecord{file: e.file} }

func (e *environment) Nodes(context.Context) ([]*world.Node, error) { return e.file.World.Nodes, nil }

func (*environment) Note(context.Context, []present.GroupRow, []*world.Node) error { return nil }

func (*environment) Open(ctx context.Context, _ backend.Group, feed backend.Feed, _ *live.Watch) (*live.FeedQueue, []world.Source) {
	return live.Open(ctx, feed), []world.Source{world.Cluster, world.Cloud}
}

// runRecord is the record of the file's last run.
type runRecord struct {
	session.RunRecord // nil
	file              *File
}

func (r runRecord) Load(context.Context) (run record.Run, found bool, err error) {
	if r.file.Last == nil {
		return run, false, nil
	}
	return *r.file.Last, true, nil
}

// groups has the file's group alone.
type groups struct{ file *File }

func (g groups) Find(_ context.Context, name string) (backend.Group, error) {
	if name != g.file.World.Group.Name && name != g.file.Alias {
		return nil, fmt.Errorf("the file has group %s only", g.file.World.Group.Name)
	}
	return group{file: g.file}, nil
}

func (g groups) FindAs(ctx context.Context, name, _ string) (backend.Group, error) {
	return g.Find(ctx, name)
}

func (groups) List(context.Context, []*world.Node) ([]present.GroupRow, error) { return nil, nil }
func (groups) Several() error                                                  { return errors.New("the file has one group only") }
func (groups) Region() string                                                  { return "" }

// group is the file's group. Plans ask it for nothing but what is defined here.
type group struct {
	backend.Group // nil
	file          *File
}

func (g group) Name() string     { return g.file.World.Group.Name }
func (g group) Alias() string    { return g.file.Alias }
func (g group) Provider() string { return g.file.Provider }
func (g group) Strategy() string { return g.file.Rules }

func (g group) Feed(func(context.Context) time.Time) backend.Feed { return feed{g.file} }

// Fits refuses kops's rules elsewhere, as they validate a whole kops cluster.
func (g group) Fits(rules engine.Strategy) error {
	if rules.Name() == present.StrategyKops && g.file.Provider != backend.Kops {
		return fmt.Errorf("--strategy kops: group %s was not created by kops", g.Name())
	}
	return nil
}

// Settings lays the flags over the settings of the saved plan, or, by other rules, over theirs.
func (g group) Settings(_ context.Context, rules engine.Strategy, asked backend.Asked) (record.Settings, []string, error) {
	if rules.Name() != g.file.Rules {
		s, err := asked.Settings(rules)
		return s, nil, err
	}
	s, err := asked.Settings(asSaved{rules, g.file.Settings})
	return s, g.file.Notes, err
}

// asSaved are rules whose defaults are the settings of the saved plan.
type asSaved struct {
	engine.Strategy
	settings record.Settings
}

func (a asSaved) Defaults() record.Settings { return a.settings }

func (g group) Target(_ context.Context, o asg.TargetOptions) (record.Target, error) {
	if o != (asg.TargetOptions{}) {
		return record.Target{}, errors.New("--launch-template-version and --ami need the group itself: they cannot be used with --from")
	}
	return g.file.Target, nil
}

func (g group) Rights(context.Context, engine.Strategy, *world.World, *snapshot.Plan) []snapshot.Right {
	return g.file.Rights
}

// feed posts the file's cluster once.
type feed struct{ file *File }

func (feed) Poke()    {}
func (feed) ReadNow() {}

func (f feed) Run(ctx context.Context, post func(live.Change)) error {
	var err error
	filled := make(chan struct{})
	post(func(w *world.World) {
		err = f.file.World.Fill(w)
		close(filled)
	})
	select {
	case <-filled:
	case <-ctx.Done():
	}
	return err
}
