package script

import (
	"embed"
	"fmt"
	"path"
	"strings"
)

//go:embed scenarios
var scenarios embed.FS

// Scenario is a world that is built in: a script up to its plan, and what happens
// by itself later.
type Scenario struct {
	Name string
	// About says in a sentence what there is to see.
	About string
	// Script is for Script.Do.
	Script string
}

// Scenarios lists the built-in worlds by name.
func Scenarios() []Scenario {
	files, err := scenarios.ReadDir("scenarios")
	if err != nil {
		panic("the scenarios are built in: " + err.Error())
	}
	var out []Scenario
	for _, f := range files {
		text, err := scenarios.ReadFile(path.Join("scenarios", f.Name()))
		if err != nil {
			panic("the scenarios are built in: " + err.Error())
		}
		about, _, _ := strings.Cut(string(text), "\n")
		out = append(out, Scenario{strings.TrimSuffix(f.Name(), ".txt"), strings.TrimPrefix(about, "# "), string(text)})
	}
	return out
}

// Named returns a built-in world.
func Named(name string) (Scenario, error) {
	var names []string
	for _, s := range Scenarios() {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return Scenario{}, fmt.Errorf("there is no scenario %q; there are %s", name, strings.Join(names, ", "))
}

// Open plays a scenario up to its plan: of a seed, and without approvals if
// nobody is there to give them.
func (s Scenario) Open(seed uint64, alone bool) (*Script, error) {
	c := New()
	texts := []string{fmt.Sprintf("seed %d\n%s\n", seed, s.Script)}
	if alone {
		texts = append(texts, "settings approve=none")
	}
	for _, text := range texts {
		if _, err := c.Do(text); err != nil {
			return nil, fmt.Errorf("scenario %s: %w", s.Name, err)
		}
	}
	return c, nil
}
