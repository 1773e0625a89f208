package world

import "time"

// Upkeep is what a group does to its machines by itself, beside keeping its size. The zero
// value is a group that does nothing of the kind.
type Upkeep struct {
	// MaxLifetime is the age at which a machine is replaced, 0 for none.
	MaxLifetime time.Duration
	// CapacityRebalance: a Spot machine that may soon be taken back is replaced before.
	CapacityRebalance bool
	// MinHealthy and MaxHealthy, in percent of the size, bound what is replaced at once; 0 for
	// no policy.
	MinHealthy, MaxHealthy int
	// ZonalShift: a zone may be taken out of use, and launches go to the others.
	ZonalShift bool
}
