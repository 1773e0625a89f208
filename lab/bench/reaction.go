package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/lab"
	"github.com/drainboard/drainboard/lab/workload"
)

// Budgets open one after another, at random moments, so that no timer of the one
// who waits is in step with them.
const (
	gapLeast = 200 * time.Millisecond
	gapMore  = 600 * time.Millisecond
)

// reactions measures drainboard and kubectl drain, one after the other in one lab.
func (b *bench) reactions(ctx context.Context) error {
	return b.inLab(ctx, lab.Times{}, func(ctx context.Context) error {
		ours, err := b.reaction(ctx, "ours", b.openings, b.upgrade)
		if err != nil {
			return fmt.Errorf("of drainboard: %w", err)
		}
		theirs, err := b.reaction(ctx, "theirs", b.openings, b.kubectlDrain)
		if err != nil {
			return fmt.Errorf("of kubectl drain: %w", err)
		}
		for _, c := range []struct {
			name    string
			percent int
		}{{"median", 50}, {"p90", 90}, {"longest", 100}} {
			mine, peer := at(ours, c.percent), at(theirs, c.percent)
			b.add(fmt.Sprintf("reaction to a budget that opens, %s of %d", c.name, b.openings), seconds(mine),
				"kubectl drain: "+seconds(peer), fmt.Sprintf("1/%.0f", float64(peer)/float64(mine)))
		}
		return nil
	})
}

// reaction lets one node be drained on which every pod waits for a budget of its
// own: a deployment of one with a budget that wants one. Scaled to two, the
// second pod comes up elsewhere, the budget allows one eviction, and exactly one
// pod may go. The times are from the budget's opening, as the disruption
// controller writes it, to the accepted eviction.
func (b *bench) reaction(ctx context.Context, name string, openings int, drain func(context.Context, workload.Place) (drained, error)) ([]time.Duration, error) {
	p := workload.Place{Namespace: name, Group: "ng-" + name}
	if _, err := b.lab.AddGroup(ctx, lab.GroupOptions{Name: p.Group, Nodes: 1, Zones: lab.Zones("eu-west-1", 1), InstanceType: roomy}); err != nil {
		return nil, err
	}
	var apps []string
	for i := range openings {
		app := fmt.Sprintf("app%02d", i)
		apps = append(apps, app)
		if err := b.lab.Apply(ctx, p.MinAvailable(app, 1), p.Deployment(app, 1)); err != nil {
			return nil, err
		}
	}
	if err := b.lab.WaitReady(ctx, name); err != nil {
		return nil, err
	}
	from := time.Now()
	d, err := drain(ctx, p)
	if err != nil {
		return nil, err
	}
	if err := b.allRefused(ctx, d, name, apps, from); err != nil {
		return nil, err
	}
	for _, app := range apps {
		if err := b.scale(ctx, name, app, 2); err != nil {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(gapLeast + rand.N(gapMore)):
		}
	}
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case err := <-d.done:
		if err != nil {
			return nil, err
		}
	}
	log, err := b.lab.AuditSync(ctx)
	if err != nil {
		return nil, err
	}
	return reactionTimes(log.Where(lab.Between(from, time.Time{})), d.user, name, apps)
}

// allRefused waits until the eviction of every pod has been refused once: from
// then on all of them wait.
func (b *bench) allRefused(ctx context.Context, d drained, namespace string, apps []string, from time.Time) error {
	_, err := b.lab.AuditUntil(ctx, func(log lab.Requests) bool {
		refused := map[string]bool{}
		for _, r := range log.Where(lab.By(d.user), lab.Request.Eviction, lab.Between(from, time.Time{})) {
			if r.Namespace == namespace && r.Code == 429 {
				refused[appOf(r.Name)] = true
			}
		}
		return len(refused) == len(apps)
	})
	return err
}

// appOf is the deployment of a pod.
func appOf(pod string) string {
	app, _, _ := strings.Cut(pod, "-")
	return app
}

// reactionTimes are the times from each budget's opening to its pod's eviction.
func reactionTimes(log lab.Requests, user, namespace string, apps []string) ([]time.Duration, error) {
	opened, evicted := map[string]time.Time{}, map[string]time.Time{}
	for _, r := range log {
		switch {
		case r.Namespace != namespace || r.Stage != "ResponseComplete":
		case r.User == lab.ControllerManager && r.Resource == "poddisruptionbudgets" && r.Subresource == "status" && r.Code == 200:
			var budget struct {
				Status struct{ DisruptionsAllowed int }
			}
			if err := json.Unmarshal(r.Body, &budget); err != nil {
				return nil, err
			}
			if _, known := opened[r.Name]; !known && budget.Status.DisruptionsAllowed > 0 {
				opened[r.Name] = r.Done
			}
		case r.User == user && r.Eviction() && r.Code == 201:
			if _, known := evicted[appOf(r.Name)]; !known {
				evicted[appOf(r.Name)] = r.Done
			}
		}
	}
	var times []time.Duration
	for _, app := range apps {
		if opened[app].IsZero() || evicted[app].IsZero() {
			return nil, errors.New("no opening or no eviction of " + app + " in the audit log")
		}
		times = append(times, evicted[app].Sub(opened[app]))
	}
	slices.Sort(times)
	return times, nil
}

// at is the time that so many percent do not exceed, of sorted ones.
func at(times []time.Duration, percent int) time.Duration {
	return times[max(0, (len(times)*percent+99)/100-1)]
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f s", d.Seconds()) }
