package main

import "github.com/spf13/pflag"

// kopsNames maps kops's names of flags to ours, including the aliases that kops normalizes
// itself (cmd/kops/rolling-update_cluster.go, SetNormalizeFunc).
var kopsNames = map[string]string{
	"ig":                  "instance-group",
	"instance-groups":     "instance-group",
	"role":                "instance-group-roles",
	"roles":               "instance-group-roles",
	"instance-group-role": "instance-group-roles",

	"post-drain-delay": "post-drain-wait",
	"master-interval":  "control-plane-interval",
	"name":             "cluster-name",
}

// byKopsName accepts a flag by its name in kops.
func byKopsName(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	if ours, ok := kopsNames[name]; ok {
		name = ours
	}
	return pflag.NormalizedName(name)
}
