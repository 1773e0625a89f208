package eks

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/eks"
	"github.com/aws/aws-sdk-go-v2/service/eks/types"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// Executor carries out what is asked of EKS for one node group. It is safe for concurrent use.
type Executor struct {
	mu      sync.Mutex // of d
	d       *details
	now     func() time.Time
	changed func()
}

var _ live.Executor = (*Executor)(nil)

// Executor makes an executor for a node group. now is the cluster's time, for outcomes; changed is called after
// each change that happened or may have.
func (c *Client) Executor(p Place, now func() time.Time, changed func()) *Executor {
	return &Executor{d: c.details(p), now: now, changed: changed}
}

// Do carries out one action and says what came of it, as asg.Executor does.
func (e *Executor) Do(ctx context.Context, a record.Action) record.Outcome {
	ctx, cancel := context.WithTimeoutCause(ctx, callTimeout, fmt.Errorf("no answer within %s", callTimeout))
	defer cancel()
	o := e.do(ctx, a)
	o.Key, o.At = a.Key, e.now()
	if !a.ReadOnly() && o.Verdict != record.Refused {
		e.d.c.changed.Store(time.Now().UnixNano())
		e.changed()
	}
	return o
}

func (e *Executor) do(ctx context.Context, a record.Action) record.Outcome {
	switch lacks := a.Lacks(); {
	case lacks != "":
		return invalid(fmt.Sprintf("the action %s lacks the %s", a.Kind, lacks))
	case a.Kind == record.StartUpdate && a.Group == e.d.at.Name:
		return e.start(ctx, a)
	case a.Kind == record.CheckEffect && a.Of.Kind == record.StartUpdate:
		return e.started(ctx, *a.Of)
	case a.Kind == record.SetUpdateConfig && a.Group == e.d.at.Name:
		return e.configure(ctx, a)
	case a.Kind == record.CheckEffect && a.Of.Kind == record.SetUpdateConfig:
		return e.configured(ctx, *a.Of)
	}
	return invalid("the Auto Scaling group of a managed node group is EKS's to change")
}

func invalid(message string) record.Outcome {
	return record.Outcome{Verdict: record.Refused, Refusal: record.RefusedInvalid, Message: message}
}

// start asks for an update. The SDK may send it again: EKS answers a token with the update that it made for it.
func (e *Executor) start(ctx context.Context, a record.Action) record.Outcome {
	in := &eks.UpdateNodegroupVersionInput{
		ClusterName: &e.d.at.Cluster, NodegroupName: &e.d.at.Name, ClientRequestToken: &a.Token,
		Force: a.Update.Force, Version: given(a.Update.Kubernetes), ReleaseVersion: given(a.Update.Release),
	}
	if a.Update.TemplateVersion != "" {
		in.LaunchTemplate = &types.LaunchTemplateSpecification{Name: &a.Update.Template, Version: &a.Update.TemplateVersion}
	}
	out, err := e.d.c.api.UpdateNodegroupVersion(ctx, in)
	switch {
	case err != nil:
		return e.d.c.asg.Judge(err)
	case out.Update == nil || aws.ToString(out.Update.Id) == "":
		return record.Outcome{Verdict: record.Unknown, Message: "EKS did not return the update"}
	}
	return record.Outcome{Verdict: record.Done, Update: *out.Update.Id}
}

// given is a value of a request, nil for none.
func given(value string) *string {
	if value == "" {
		return nil
	}
	return &value
}

// started looks for the update that a request made whose answer was lost: the first that is newer than what was
// known before and goes where the request asked.
func (e *Executor) started(ctx context.Context, of record.Action) record.Outcome {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.d.update(ctx); err != nil {
		return record.Outcome{Verdict: record.Unknown, Message: e.d.c.asg.Explain(err).Error()}
	}
	all := versionUpdates(&e.d.last)
	at := slices.IndexFunc(all, func(u *world.ManagedUpdate) bool { return u.ID == of.Last })
	switch {
	case at < 0 && of.Last != "" && (len(all) == 0 || all[0].Over()): // EKS has forgotten that one: what is over may be older
		at = 0
	case at < 0 && of.Last != "":
		at = 1
	case at < 0:
		at = len(all)
	}
	for _, u := range slices.Backward(all[:at]) {
		if of.Update.Contradicts(u) == "" {
			return record.Outcome{Verdict: record.Done, Happened: true, Update: u.ID}
		}
	}
	return record.Outcome{Verdict: record.Done}
}

// versionUpdates are the updates of a group's nodes, the newest first.
func versionUpdates(m *world.ManagedGroup) (updates []*world.ManagedUpdate) {
	if m.Update != nil {
		updates = append(updates, m.Update)
	}
	for i := range m.Earlier {
		updates = append(updates, &m.Earlier[i])
	}
	return updates
}

// configure asks for another update configuration, unless another user has changed it meanwhile. The SDK may send it
// again: EKS answers a token with the update that it made for it.
func (e *Executor) configure(ctx context.Context, a record.Action) record.Outcome {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.d.group(ctx); err != nil {
		return record.Outcome{Verdict: record.Refused, Refusal: record.RefusedBusy, Message: "the node group cannot be read: " + e.d.c.asg.Explain(err).Error()}
	}
	if now := e.d.last.Config(); now != *a.FromConfig {
		return record.Outcome{Verdict: record.Refused, Refusal: record.RefusedConflict, Message: fmt.Sprintf("the update configuration is %s now, not %s", now, a.FromConfig)}
	}
	config, err := configOf(a.Update.Config)
	if err != nil {
		return invalid(err.Error())
	}
	out, err := e.d.c.api.UpdateNodegroupConfig(ctx, &eks.UpdateNodegroupConfigInput{
		ClusterName: &e.d.at.Cluster, NodegroupName: &e.d.at.Name, ClientRequestToken: &a.Token, UpdateConfig: config,
	})
	switch {
	case err != nil:
		return e.d.c.asg.Judge(err)
	case out.Update == nil || aws.ToString(out.Update.Id) == "":
		return record.Outcome{Verdict: record.Unknown, Message: "EKS did not return the update"}
	}
	return record.Outcome{Verdict: record.Done, Update: *out.Update.Id}
}

// configOf is an update configuration as EKS takes it.
func configOf(c world.UpdateConfig) (*types.NodegroupUpdateConfig, error) {
	out := &types.NodegroupUpdateConfig{UpdateStrategy: types.NodegroupUpdateStrategies(c.Strategy)}
	if c.MaxUnavailable == "" {
		return out, nil
	}
	a, err := record.ParseAmount(c.MaxUnavailable)
	if a.Percent {
		out.MaxUnavailablePercentage = aws.Int32(int32(a.N))
	} else {
		out.MaxUnavailable = aws.Int32(int32(a.N))
	}
	return out, err
}

// configured looks for the update that a request for an update configuration made whose answer was lost: one that sets
// the same and no less, newer than what was known before.
func (e *Executor) configured(ctx context.Context, of record.Action) record.Outcome {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.d.update(ctx); err != nil {
		return record.Outcome{Verdict: record.Unknown, Message: e.d.c.asg.Explain(err).Error()}
	}
	known := slices.ContainsFunc(e.d.configs, func(u world.ManagedUpdate) bool { return u.ID == of.Last })
	for _, u := range e.d.configs {
		if u.ID == of.Last {
			break
		}
		if !known && of.Last != "" && u.Over() { // EKS has forgotten that one: what is over may be older
			continue
		}
		if u.Config == of.Update.Config {
			return record.Outcome{Verdict: record.Done, Happened: true, Update: u.ID}
		}
	}
	return record.Outcome{Verdict: record.Done}
}
