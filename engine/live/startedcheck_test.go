package live

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// record reads what is written.
func (p *startedPlay) record() (run record.Run) {
	if err := json.Unmarshal(p.saved, &run); err != nil {
		p.breaks("the record cannot be read: %v", err)
	}
	return run
}

// checkDecided holds an action when it is decided on: it is in the record, with what it is by.
func (p *startedPlay) checkDecided(a record.Action) {
	run := p.record()
	if run.Pending[a.Key].Asked.IsZero() {
		p.breaks("%s is asked for before the record says so", a.Key)
	}
	if of := " --cluster-name prod --nodegroup-name web "; (a.Kind == record.StartUpdate || a.Kind == record.SetUpdateConfig) && !strings.Contains(a.Command()+" ", of) {
		p.breaks("it asks for an update of %q by %q", of, a.Command())
	}
	switch a.Kind {
	case record.StartUpdate:
		if read := p.read.Config(); run.Pending[a.Key].Asked.Equal(p.now) && (p.read.ConfigOld || p.request.Config.Over(read) != read) {
			p.breaks("an update is asked for, the configuration was read as %s (old: %v), and %s was to be set before", read, p.read.ConfigOld, p.request.Config)
		}
	case record.SetUpdateConfig:
		if run.UpdateConfig == nil {
			p.breaks("a configuration is set that the record does not restore")
		}
	case record.Scale:
		if !slices.ContainsFunc(slices.Collect(maps.Values(run.Singles)), func(x record.Single) bool { return x.UID == a.UID && x.Open() }) {
			p.breaks("Deployment %s is scaled, and the record does not restore it", a.Object)
		}
	case record.Delete:
		i := slices.IndexFunc(run.Orders, func(o record.ForceOrder) bool { return o.ID == a.Order })
		switch {
		case i < 0:
			p.breaks("pod %s is deleted, and no order is in the record", a.UID)
		case run.Orders[i].By == "" || run.Orders[i].Over || run.Orders[i].UID != "" && run.Orders[i].UID != a.UID || run.Orders[i].Node != a.Node:
			p.breaks("pod %s of %s is deleted by order %+v", a.UID, a.Node, run.Orders[i])
		case !p.forces[a.UID] && !p.forces[a.Node+"/"]:
			p.breaks("pod %s is deleted, and no operator has said so", a.UID)
		}
	}
	if helps := a.Kind == record.Evict || a.Kind == record.Delete || a.Kind == record.Scale; helps && !p.request.HelpAlong {
		p.breaks("it asks for %s %s, and was not to help", a.Kind, a.UID)
	}
}

// checkAsk holds an action when it arrives, against the world as it is.
func (p *startedPlay) checkAsk(a record.Action) {
	switch a.Kind {
	case record.StartUpdate:
		p.checkStart(a)
	case record.Evict:
		pod := p.e.pod(a.UID)
		if pod == nil || pod.Terminating() {
			return
		}
		if _, picked := p.e.picked[pod.Node]; !picked && p.e.earlier[pod.Node].IsZero() && !p.e.ending[pod.Node] {
			p.breaks("pod %s is evicted from %s, where EKS is not", a.UID, pod.Node)
		}
		if u := p.e.latest(); !p.e.ending[pod.Node] && !u.over.IsZero() && p.record().Pending[a.Key].Asked.Sub(u.over) > settings().CloudMaxAge+late {
			p.breaks("pod %s is evicted from %s, and %s has ended at %s", a.UID, pod.Node, u.ID, u.over.Format(time.TimeOnly))
		}
	case record.Scale:
		app := p.e.apps[a.Object]
		if a.Replicas > a.FromReplicas && (app.holder != "" || app.recreate) {
			p.breaks("Deployment %s is scaled, which %q holds (Recreate: %v)", a.Object, app.holder, app.recreate)
		}
	}
}

// checkStart holds a request for an update: a token is for one try, a try comes after the end of the one before it, and
// none comes beside another user's that could be seen.
func (p *startedPlay) checkStart(a record.Action) {
	if p.e.tokens[a.Token] != "" {
		return // answered with the same update
	}
	last := p.e.latest()
	if last != nil && last.Status == world.UpdateRuns && last.ours && !last.Since.Before(p.run.Started) {
		p.breaks("a second update is asked for, and %s of ours is under way", last.ID)
	}
	if busy := p.e.busy(); busy != nil && !p.cloudFresh.IsZero() && p.read.Named(busy.ID) != nil && !p.read.Named(busy.ID).Over() && p.now.Sub(busy.Since) > 15*time.Second {
		p.breaks("an update is asked for, and %s is seen to be under way", busy.ID)
	}
	tries := 0
	for _, u := range p.e.updates {
		if u.ours && u.Kind == world.VersionUpdate && !u.Since.Before(p.run.Started) {
			if tries++; u.Status != world.UpdateFailed {
				p.breaks("an update is asked for after %s, which has ended %s", u.ID, u.Status)
			}
		}
	}
	if tries > p.request.Retry+p.again {
		p.breaks("an update is asked for after %d that have failed, and %d may be retried", tries, p.request.Retry)
	}
	if !p.aborted.IsZero() && p.record().State != record.Running && p.record().Pending[a.Key].Asked.After(p.aborted) {
		p.breaks("an update is asked for after an abort")
	}
	asked := p.record().Pending[a.Key].Asked
	users := slices.ContainsFunc(p.e.updates, func(u *eksRequest) bool { // the request was on its way, or their change was not read yet
		return !u.ours && u.Kind == "ConfigUpdate" && u.Since.After(asked.Add(-15*time.Second))
	})
	if want := p.request.Config.Over(p.e.config); want != p.e.config && !users {
		p.breaks("an update is asked for with %s, and %s was to be set before", p.e.config, want)
	}
}

// failed is how a warning begins that an update has failed.
var failed = regexp.MustCompile(`^EKS update (\S+) failed\b`)

// checkFailure holds a warning that an update has failed against how EKS has ended it: it is told once.
func (p *startedPlay) checkFailure(event record.Event) {
	m := failed.FindStringSubmatch(event.Message)
	if m == nil || event.Type != record.Warning {
		return
	}
	if u := p.followed(m[1]); u == nil || u.Status != world.UpdateFailed {
		p.breaks("%s is told to have failed, and has not: %q", m[1], event.Message)
	}
	if p.failures[m[1]] {
		p.breaks("%s is told twice to have failed: %q", m[1], event.Message)
	}
	p.failures[m[1]] = true
}

// checkFailures: who has a failed update start again tells that it has failed.
func (p *startedPlay) checkFailures(run record.Run) {
	later := false
	for _, u := range p.e.updates { // the newest first
		if u.Kind != world.VersionUpdate || !u.ours || u.Since.Before(run.Started) {
			continue
		}
		if _, told := p.failures[u.ID]; u.Status == world.UpdateFailed && later && !told {
			p.breaks("%s has failed, the update was started again, and that was not told", u.ID)
		}
		later = true
	}
}

// noteAsk counts what came of actions.
func (p *startedPlay) noteAsk(a record.Action, o record.Outcome) {
	if o.Verdict != record.Done {
		return
	}
	switch {
	case a.Kind == record.StartUpdate && strings.Contains(a.Token, "retry"):
		p.told["started again"]++
	case a.Key == record.UpdateConfigKey:
		p.told["configured"]++
	case a.Key == record.RestoreConfigKey:
		p.told["restored"]++
	case a.Kind == record.Delete:
		p.told["forced"]++
	case a.Kind == record.Scale && a.Replicas > 1:
		p.told["single raised"]++
	case a.Kind == record.Scale:
		p.told["single restored"]++
	}
}

// ended holds how the run ended against what EKS has done, and what is left.
func (p *startedPlay) ended() {
	run := p.run
	p.told[fmt.Sprint("exit ", run.ExitCode())]++
	p.checkResult(run)
	p.checkConfig(run)
	p.checkFailures(run)
	for name, app := range p.e.apps {
		named := slices.ContainsFunc(run.Unrestored, func(line string) bool { return strings.Contains(line, "deployment "+name+" ") })
		if away := p.now.Sub(p.blind["cluster"]) < 2*time.Minute; app.ours && app.replicas > 1 && !(named && away) {
			p.breaks("Deployment %s keeps %d replicas: %q %+v", name, app.replicas, run.Unrestored, run.Singles)
		}
		if !app.ours && app.replicas != app.user {
			p.breaks("Deployment %s has %d replicas, and a user has set %d", name, app.replicas, app.user)
		}
	}
}

// followed is the update that the run followed last, nil for none.
func (p *startedPlay) followed(id string) *eksRequest {
	i := slices.IndexFunc(p.e.updates, func(u *eksRequest) bool { return u.ID == id })
	if i < 0 {
		return nil
	}
	return p.e.updates[i]
}

func (p *startedPlay) checkResult(run record.Run) {
	code, u := run.ExitCode(), p.followed(run.Update)
	if run.Update != "" && u == nil {
		p.breaks("it followed %s, which EKS does not know", run.Update)
		return
	}
	if u != nil && !u.ours {
		p.told["attached"]++
	}
	if run.Target.Update.OnlyRestores {
		return
	}
	switch {
	case code == 3:
		if p.aborted.IsZero() {
			p.breaks("it ends as aborted, and nobody has: %s", run.Why)
		}
	case code == 0 && u == nil:
		p.breaks("it ends well, and no update was made: %s", run.Why)
	case code == 0 && u.Status != world.UpdateSucceeded:
		p.breaks("it ends well, and %s is %s", u.ID, u.Status)
	case code == 0 && p.request.Release != "" && u.Release != p.request.Release:
		p.breaks("it ends well, and %s goes to %s", u.ID, u.Release)
	case code != 0 && u == nil:
		p.told["refused"]++
		if p.e.busy() == nil && len(p.e.updates) == 0 {
			p.breaks("it ends with %d without an update: %s", code, run.Why)
		}
	case code != 0 && u.Status == world.UpdateRuns:
		p.breaks("it ends with %d, and %s is under way: %s", code, u.ID, run.Why)
	case code != 0 && u.Status == world.UpdateSucceeded:
		if code != 1 || run.UpdateConfig == nil && !strings.Contains(run.Why, "configuration") { // what it has set could not be restored
			p.breaks("it ends with %d, and %s is %s: %s", code, u.ID, u.Status, run.Why)
		}
	case code != 0:
		want := 1
		for _, e := range u.Errors {
			want = map[string]int{"PodEvictionFailure": 4, "NodeCreationFailure": 5, "Unknown": 1}[e.Code]
		}
		if code != want {
			p.breaks("it ends with %d, and %s with %+v: %s", code, u.ID, u.Errors, run.Why)
		}
		if ours := len(run.FailedUpdates); ours < p.request.Retry {
			p.breaks("it ends after %d retries of %d: %s", ours, p.request.Retry, run.Why)
		}
	}
}

// checkConfig: the configuration is what users have set last, or what is left is named with the command that restores it.
func (p *startedPlay) checkConfig(run record.Run) {
	if p.e.config == p.e.was || p.e.configuring != nil && !p.e.configuring.ours {
		return
	}
	named := slices.ContainsFunc(run.Unrestored, func(line string) bool { return strings.Contains(line, "update-nodegroup-config") })
	if !named {
		p.breaks("the configuration is %s, users have set %s, and nothing is said: %+v; %q", p.e.config, p.e.was, run.UpdateConfig, run.Notes)
		return
	}
	if run.ExitCode() != 3 && p.e.busy() == nil && p.e.configFails == 0 && run.State == record.Finished {
		p.breaks("the configuration is %s, users have set %s, and the run has ended with %d: %q", p.e.config, p.e.was, run.ExitCode(), run.Why)
	}
}

// next begins the run that restores what the last one has left, and reports whether there is one.
func (p *startedPlay) next() bool {
	if p.chain++; p.run.UpdateConfig == nil || p.chain > 2 || len(p.broken) > 0 {
		return false
	}
	for p.e.busy() != nil { // a user waits for EKS
		p.around()
	}
	h := *p.run.UpdateConfig
	if now := p.e.config; now != h.Set && now != h.From || now == h.Was { // as the plan judges it
		return false
	}
	p.told["restored by the next"]++
	h.Restoring, h.Asked, h.Update = false, 0, ""
	p.request = record.UpdateRequest{Cluster: "prod", OnlyRestores: true}
	p.begin(fmt.Sprint("run-", p.chain+1), &h)
	return true
}
