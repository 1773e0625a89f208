package transport

import (
	"strings"

	"github.com/drainboard/drainboard/engine/record"
)

// refusals by error code, where the code says it all.
var refusals = map[string]record.Refusal{
	"ScalingActivityInProgress":    record.RefusedBusy,
	"ResourceContention":           record.RefusedBusy,
	"IdempotentCallInProgress":     record.RefusedBusy,
	"ServiceUnavailable":           record.RefusedBusy,
	"Unavailable":                  record.RefusedBusy,
	"ServiceLinkedRoleFailure":     record.RefusedBusy,
	"ResourceInUse":                record.RefusedConflict,
	"InstanceRefreshInProgress":    record.RefusedConflict,
	"IncorrectInstanceState":       record.RefusedConflict,
	"InsufficientInstanceCapacity": record.RefusedCapacity,
	"InsufficientCapacity":         record.RefusedCapacity,
	"InsufficientHostCapacity":     record.RefusedCapacity,
	"InsufficientReservedInstance": record.RefusedCapacity,
	"UnfulfillableCapacity":        record.RefusedCapacity,
	"InsufficientFreeAddresses":    record.RefusedCapacity,
	"InstanceLimitExceeded":        record.RefusedCapacity,
	"VcpuLimitExceeded":            record.RefusedCapacity,
	"MaxSpotInstanceCountExceeded": record.RefusedCapacity,
	"SpotMaxPriceTooLow":           record.RefusedCapacity,
	"InsufficientAddressCapacity":  record.RefusedCapacity,
	"ReservationCapacityExceeded":  record.RefusedCapacity,
	"PendingVerification":          record.RefusedBusy,
}

// Refusal is what kind of no a service's error is, "" if it is none: an error
// on its own side, after which it may have happened all the same.
func Refusal(code, message string) record.Refusal {
	short := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(code, "Exception"), "Fault"), "InSubnet")
	switch {
	case ThrottleCodes[code], ExpiredCodes[code], BadLoginCodes[code]:
		return record.RefusedBusy
	case IsForbidden(code, message):
		return record.RefusedForbidden
	case strings.Contains(message, "No managed instance found"), strings.Contains(message, "is not part of Auto Scaling group"):
		return record.RefusedGone
	case strings.Contains(message, "is not in InService or Standby"), // it cannot be detached now
		strings.Contains(message, "violate group's min size"): // which a user has raised
		return record.RefusedConflict
	case strings.HasPrefix(code, "Internal"):
		return ""
	}
	if r, ok := refusals[short]; ok {
		return r
	}
	return record.RefusedInvalid
}
