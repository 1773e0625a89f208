package strategy

// abouts say what each strategy does, for whoever has to choose one.
var abouts = map[string]string{
	"eks":                   "new nodes first, then the old ones go",
	"kops":                  "old nodes wait outside their group until new ones stand in, and the cluster proves valid after each that goes",
	"gardener":              "each zone by itself, new nodes first as far as its share of the surge goes, and pods are forced in the end",
	"gardener-seed":         "the same with the numbers of Gardener's documentation",
	"gardener-manual":       "nodes of a Gardener pool are selected, batch by batch, and Gardener updates them in place",
	"gardener-inplace":      "nodes of a Gardener pool in the simulator are selected zone by zone, and updated in place; after a surge the last old ones are ended",
	"gardener-inplace-seed": "the same with the numbers of Gardener's documentation",
	"eks-minimal":           "no extra nodes: old ones go first, and their replacements come",
	"gardener-follow":       "Gardener's controller rolls one of its pools, and is followed and helped: paused, put in order, forced",
}

// Names lists the strategies.
func Names() []string {
	names := make([]string, len(all))
	for i, s := range all {
		names[i] = s.Name()
	}
	return names
}

// About says in a few words what the strategy of a name does.
func About(name string) string { return abouts[name] }
