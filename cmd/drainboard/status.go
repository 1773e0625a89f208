package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/providers/kube"
)

func (a *app) statusCmd() *cobra.Command {
	var o string
	cmd := &cobra.Command{
		Use:   "status [GROUP]",
		Short: "Take one look at the run of a group, or at all runs",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			asJSON, err := output(o)
			if err != nil {
				return err
			}
			group := ""
			if len(args) > 0 {
				group = args[0]
			}
			return a.status(cmd.Context(), group, asJSON)
		},
	}
	cmd.Flags().StringVarP(&o, "output", "o", "text", "text or json")
	return cmd
}

// runStatus is a run at one look.
type runStatus struct {
	Run      string               `json:"run"`
	Group    string               `json:"group"`
	Strategy string               `json:"strategy"`
	State    engine.State         `json:"state"`
	Result   engine.Result        `json:"result,omitempty"`
	Why      string               `json:"why,omitempty"`
	Phase    string               `json:"phase,omitempty"`
	Started  time.Time            `json:"started"`
	Seen     time.Time            `json:"seen"`
	Replaced int                  `json:"replaced"`
	Outdated int                  `json:"outdated"`
	Stages   map[engine.Stage]int `json:"stages"`
	Waiting  *engine.Batch        `json:"waitingBatch,omitempty"`
	Blocked  []string             `json:"blocked,omitempty"`
	Left     []string             `json:"leftBehind,omitempty"`
}

func (a *app) status(ctx context.Context, group string, asJSON bool) error {
	k, err := kube.Connect(ctx, a.flags, version)
	if err != nil {
		return usage(err)
	}
	records, err := k.Records(ctx, a.namespace)
	if err != nil {
		return usage(err)
	}
	list := []runStatus{}
	var unreadable error
	for _, r := range records {
		if r.Err != nil {
			unreadable = errors.Join(unreadable, r.Err)
			continue
		}
		if group == "" || r.Run.Group == group {
			list = append(list, statusOf(r.Run))
		}
	}
	if group != "" && len(list) == 0 && unreadable != nil {
		return usage(unreadable)
	}
	if group != "" && len(list) == 0 {
		return usage(fmt.Errorf("group %s has no run; drainboard groups lists the groups", group))
	}
	if asJSON {
		enc := json.NewEncoder(a.out)
		enc.SetIndent("", "  ")
		if group != "" {
			return enc.Encode(list[0])
		}
		return enc.Encode(list)
	}
	if len(list) == 0 {
		fmt.Fprintln(a.out, "No run yet.")
	}
	for _, s := range list {
		a.writeStatus(s, k.Clock().Now())
	}
	if group == "" && unreadable != nil {
		return usage(unreadable)
	}
	return nil
}

func statusOf(r engine.Run) runStatus {
	s := runStatus{
		Run: r.ID, Group: r.Group, Strategy: r.Strategy, State: r.State, Result: r.Result, Why: r.Why,
		Started: r.Started, Seen: r.Seen, Stages: map[engine.Stage]int{}, Left: r.Left,
	}
	s.Replaced, s.Outdated = r.Outdated()
	for _, p := range r.Phases {
		if !p.Start.IsZero() && p.End.IsZero() {
			s.Phase = p.Name
		}
	}
	for _, n := range r.Nodes {
		s.Stages[n.Stage]++
	}
	for _, p := range r.Pods {
		if p.Refusal != "" {
			s.Blocked = append(s.Blocked, fmt.Sprintf("%s on %s: %s", p.Ref, p.Node, p.Message))
		}
	}
	if n := len(r.Batches); n > 0 && r.Batches[n-1].Approved.IsZero() && r.State != engine.Finished {
		s.Waiting = &r.Batches[n-1]
	}
	return s
}

func (a *app) writeStatus(s runStatus, now time.Time) {
	state := string(s.State)
	if s.Result != "" {
		state += ", " + string(s.Result)
	}
	fmt.Fprintf(a.out, "%s  %s  %s", s.Group, s.Run, state)
	if s.Phase != "" {
		fmt.Fprintf(a.out, "  %s", s.Phase)
	}
	fmt.Fprintf(a.out, "  %d of %d nodes replaced\n", s.Replaced, s.Outdated)
	if s.Why != "" {
		fmt.Fprintln(a.out, "  "+s.Why)
	}
	if s.State != engine.Finished {
		if age := now.Sub(s.Seen); age > 30*time.Second {
			fmt.Fprintf(a.out, "  last written %s ago: nobody may be driving it; drainboard upgrade %s goes on\n", age.Round(time.Second), s.Group)
		}
		var stages []string
		for _, st := range []engine.Stage{engine.Outdated, engine.Queued, engine.Draining, engine.Settling, engine.Terminating, engine.Replaced, engine.Launching, engine.Ready, engine.Surplus, engine.Skipped, engine.NodeFail} {
			if n := s.Stages[st]; n > 0 {
				stages = append(stages, fmt.Sprintf("%d %s", n, st))
			}
		}
		fmt.Fprintln(a.out, "  "+strings.Join(stages, ", "))
	}
	if s.Waiting != nil {
		fmt.Fprintf(a.out, "  batch %d waits for approval: %s\n", s.Waiting.ID, strings.Join(s.Waiting.Names, ", "))
	}
	list(a.out, "  blocked:", s.Blocked)
	list(a.out, "  left behind:", s.Left)
}

// unfinished is the state of the unfinished run of each group that has one.
func (s *session) unfinished(ctx context.Context) (map[string]string, error) {
	records, err := s.kube.Records(ctx, s.namespace)
	if err != nil {
		return nil, usage(err)
	}
	out := map[string]string{}
	for _, r := range records {
		if r.Err == nil && r.Run.State != engine.Finished {
			out[r.Run.Group] = string(r.Run.State)
		}
	}
	return out, nil
}
