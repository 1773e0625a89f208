package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/lab"
)

func updateCommand() *cobra.Command {
	var dir string
	var force bool
	cmd := &cobra.Command{
		Use:   "update GROUP",
		Short: "Let EKS update a managed node group of a running lab",
		Long: `Let EKS update a managed node group of a running lab (lab up --eks) to the cluster's
version and the recommended release, as aws eks update-nodegroup-version does. EKS
refuses a second update while one is under way.

The lab is the one of --dir, of the environment that lab up gives (` + dirEnv + `),
or the only one that runs.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			control, err := lab.Dial(dir)
			if err != nil {
				return err
			}
			return control.UpdateNodegroup(cmd.Context(), args[0], force)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&dir, "dir", os.Getenv(dirEnv), "directory of the running lab")
	flags.BoolVar(&force, "force", false, "delete pods that cannot be evicted in time")
	return cmd
}
