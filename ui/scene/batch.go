package scene

import (
	"fmt"

	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/ui/style"
)

// BatchName names what is approved: a batch, the canary or a phase.
func BatchName(b *snapshot.BatchView) string {
	switch {
	case b.Phase != "":
		return "phase " + b.Phase
	case b.Canary:
		return "the canary"
	}
	return fmt.Sprintf("batch %d", b.ID)
}

// BatchNameAndSize is batchShort with how much it is.
func BatchNameAndSize(b *snapshot.BatchView) string {
	if b.Phase != "" {
		return BatchName(b)
	}
	return BatchName(b) + " (" + style.Count(len(b.Nodes), "node") + ")"
}
