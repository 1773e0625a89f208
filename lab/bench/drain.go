package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drainboard/drainboard/lab/workload"
)

// drained is a drain that has begun.
type drained struct {
	user string       // who evicts, by the audit log
	done <-chan error // its end
}

// upgrade drains the one node of a group by drainboard.
func (b *bench) upgrade(ctx context.Context, p workload.Place) (drained, error) {
	run, err := b.drainboard(ctx, p.Group, "--post-drain-wait", "1s")
	if err != nil {
		return drained{}, err
	}
	err = run.await(ctx, "node.draining")
	return drained{"admin", run.done}, err
}

// kubectlDrain gives the pods of a group's one node somewhere to go, as an upgrade
// does, and drains the node by kubectl.
func (b *bench) kubectlDrain(ctx context.Context, p workload.Place) (drained, error) {
	nodes, err := b.lab.Nodes(ctx, p.Group)
	if err != nil {
		return drained{}, err
	}
	if err := b.grow(ctx, p.Group, 3); err != nil {
		return drained{}, err
	}
	cmd := exec.CommandContext(ctx, filepath.Join(b.bin, "lab"), "kubectl", "drain", nodes[0].Name, "--ignore-daemonsets")
	cmd.Env = append(os.Environ(), b.lab.Env()...)
	out, err := os.Create(filepath.Join(b.dir, "kubectl.log"))
	if err != nil {
		return drained{}, err
	}
	cmd.Stdout, cmd.Stderr = out, out
	return drained{"admin", inBackground(cmd)}, nil
}

// inBackground runs a command and tells its end.
func inBackground(cmd *exec.Cmd) <-chan error {
	done := make(chan error, 1)
	go func() { done <- cmd.Run() }()
	return done
}

// program is a drainboard that upgrades a group.
type program struct {
	done   chan error
	events chan event // as they come
}

// event is what the bench reads of a line of -o json.
type event struct {
	Time        time.Time
	Type, Phase string
}

// drainboard upgrades a group without a person.
func (b *bench) drainboard(ctx context.Context, group string, flags ...string) (*program, error) {
	args := append([]string{"upgrade", group, "--auto", "-o", "json"}, flags...)
	cmd := exec.CommandContext(ctx, filepath.Join(b.bin, "drainboard"), args...)
	cmd.Env = append(os.Environ(), b.lab.Env()...)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	kept, err := os.Create(filepath.Join(b.dir, group+".jsonl"))
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &program{done: make(chan error, 1), events: make(chan event, 1<<16)}
	go func() {
		defer close(p.events)
		defer kept.Close()
		for lines := bufio.NewScanner(io.TeeReader(out, kept)); lines.Scan(); {
			var e event
			_ = json.Unmarshal(lines.Bytes(), &e)
			p.events <- e
		}
		err := cmd.Wait()
		if err != nil {
			err = fmt.Errorf("drainboard upgrade: %w: %s", err, said.String())
		}
		p.done <- err
	}()
	return p, nil
}

// await waits for an event of a type.
func (p *program) await(ctx context.Context, kind string) error {
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case e, more := <-p.events:
			if e.Type == kind {
				return nil
			}
			if !more {
				return errors.Join(fmt.Errorf("no event %s came", kind), <-p.done)
			}
		}
	}
}

// grow raises a group to n nodes and waits until they are Ready.
func (b *bench) grow(ctx context.Context, group string, n int) error {
	cloud := b.lab.Cloud()
	if err := callAWS(ctx, cloud.URL(), "UpdateAutoScalingGroup", map[string]string{
		"AutoScalingGroupName": group, "MaxSize": fmt.Sprint(n), "DesiredCapacity": fmt.Sprint(n),
	}); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	return b.lab.WaitNodes(ctx, group, n)
}

// scale sets the replicas of a deployment.
func (b *bench) scale(ctx context.Context, namespace, name string, replicas int32) error {
	deployments := b.lab.Client().AppsV1().Deployments(namespace)
	scale, err := deployments.GetScale(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	scale.Spec.Replicas = replicas
	_, err = deployments.UpdateScale(ctx, name, scale, metav1.UpdateOptions{})
	return err
}
