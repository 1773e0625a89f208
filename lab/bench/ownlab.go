package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/drainboard/drainboard/lab"
	"github.com/drainboard/drainboard/lab/kops"
	"github.com/drainboard/drainboard/lab/workload"
)

// ownLabTimes are those of the simulated rolls, a fifth of each.
var ownLabTimes = lab.Times{
	Boot: (kopsTimes.launch + kopsTimes.boot) / kopsScale, Ready: kopsTimes.ready / kopsScale, Terminate: kopsTimes.end / kopsScale,
	PodStop: kopsTimes.stop / kopsScale, PodReady: (ownMoved - kopsTimes.stop) / kopsScale,
}

// ownRoll is a roll by one system's rules on the lab.
type ownRoll struct {
	name  string
	group string // its namespace, too
	kops  bool   // its group is an instance group of a kops cluster of its own
	flags []string
	took  time.Duration
}

// ownInLab rolls the same on a real control plane, waits of a fifth: three groups at a time, each by rules of its own.
func (b *bench) ownInLab(ctx context.Context) error {
	return b.inLab(ctx, ownLabTimes, func(ctx context.Context) error {
		for _, surge := range []int{1, 6} {
			w := kopsLabWaits
			rolls := []*ownRoll{
				{name: "kops's rules", group: fmt.Sprint("kops-", surge), kops: true, flags: []string{"--post-drain-wait", w.postDrain.String(), "--node-interval", w.interval.String(), "--validate-pause", w.pause.String(), "--validate-retry", w.retry.String()}},
				{name: "EKS's rules, as many at once", group: fmt.Sprint("eks-", surge), flags: []string{"--strategy", "eks", "--max-unavailable", fmt.Sprint(surge), "--post-drain-wait", (eksWait / kopsScale).String()}},
				{name: "our own rules", group: fmt.Sprint("own-", surge), flags: []string{"--strategy", "drainboard", "--post-drain-wait", (ownLeastWait / kopsScale).String()}},
			}
			if err := b.rollBeside(ctx, surge, rolls); err != nil {
				return err
			}
			for _, r := range rolls {
				b.add(fmt.Sprintf("on the lab, waits of a %dth, max-surge %d: %d nodes by %s", kopsScale, surge, kopsNodes, r.name), minutes(r.took), "kops's: "+minutes(rolls[0].took), fmt.Sprintf("%.3f", r.took.Seconds()/rolls[0].took.Seconds()))
			}
		}
		return nil
	})
}

// eksWait is the wait after a drain by our defaults (strategy eks).
const eksWait = time.Minute

// rollBeside makes the groups of rolls, and rolls them beside each other.
func (b *bench) rollBeside(ctx context.Context, surge int, rolls []*ownRoll) error {
	for _, r := range rolls {
		if err := b.makeOwn(ctx, r); err != nil {
			return fmt.Errorf("%s: %w", r.group, err)
		}
		r.flags = append(r.flags, "--max-surge", fmt.Sprint(surge))
	}
	errs := make([]error, len(rolls))
	var rolling sync.WaitGroup
	for i, r := range rolls {
		rolling.Go(func() {
			from := time.Now()
			run, err := b.drainboard(ctx, r.group, r.flags...)
			if err == nil {
				for range run.events {
				}
				err = <-run.done
			}
			r.took, errs[i] = time.Since(from), err
		})
	}
	rolling.Wait()
	return errors.Join(errs...)
}

// makeOwn makes the group of a roll, with the pods of the simulated ones.
func (b *bench) makeOwn(ctx context.Context, r *ownRoll) error {
	p := workload.Place{Namespace: r.group, Group: r.group}
	if r.kops {
		k, err := b.lab.AddKopsCluster(ctx, kops.Options{Name: r.group + ".k8s.local", Groups: []kops.Group{{Name: r.group, Size: kopsNodes}}})
		if err != nil {
			return err
		}
		p.Group = k.Groups[r.group].Name
		r.flags = append(r.flags, "--cluster-name", k.Name, "--state", "s3://"+k.Bucket)
	} else if _, err := b.lab.AddGroup(ctx, lab.GroupOptions{Name: r.group, Nodes: kopsNodes}); err != nil {
		return err
	}
	if err := b.lab.Apply(ctx, p.MaxUnavailable("web", 6), p.Deployment("web", 60), p.MaxUnavailable("api", 3), p.Deployment("api", 30)); err != nil {
		return err
	}
	return b.lab.WaitReady(ctx, p.Namespace)
}
