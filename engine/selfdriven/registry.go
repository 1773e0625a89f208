package selfdriven

import (
	"fmt"

	"github.com/drainboard/drainboard/engine/world"
)

// controllers are those that there are. They are registered before anything is decided.
var controllers []Controller

// Register makes a controller known. It is for init functions.
func Register(c Controller) {
	if Named(c.ID()) != nil {
		panic(fmt.Sprintf("there are two controllers %q", c.ID()))
	}
	controllers = append(controllers, c)
}

// Of is the controller that drives a group, nil for none.
func Of(g *world.Group) Controller {
	for _, c := range controllers {
		if c.Drives(g) {
			return c
		}
	}
	return nil
}

// Named is the controller that a record names, nil for one that this program does not know.
func Named(id string) Controller {
	for _, c := range controllers {
		if c.ID() == id {
			return c
		}
	}
	return nil
}
