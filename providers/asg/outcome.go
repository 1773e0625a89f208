package asg

import (
	"errors"
	"net"
	"net/http"
	"strings"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/providers/asg/transport"
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

// refusalOf is what kind of no a service's error is, "" if it is none: an error
// on its own side, after which it may have happened all the same.
func refusalOf(code, message string) record.Refusal {
	short := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(code, "Exception"), "Fault"), "InSubnet")
	switch {
	case transport.ThrottleCodes[code], transport.ExpiredCodes[code], transport.BadLoginCodes[code]:
		return record.RefusedBusy
	case transport.IsForbidden(code, message):
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

// Judge says what became of a change by another of AWS's services that failed with err, and that
// may be sent more than once.
func (c *Client) Judge(err error) record.Outcome { return c.judge(err, true) }

// judge says what became of a change that failed with err. Refused means that
// for certain nothing happened; every doubt is Unknown. retried: the SDK
// may have sent it more than once.
func (c *Client) judge(err error, retried bool) record.Outcome {
	words := c.explain(err).Error()
	no := func(r record.Refusal) record.Outcome {
		return record.Outcome{Verdict: record.Refused, Refusal: r, Message: words}
	}
	unknown := record.Outcome{Verdict: record.Unknown, Message: words}

	var (
		login  *transport.LoginError
		wrong  smithy.InvalidParamsError
		answer *awshttp.ResponseError
		dial   *net.OpError
	)
	code, message := transport.Answered(err)
	switch {
	case errors.As(err, &login):
		return no(record.RefusedBusy)
	case errors.As(err, &wrong):
		return no(record.RefusedInvalid)
	case code == "":
		if !retried && errors.As(err, &dial) && dial.Op == "dial" {
			return no(record.RefusedBusy) // never sent
		}
		return unknown
	}
	r := refusalOf(code, message)
	if r == record.RefusedInvalid && errors.As(err, &answer) && answer.HTTPStatusCode() >= http.StatusInternalServerError {
		r = ""
	}
	if r == "" {
		return unknown
	}
	if r != record.RefusedForbidden && !transport.ExpiredCodes[code] && !transport.BadLoginCodes[code] && !transport.ThrottleCodes[code] {
		words = message // the service's own words say it best
	}
	return no(r)
}

// notAsked is the outcome where a read that must come before the change failed:
// nothing happened, whatever went wrong. Errors of this package's reads are in
// words already.
func notAsked(err error) record.Outcome {
	r := record.RefusedBusy
	switch {
	case errors.Is(err, transport.ErrForbidden):
		r = record.RefusedForbidden
	case errors.Is(err, transport.ErrNotFound):
		r = record.RefusedInvalid // the group or template itself: no later try finds it
	}
	return record.Outcome{Verdict: record.Refused, Refusal: r, Message: err.Error()}
}
