package strategy

// abouts say what each strategy does, for whoever has to choose one.
var abouts = map[string]string{
	"eks":         "new nodes first, then the old ones go",
	"eks-minimal": "no extra nodes: old ones go first, and their replacements come",
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
