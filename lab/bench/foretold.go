package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/drainboard/drainboard/engine/api"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/lab"
	"github.com/drainboard/drainboard/lab/eks"
	"github.com/drainboard/drainboard/lab/kops"
	"github.com/drainboard/drainboard/lab/kwok"
	"github.com/drainboard/drainboard/lab/machines"
	"github.com/drainboard/drainboard/lab/workload"
)

// foretoldTimes are those of machines and pods where a cluster has no others.
var foretoldTimes = lab.Times{Boot: 12 * time.Second, Ready: 3 * time.Second, Terminate: 8 * time.Second, PodReady: 3 * time.Second, PodStop: 2 * time.Second}

// foretoldAtOnce is how many of these groups are rolled at a time.
const foretoldAtOnce = 6

// foretold is a group of a real control plane, whose roll is rehearsed and then rolled, and once more with what the
// first roll has measured.
type foretold struct {
	name         string
	nodes, zones int
	boot         time.Duration // 0: that of all
	pods         func(p workload.Place) []runtime.Object
	flags        []string
}

var foretolds = []foretold{
	{byEKS, 3, 3, 0, plainPods, nil}, // first: it takes the longest, by EKS's own waits
	{"plain", 6, 3, 0, plainPods, nil},
	{"slow boots", 4, 2, 45 * time.Second, plainPods, nil},
	{"slow pods", 4, 2, 0, func(p workload.Place) []runtime.Object {
		return []runtime.Object{p.MaxUnavailable("web", 1), annotated(p.Deployment("web", 8), kwok.ReadyAfter, "12s")}
	}, nil},
	{"slow stops", 4, 2, 0, func(p workload.Place) []runtime.Object {
		return []runtime.Object{p.MaxUnavailable("web", 2), annotated(p.Deployment("web", 8), kwok.StopAfter, "15s")}
	}, nil},
	{"each zone's own", 6, 3, 0, func(p workload.Place) (all []runtime.Object) {
		for _, zone := range lab.Zones("eu-west-1", 3) {
			d := p.Deployment("in-"+zone, 3)
			d.Spec.Template.Spec.NodeSelector[corev1.LabelTopologyZone] = zone
			all = append(all, p.MaxUnavailable(d.Name, 1), d)
		}
		return all
	}, nil},
	{"singles", 4, 1, 0, func(p workload.Place) []runtime.Object {
		return []runtime.Object{p.Deployment("one", 1), p.Deployment("two", 1), p.Deployment("three", 1)}
	}, nil},
	{"apart, no surge", 4, 1, 0, func(p workload.Place) []runtime.Object {
		d := p.Deployment("web", 4)
		d.Spec.Template.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
			TopologyKey: corev1.LabelHostname, LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
		}}}}
		return []runtime.Object{p.MaxUnavailable("web", 1), d}
	}, []string{"--strategy", "eks-minimal"}},
	{"never opens", 3, 1, 0, func(p workload.Place) []runtime.Object {
		return []runtime.Object{p.MinAvailable("checkout", 3), p.Deployment("checkout", 3)}
	}, []string{"--drain-timeout", "40s"}},
	{byKops, 4, 3, 0, plainPods, []string{"--node-interval", "3s", "--validate-pause", "2s", "--validate-retry", "6s"}},
	{"Gardener's rules", 6, 3, 0, plainPods, []string{"--strategy", "gardener", "--max-surge", "1"}},
	{"our own rules", 6, 3, 0, plainPods, []string{"--strategy", "drainboard", "--max-surge", "2"}},
}

// A group of kops, and one that EKS rolls.
const byKops, byEKS = "kops's rules", "EKS's own update"

// foretoldReleases are those of EKS: that of the group's nodes, and one for each of its rolls.
var foretoldReleases = []eks.Release{
	{Kubernetes: "1.31", Version: "1.31.4-20250203", AMI: machines.OldAMI},
	{Kubernetes: "1.32", Version: "1.32.1-20250203", AMI: machines.NewAMI},
	{Kubernetes: "1.32", Version: "1.32.1-20250403", AMI: newerAMI},
}

// newerAMI has the same kubelet as lab.NewAMI.
const newerAMI = "ami-0e15f2b0c7a4d3961"

func plainPods(p workload.Place) []runtime.Object {
	return []runtime.Object{p.MaxUnavailable("web", 3), p.Deployment("web", 12)}
}

func annotated(d *appsv1.Deployment, name, value string) *appsv1.Deployment {
	d.Spec.Template.Annotations[name] = value
	return d
}

// came is what a plan has foretold of a roll, and what came of it.
type came struct {
	err             error
	forecast        api.Forecast
	took            time.Duration
	result          string
	blocked, missed []string // PDBs that held pods, and those of them that the plan did not name
}

// foretell has plans tell how rolls of twelve groups of a real control plane end, and rolls them, twice each.
func (b *bench) foretell(ctx context.Context) error {
	return b.inLab(ctx, foretoldTimes, func(ctx context.Context) error {
		b.lab.SetImage(newerAMI, machines.DefaultImages[machines.NewAMI])
		if _, err := b.lab.ServeEKS(eks.Options{Version: "1.32", Releases: foretoldReleases}); err != nil {
			return err
		}
		first, second := make([]came, len(foretolds)), make([]came, len(foretolds))
		free := make(chan struct{}, foretoldAtOnce)
		var rolls sync.WaitGroup
		for i := range foretolds {
			rolls.Go(func() {
				free <- struct{}{}
				first[i], second[i] = b.rollTwice(ctx, &foretolds[i], fmt.Sprint("ng-", i))
				<-free
			})
		}
		rolls.Wait()
		return errors.Join(b.addForetold("first roll on the lab", first), b.addForetold("second roll on the lab", second))
	})
}

// addForetold adds a row for each roll, and what they come to.
func (b *bench) addForetold(title string, all []came) error {
	var rolls tally
	named, blocked := 0, 0
	for i, c := range all {
		if c.err != nil {
			return fmt.Errorf("%s: %w", foretolds[i].name, c.err)
		}
		f := c.forecast
		verdict := "as foretold"
		if c.result != f.Result {
			verdict = fmt.Sprintf("%s, foretold: %s (%s)", c.result, f.Result, f.Message)
		}
		said, off := rolls.count(&record.Foreseen{At: f.AsOf, End: f.EndsAt, Earliest: f.EarliestEnd, Latest: f.LatestEnd}, c.took, c.result == f.Result)
		blocked, named = blocked+len(c.blocked), named+len(c.blocked)-len(c.missed)
		if len(c.missed) > 0 {
			verdict += "; not named before: " + strings.Join(c.missed, ", ")
		}
		b.add(title+", "+foretolds[i].name+": "+verdict, minutes(c.took), said, off)
	}
	b.addTally(title, &rolls)
	b.add(title+": PDBs that held pods, named before", fmt.Sprint(named), fmt.Sprintf("all: %d", blocked), "")
	return nil
}

// rollTwice makes a group, has its roll foretold, rolls it, and does so once more.
func (b *bench) rollTwice(ctx context.Context, f *foretold, group string) (first, second came) {
	flags, err := b.makeForetold(ctx, f, &group)
	if err != nil {
		return came{err: err}, came{err: err}
	}
	if f.name == byEKS {
		to := func(r eks.Release) []string {
			return []string{"--kubernetes-version", r.Kubernetes, "--release-version", r.Version}
		}
		return b.rollForetold(ctx, group, to(foretoldReleases[1])), b.rollForetold(ctx, group, to(foretoldReleases[2]))
	}
	return b.rollForetold(ctx, group, flags), b.rollForetold(ctx, group, append(flags, "--all-nodes"))
}

// makeForetold makes a group with its pods, and returns the flags of its roll. A group of kops has a name of its own.
func (b *bench) makeForetold(ctx context.Context, f *foretold, group *string) (flags []string, err error) {
	p, zones := workload.Place{Namespace: *group, Group: *group}, lab.Zones("eu-west-1", 3)[:f.zones]
	flags = append([]string{"--approve", "none", "--post-drain-wait", "5s"}, f.flags...)
	switch f.name {
	case byEKS:
		p.Group, err = b.lab.AddNodegroup(ctx, lab.Nodegroup{Name: *group, Nodes: f.nodes, Zones: zones})
	case byKops:
		k, failed := b.lab.AddKopsCluster(ctx, kops.Options{Groups: []kops.Group{{Name: "nodes", Size: f.nodes}}})
		flags, err = append(flags, "--cluster-name", k.Name, "--state", "s3://"+k.Bucket), failed
		*group, p.Group = "nodes", k.Groups["nodes"].Name
	default:
		if f.boot > 0 {
			b.lab.Cloud().SetBoot(*group, f.boot)
		}
		_, err = b.lab.AddGroup(ctx, lab.GroupOptions{Name: *group, Nodes: f.nodes, Zones: zones})
	}
	if err == nil {
		err = b.lab.Apply(ctx, f.pods(p)...)
	}
	if err == nil {
		err = b.lab.WaitReady(ctx, p.Namespace)
	}
	return flags, err
}

// rollForetold has a plan tell how a roll will end, and rolls.
func (b *bench) rollForetold(ctx context.Context, group string, flags []string) (c came) {
	var plan struct {
		Forecast         *api.Forecast
		ForeseenBlockers []string
	}
	out, err := b.answer(ctx, append([]string{"plan", group, "-o", "json"}, flags...)...)
	if err == nil {
		err = json.Unmarshal(out, &plan)
	}
	if err == nil && plan.Forecast == nil {
		err = errors.New("the plan has no forecast")
	}
	if err != nil {
		return came{err: err}
	}
	c.forecast = *plan.Forecast
	out, err = b.answer(ctx, append([]string{"upgrade", group, "--auto", "-o", "json"}, flags...)...) // one that fails has foreseen that
	before := append(plan.ForeseenBlockers, plan.Forecast.Message)
	for _, h := range plan.Forecast.Holds {
		before = append(before, h.Budget)
	}
	if c.read(out, before); c.result == "" {
		return came{err: fmt.Errorf("the run did not end: %w", err)}
	}
	return c
}

// read takes what came from the events of a run, beside what was named before.
func (c *came) read(events []byte, before []string) {
	held := map[string]bool{}
	var from time.Time
	for line := range strings.Lines(string(events)) {
		var e struct {
			Time                 time.Time
			Type, Result, Budget string
		}
		if json.Unmarshal([]byte(line), &e) != nil {
			continue
		}
		switch record.EventType(e.Type) {
		case record.RunStarted:
			from = e.Time
		case record.PodBlocked:
			for budget := range strings.SplitSeq(e.Budget, ",") {
				if budget != "" {
					held[budget] = true
				}
			}
		case record.RunFinished:
			c.took, c.result = e.Time.Sub(from), e.Result
		}
	}
	c.blocked = slices.Sorted(maps.Keys(held))
	for _, budget := range c.blocked {
		_, name, _ := strings.Cut(budget, "/")
		if !slices.ContainsFunc(before, func(told string) bool { return strings.Contains(told, name) }) {
			c.missed = append(c.missed, budget)
		}
	}
}

// answer runs the program to its end, with a home of its own.
func (b *bench) answer(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, filepath.Join(b.bin, "drainboard"), args...)
	cmd.Env = append(append(os.Environ(), b.lab.Env()...), "HOME="+b.dir)
	out, err := cmd.Output()
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		err = fmt.Errorf("drainboard %s: %w: %s", strings.Join(args, " "), err, ended.Stderr)
	}
	return out, err
}
