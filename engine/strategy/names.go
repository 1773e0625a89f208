package strategy

// abouts say what each strategy does, for the user who has to choose one.
var abouts = map[string]string{
	"drainboard":            "as fast as the surge allows: growing waves, no fixed waits",
	"eks":                   "new nodes first, then old ones are drained and terminated",
	"kops":                  "detaches old nodes until new ones serve, and validates the cluster after each that is terminated",
	"gardener":              "each zone by itself, new nodes first as far as its share of the surge allows; finally deletes pods past their PDBs",
	"gardener-seed":         "the same with the numbers of Gardener's documentation",
	"gardener-manual":       "nodes of a Gardener pool are selected, batch by batch, and Gardener updates them in place",
	"gardener-inplace":      "nodes of a Gardener pool in the simulator are selected zone by zone, and updated in place; after a surge the last old ones are ended",
	"gardener-inplace-seed": "the same with the numbers of Gardener's documentation",
	"eks-managed":           "has EKS update a managed node group, and follows that; EKS picks, drains and terminates the nodes",
	"eks-minimal":           "no extra nodes: old ones are terminated first, then replaced",
	"gardener-follow":       "follows Gardener's controller while it rolls a pool, and helps: pauses, reorders, forces",
}

// Names lists the strategies.
func Names() []string {
	names := make([]string, len(all))
	for i, s := range all {
		names[i] = s.Name()
	}
	return names
}

// Simulated reports whether only the simulator has groups for the strategy of a name.
func Simulated(name string) bool {
	return name == "gardener-inplace" || name == "gardener-inplace-seed"
}

// Watched reports whether runs of the strategy of a name are only watched: nobody can start one.
func Watched(name string) bool { return name == EKSManaged{}.Name() }

// About says in a few words what the strategy of a name does.
func About(name string) string { return abouts[name] }
