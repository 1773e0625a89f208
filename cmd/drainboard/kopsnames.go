package main

import "github.com/spf13/pflag"

// kopsNames are the names that kops has for flags of ours, those included that it takes for
// others (cmd/kops/rolling-update_cluster.go, SetNormalizeFunc).
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

// byKopsName lets a flag be given by the name that kops has for it.
func byKopsName(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	if ours, ok := kopsNames[name]; ok {
		name = ours
	}
	return pflag.NormalizedName(name)
}
