package asg

import (
	"errors"
	"net"
	"net/http"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/providers/asg/transport"
)

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
	r := transport.Refusal(code, message)
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
