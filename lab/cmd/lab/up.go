package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/eks/types"
	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/lab"
	"github.com/drainboard/drainboard/lab/eks"
	"github.com/drainboard/drainboard/lab/gardener"
	"github.com/drainboard/drainboard/lab/kops"
	"github.com/drainboard/drainboard/lab/workload"
)

const region = "eu-west-1"

// upFlags are the flags of lab up.
type upFlags struct {
	nodes, zones int
	group        string
	namespace    string
	workload     string
	times        lab.Times
	dir          string
	auditLog     string
	apiPort      int
	json         bool
	stay         bool
	kops         bool
	gardener     bool
	eks          bool
	window       time.Duration
	atOnce       int32
	minimal      bool
	version      string
	drain        time.Duration
}

func upCommand() *cobra.Command {
	var f upFlags
	cmd := &cobra.Command{
		Use:   "up [flags] [-- COMMAND ARGS...]",
		Short: "Start a lab and keep it until stopped, or as long as a command runs",
		Long: `Start a lab: control plane, fake kubelets and AWS endpoint, an Auto Scaling group
whose instances are the nodes, and a workload. The group's launch template then
gets a second version with a newer AMI, so every node is outdated. With --kops
it is a kops cluster instead: a bastion, a machine of the control plane and two
groups of nodes, its specs in a bucket, and where they are in the environment. With
--gardener it is a Shoot with three worker pools, whose machines the real
machine-controller-manager moves when you ask for a roll with lab shoot. With --eks
it is an EKS cluster with a managed node group, which EKS's own worker updates when
you ask for it with lab update.

When all is ready, the environment for clients is printed and written to DIR/env.
The lab runs until it is interrupted or the process that started it ends. With a
COMMAND it runs that in the lab's environment, and stops with it.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.nodes < 0 || f.zones < 1 || f.zones > 6 {
				return errors.New("--nodes must be 0 or more, --zones 1 to 6")
			}
			if f.kops && f.gardener || f.eks && (f.kops || f.gardener) {
				return errors.New("--kops, --gardener and --eks are different things: one lab is one of them")
			}
			for _, name := range []string{"window", "max-unavailable", "minimal"} {
				if !f.eks && cmd.Flags().Changed(name) {
					return fmt.Errorf("--%s is of a managed node group: it goes with --eks", name)
				}
			}
			if f.gardener && f.nodes < 3 {
				return errors.New("--gardener needs 3 nodes or more: one in each pool")
			}
			if f.gardener && cmd.Flags().Changed("group") {
				return errors.New("--gardener has pools of its own: --group does not go with it")
			}
			for _, name := range []string{"kubernetes-version", "drain-timeout"} {
				if !f.gardener && cmd.Flags().Changed(name) {
					return fmt.Errorf("--%s is of a Shoot: it goes with --gardener", name)
				}
			}
			if f.kops && f.nodes < 2 {
				return errors.New("--kops needs 2 nodes or more: one in each group")
			}
			if f.kops && cmd.Flags().Changed("group") {
				return errors.New("--kops has groups of its own: --group does not go with it")
			}
			if _, err := f.workloads(); err != nil {
				return err
			}
			return up(f, args)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.kops, "kops", false, "a kops cluster, with the groups bastions, control-plane-ZONE, batch and nodes")
	flags.BoolVar(&f.gardener, "gardener", false, "a Shoot, with the pools workers, inplace and manual: one for each update strategy")
	flags.BoolVar(&f.eks, "eks", false, "an EKS cluster, with a managed node group that lab update updates")
	flags.DurationVar(&f.window, "window", 15*time.Minute, "how long EKS evicts the pods of a node: with force it deletes them then, else the update fails after three")
	flags.Int32Var(&f.atOnce, "max-unavailable", 1, "how many nodes EKS updates at once")
	flags.BoolVar(&f.minimal, "minimal", false, "let the node group have the update strategy MINIMAL: no new nodes come first")
	flags.StringVar(&f.version, "kubernetes-version", gardener.FirstVersion, "version of Kubernetes that the Shoot's nodes begin with")
	flags.DurationVar(&f.drain, "drain-timeout", 2*time.Hour, "how long the Shoot's machines drain, before they end whatever budgets say")
	flags.IntVar(&f.nodes, "nodes", 12, "nodes in the group, or in the groups batch and nodes (--kops) or all pools (--gardener) together")
	flags.IntVar(&f.zones, "zones", 3, "zones that they are spread over")
	flags.StringVar(&f.group, "group", "ng-web", "name of the Auto Scaling group, or of the node group (--eks)")
	flags.StringVar(&f.namespace, "namespace", "shop", "namespace of the workload")
	flags.StringVar(&f.workload, "workload", "default",
		"what runs on the nodes: default or all (everything), none, or some of "+strings.Join(workload.Names(), ","))
	flags.DurationVar(&f.times.Boot, "boot", 5*time.Second, "from an instance's launch to its node")
	flags.DurationVar(&f.times.Ready, "ready", 3*time.Second, "from a node's appearance to Ready")
	flags.DurationVar(&f.times.Terminate, "terminate", 3*time.Second, "from an instance's shutdown to the end of its node")
	flags.DurationVar(&f.times.PodReady, "pod-ready", 2*time.Second, "from a pod's scheduling to Ready")
	flags.DurationVar(&f.times.PodStop, "pod-stop", 2*time.Second, "from a pod's deletion to its end")
	flags.DurationVar(&f.times.NodeGrace, "node-grace", 50*time.Second, "from a kubelet's last sign of life to its node's being Unknown, in seconds")
	flags.StringVar(&f.dir, "dir", "", "directory for state and logs (default a temporary one, removed in the end)")
	flags.StringVar(&f.auditLog, "audit-log", "", "file for the API audit log (default DIR/audit.log)")
	flags.IntVar(&f.apiPort, "api-port", 0, "port of the API server on the loopback interface (default a free one)")
	flags.BoolVar(&f.json, "json", false, "print the environment as JSON instead of export lines")
	flags.BoolVar(&f.stay, "stay", false, "keep running when the process that started the lab ends")
	return cmd
}

// up starts the lab, its group and workload, and waits for its end.
func up(f upFlags, command []string) error {
	end, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	if !f.stay {
		var orphan context.CancelFunc
		end, orphan = context.WithCancel(end)
		defer orphan()
		go watchParent(end, orphan)
	}
	ctx, stopInterrupt := signal.NotifyContext(end, os.Interrupt)
	defer stopInterrupt()
	options, err := f.options()
	if err != nil {
		return err
	}
	if len(command) > 0 {
		options.Log = nil // the terminal is the command's
	}
	fmt.Fprintf(os.Stderr, "lab: starting in %s\n", options.Dir)
	if f.dir == "" {
		defer os.RemoveAll(options.Dir)
	}
	begin := time.Now()
	l, err := lab.Start(ctx, options)
	if err != nil {
		return err
	}
	defer l.Stop()
	var made place
	switch {
	case f.kops:
		made, err = f.populateKops(ctx, l)
	case f.gardener:
		made, err = f.populateShoot(ctx, l)
	case f.eks:
		made, err = f.populateEKS(ctx, l)
	default:
		made, err = f.populate(ctx, l)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "lab: %d nodes in %s ready after %s\n", f.nodes, made.name, time.Since(begin).Round(100*time.Millisecond))
	environment := append(l.Env(), made.env...)

	if err := l.ServeControl(); err != nil {
		return err
	}
	env := filepath.Join(l.Dir(), "env")
	if err := os.WriteFile(env, exports(environment), 0o600); err != nil {
		return err
	}
	defer os.Remove(env)
	if len(command) > 0 {
		return run(end, command, environment)
	}
	if err := printEnv(os.Stdout, l, environment, f.json); err != nil {
		return err
	}
	<-ctx.Done()
	fmt.Fprintln(os.Stderr, "lab: stopping")
	return nil
}

func (f upFlags) options() (lab.Options, error) {
	program, err := os.Executable()
	if err != nil {
		return lab.Options{}, err
	}
	dir := f.dir
	if dir == "" {
		if dir, err = os.MkdirTemp("", lab.TemporaryDir); err != nil {
			return lab.Options{}, err
		}
	}
	o := lab.Options{
		Dir: dir, BinDir: filepath.Dir(program),
		APIPort: f.apiPort, AuditLog: f.auditLog,
		Times: f.times, Log: os.Stderr,
	}
	o.Cloud.Region = region
	o.Cloud.Zones = lab.Zones(region, f.zones)
	return o, nil
}

// place is what a lab was filled with: its name, and what its clients need to know of
// it beside where the lab is.
type place struct {
	name string
	env  []string
}

// populate makes the group and the workload, and waits until both are Ready.
func (f upFlags) populate(ctx context.Context, l *lab.Lab) (place, error) {
	made := place{name: "group " + f.group}
	if _, err := l.AddGroup(ctx, lab.GroupOptions{Name: f.group, Nodes: f.nodes}); err != nil {
		return made, err
	}
	return made, f.deploy(ctx, l, workload.Place{Namespace: f.namespace, Group: f.group}, f.nodes)
}

// populateKops makes the kops cluster and the workload: in the group nodes and, in a
// namespace of its own, in the group batch.
func (f upFlags) populateKops(ctx context.Context, l *lab.Lab) (place, error) {
	groups := kops.DefaultGroups(lab.Zones(region, f.zones), f.nodes/2)
	groups[len(groups)-1].Size = f.nodes - f.nodes/2
	k, err := l.AddKopsCluster(ctx, kops.Options{Groups: groups})
	made := place{name: "the groups batch and nodes of cluster " + k.Name, env: k.Env()}
	if err != nil {
		return made, err
	}
	for namespace, group := range map[string]string{f.namespace: "nodes", f.namespace + "-batch": "batch"} {
		if err := f.deploy(ctx, l, workload.Place{Namespace: namespace, Group: k.Groups[group].Name}, f.nodes/2); err != nil {
			return made, err
		}
	}
	return made, nil
}

// populateShoot makes the Shoot and the workload, in a namespace for each pool.
func (f upFlags) populateShoot(ctx context.Context, l *lab.Lab) (place, error) {
	pools := gardener.DefaultPools(f.nodes / 3)
	pools[0].Size = f.nodes - 2*(f.nodes/3)
	for i := range pools {
		pools[i].Drain = f.drain
	}
	s, err := l.AddShoot(ctx, gardener.Options{KubernetesVersion: f.version, Pools: pools})
	if err != nil {
		return place{}, err
	}
	made := place{name: "the pools workers, inplace and manual of shoot " + s.Name, env: s.Env()}
	for i, p := range pools {
		namespace := f.namespace
		if i > 0 {
			namespace += "-" + p.Name
		}
		if err := f.deploy(ctx, l, workload.Place{Namespace: namespace, Group: s.Group(p.Name)}, p.Size); err != nil {
			return made, err
		}
	}
	return made, nil
}

// populateEKS makes the managed node group and the workload.
func (f upFlags) populateEKS(ctx context.Context, l *lab.Lab) (place, error) {
	made := place{name: "node group " + f.group}
	if _, err := l.ServeEKS(eks.Options{Times: eks.Times{Window: f.window}, Seed: uint64(time.Now().UnixNano())}); err != nil {
		return made, err
	}
	group := lab.Nodegroup{Name: f.group, Nodes: f.nodes, Update: &types.NodegroupUpdateConfig{MaxUnavailable: aws.Int32(f.atOnce)}}
	if f.minimal {
		group.Update.UpdateStrategy = types.NodegroupUpdateStrategiesMinimal
	}
	asg, err := l.AddNodegroup(ctx, group)
	if err != nil {
		return made, err
	}
	return made, f.deploy(ctx, l, workload.Place{Namespace: f.namespace, Group: asg}, f.nodes)
}

// deploy starts the workload in a place and waits until it is Ready.
func (f upFlags) deploy(ctx context.Context, l *lab.Lab, p workload.Place, nodes int) error {
	names, err := f.workloads()
	if err != nil || len(names) == 0 {
		return err
	}
	if err := l.Deploy(ctx, p, names...); err != nil {
		return err
	}
	if nodes == 0 {
		return nil // the pods wait for nodes
	}
	return l.WaitReady(ctx, p.Namespace)
}

// workloads are the names that --workload asks for.
func (f upFlags) workloads() ([]string, error) {
	switch f.workload {
	case "none":
		return nil, nil
	case "default", "all":
		return workload.Names(), nil
	}
	names := strings.Split(f.workload, ",")
	for _, name := range names {
		if !slices.Contains(workload.Names(), name) {
			return nil, fmt.Errorf("no workload %q; there are %s", name, strings.Join(workload.Names(), ", "))
		}
	}
	return names, nil
}

// watchParent calls orphan when the process that started this one has ended.
func watchParent(ctx context.Context, orphan func()) {
	parent := os.Getppid()
	for ctx.Err() == nil && os.Getppid() == parent {
		time.Sleep(500 * time.Millisecond)
	}
	orphan()
}

// run runs a command in the lab's environment until it ends or end is done, and
// passes its exit code on as an error. Ctrl-C in a terminal reaches the command
// by itself; the lab's part is only to outlive it.
func run(end context.Context, command, env []string) error {
	cmd := exec.CommandContext(end, command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), env...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
			return exitCode(128 + int(status.Signal()))
		}
		return exitCode(exit.ExitCode())
	}
	return err
}

// printEnv prints the environment for clients, as shell or as JSON.
func printEnv(w io.Writer, l *lab.Lab, environment []string, asJSON bool) error {
	if !asJSON {
		_, err := w.Write(exports(environment))
		return err
	}
	env := map[string]string{}
	for _, pair := range environment {
		name, value, _ := strings.Cut(pair, "=")
		env[name] = value
	}
	return json.NewEncoder(w).Encode(map[string]any{
		"dir": l.Dir(), "auditLog": l.AuditLog(), "env": env, "pid": os.Getpid(),
	})
}

// exports renders NAME=VALUE pairs as shell commands.
func exports(env []string) []byte {
	var lines []byte
	for _, pair := range env {
		name, value, _ := strings.Cut(pair, "=")
		lines = fmt.Appendf(lines, "export %s='%s'\n", name, strings.ReplaceAll(value, "'", `'\''`))
	}
	return lines
}
