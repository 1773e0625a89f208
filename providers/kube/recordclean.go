package kube

import (
	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/world"
)

// cleanRun cleans all strings of a run that was read: whoever may write ConfigMaps
// may have written anything. What Drainboard itself wrote passes unchanged, since it
// was clean before.
func cleanRun(r *engine.Run) { world.CleanAll(r) }
