package flags

import "github.com/spf13/pflag"

// KopsNames maps kops's names of flags to ours, including the aliases that kops normalizes
// itself (cmd/kops/rolling-update_cluster.go, SetNormalizeFunc).
var KopsNames = map[string]string{
	"ig":                  "instance-group",
	"instance-groups":     "instance-group",
	"role":                "instance-group-roles",
	"roles":               "instance-group-roles",
	"instance-group-role": "instance-group-roles",

	"post-drain-delay": "post-drain-wait",
	"master-interval":  "control-plane-interval",
	"name":             "cluster-name",
}

// ByKopsName accepts a flag by its name in kops.
func ByKopsName(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	if ours, ok := KopsNames[name]; ok {
		name = ours
	}
	return pflag.NormalizedName(name)
}
