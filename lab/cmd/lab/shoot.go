package main

import (
	"errors"
	"os"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/lab"
	"github.com/drainboard/drainboard/lab/gardener"
)

func shootCommand() *cobra.Command {
	var dir, name string
	var change gardener.Change
	cmd := &cobra.Command{
		Use:   "shoot",
		Short: "Change the Shoot of a running lab, which may roll its nodes",
		Long: `Change the Shoot of a running lab (lab up --gardener), as its owner would with
kubectl edit. A new minor version of Kubernetes or a new machine image rolls the
nodes: those of the pool workers are replaced, those of inplace are updated in
place by themselves, those of manual when you select them:

  lab shoot --kubernetes-version 1.33.1
  lab kubectl label node NODE node.machine.sapcloud.io/selected-for-update=true

Changes that Gardener's API refuses are refused. The operations are reconcile,
retry, rollout-workers=POOL,... (or *), and force-in-place-update, with which a pool
takes a change while an update in place of it is pending.

The lab is the one of --dir, of the environment that lab up gives (` + dirEnv + `),
or the only one that runs.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if change == (gardener.Change{}) {
				return errors.New("nothing to change: give --kubernetes-version, --image-version or --operation")
			}
			control, err := lab.Dial(dir)
			if err != nil {
				return err
			}
			return control.ChangeShoot(cmd.Context(), name, change)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&dir, "dir", os.Getenv(dirEnv), "directory of the running lab")
	flags.StringVar(&name, "shoot", "", "name of the Shoot (default the only one)")
	flags.StringVar(&change.KubernetesVersion, "kubernetes-version", "", "version of Kubernetes, such as 1.33.1")
	flags.StringVar(&change.ImageVersion, "image-version", "", "version of the machine image, such as 1700.1.0")
	flags.StringVar(&change.Pool, "pool", "", "the worker pool whose image it is (default all)")
	flags.StringVar(&change.Operation, "operation", "", "value of the annotation gardener.cloud/operation, such as rollout-workers=workers")
	return cmd
}
