package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/flags"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/session"
)

const changeHelp = `A change of a Gardener Shoot: its effect on each worker pool (docs/providers/gardener.md).

  drainboard plan --provider gardener --shoot garden-shop/prod --garden-kubeconfig FILE \
    --change NEW.yaml
  drainboard plan --provider gardener --shoot-file OLD.yaml --change NEW.yaml  # asks no cluster
  drainboard plan --provider gardener --shoot-file OLD.yaml --kubernetes-version 1.32.0
  drainboard plan POOL... --provider gardener ... --machine-image-version 1632.0.0

Exit codes of such a plan: 0 Gardener accepts the change, 1 Gardener's API refuses it, 2 wrong use, 10
or 11 as everywhere.`

// planChange shows what a change of a Shoot would do, for the named pools or for all.
func (a *app) planChange(cmd *cobra.Command, pools []string, asJSON bool) error {
	c, err := flags.ReadChange(cmd)
	if err != nil {
		return exitcode.Usage(err)
	}
	c.In, c.Version = a.In, a.Version
	if all, _ := cmd.Flags().GetBool("all"); all && len(pools) > 0 {
		return exitcode.Usage(fmt.Errorf("--all includes %s: give either --all or names", strings.Join(pools, ", ")))
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), session.ReadLimit)
	defer cancel()
	change, notes, err := c.Read(ctx, pools)
	if err != nil {
		return exitcode.Usage(err)
	}
	p := change.Plan()
	p.Notes = slices.Concat(notes, p.Notes)
	if asJSON {
		if err := present.JSON(a.Out, present.ChangeOf(p.Only(pools))); err != nil {
			return err
		}
	} else {
		present.WriteChange(a.Out, p, pools)
	}
	if p.Refused {
		return exitcode.Told(exitcode.Failed, fmt.Errorf("refused by Gardener's API: %s", p.Refusals[0].Why))
	}
	return nil
}
