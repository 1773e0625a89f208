package session

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// RunID returns a run's id: its group and the time of its plan.
func RunID(group string, at time.Time) string {
	return strings.ToLower(group) + "-" + at.UTC().Format("20060102-150405") + fmt.Sprintf("-%04x", rand.Uint32N(1<<16))
}
