package asg

import (
	"errors"
	"net"
	"net/http"
	"strings"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"

	"github.com/drainboard/drainboard/engine"
)

// refusals by error code, where the code says it all.
var refusals = map[string]engine.Refusal{
	"ScalingActivityInProgress":    engine.RefusedBusy,
	"ResourceContention":           engine.RefusedBusy,
	"IdempotentCallInProgress":     engine.RefusedBusy,
	"ServiceUnavailable":           engine.RefusedBusy,
	"Unavailable":                  engine.RefusedBusy,
	"ServiceLinkedRoleFailure":     engine.RefusedBusy,
	"ResourceInUse":                engine.RefusedConflict,
	"InstanceRefreshInProgress":    engine.RefusedConflict,
	"IncorrectInstanceState":       engine.RefusedConflict,
	"InsufficientInstanceCapacity": engine.RefusedCapacity,
	"InsufficientCapacity":         engine.RefusedCapacity,
	"InsufficientHostCapacity":     engine.RefusedCapacity,
	"InsufficientReservedInstance": engine.RefusedCapacity,
	"UnfulfillableCapacity":        engine.RefusedCapacity,
	"InsufficientFreeAddresses":    engine.RefusedCapacity,
	"InstanceLimitExceeded":        engine.RefusedCapacity,
	"VcpuLimitExceeded":            engine.RefusedCapacity,
	"MaxSpotInstanceCountExceeded": engine.RefusedCapacity,
	"SpotMaxPriceTooLow":           engine.RefusedCapacity,
	"InsufficientAddressCapacity":  engine.RefusedCapacity,
	"ReservationCapacityExceeded":  engine.RefusedCapacity,
	"PendingVerification":          engine.RefusedBusy,
}

// refusalOf is what kind of no a service's error is, "" if it is none: an error
// on its own side, after which it may have happened all the same.
func refusalOf(code, message string) engine.Refusal {
	short := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(code, "Exception"), "Fault"), "InSubnet")
	switch {
	case throttleCodes[code], expiredCodes[code], badLoginCodes[code]:
		return engine.RefusedBusy
	case isForbidden(code, message):
		return engine.RefusedForbidden
	case strings.Contains(message, "No managed instance found"), strings.Contains(message, "is not part of Auto Scaling group"):
		return engine.RefusedGone
	case strings.Contains(message, "is not in InService or Standby"): // it cannot be detached now
		return engine.RefusedConflict
	case strings.HasPrefix(code, "Internal"):
		return ""
	}
	if r, ok := refusals[short]; ok {
		return r
	}
	return engine.RefusedInvalid
}

// judge says what became of a change that failed with err. Refused means that
// for certain nothing happened; every doubt is Unknown. retried: the SDK
// may have sent it more than once.
func (c *Client) judge(err error, retried bool) engine.Outcome {
	words := c.explain(err).Error()
	no := func(r engine.Refusal) engine.Outcome {
		return engine.Outcome{Verdict: engine.Refused, Refusal: r, Message: words}
	}
	unknown := engine.Outcome{Verdict: engine.Unknown, Message: words}

	var (
		login  *loginError
		wrong  smithy.InvalidParamsError
		answer *awshttp.ResponseError
		dial   *net.OpError
	)
	code, message := answered(err)
	switch {
	case errors.As(err, &login):
		return no(engine.RefusedBusy)
	case errors.As(err, &wrong):
		return no(engine.RefusedInvalid)
	case code == "":
		if !retried && errors.As(err, &dial) && dial.Op == "dial" {
			return no(engine.RefusedBusy) // never sent
		}
		return unknown
	}
	r := refusalOf(code, message)
	if r == engine.RefusedInvalid && errors.As(err, &answer) && answer.HTTPStatusCode() >= http.StatusInternalServerError {
		r = ""
	}
	if r == "" {
		return unknown
	}
	if r != engine.RefusedForbidden && !expiredCodes[code] && !badLoginCodes[code] && !throttleCodes[code] {
		words = message // the service's own words say it best
	}
	return no(r)
}

// notAsked is the outcome where a read that must come before the change failed:
// nothing happened, whatever went wrong. Errors of this package's reads are in
// words already.
func notAsked(err error) engine.Outcome {
	r := engine.RefusedBusy
	switch {
	case errors.Is(err, ErrForbidden):
		r = engine.RefusedForbidden
	case errors.Is(err, ErrNotFound):
		r = engine.RefusedInvalid // the group or template itself: no later try finds it
	}
	return engine.Outcome{Verdict: engine.Refused, Refusal: r, Message: err.Error()}
}
