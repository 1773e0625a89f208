package transport

import (
	"context"
	"time"

	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/smithy-go/middleware"
)

// TryTimeout is how long one try of a read may take. The last one has the rest of the call's
// time: where AWS is slow and not silent, that is more.
const TryTimeout = 4 * time.Second

// streamed is the read whose answer is read on when the call has returned, with its context.
const streamed = "GetObject"

// SilentError says that one try of a read was not answered in time. The SDK tries again.
type SilentError struct{}

func (SilentError) Error() string        { return "no answer within " + TryTimeout.String() }
func (SilentError) RetryableError() bool { return true }

// Is reports that it is a time that has run out.
func (SilentError) Is(target error) bool { return target == context.DeadlineExceeded }

// AskAgain bounds each try of a read, so that one lost answer does not use up the time of the
// whole call, and with it of all that is read together.
func AskAgain(stack *middleware.Stack) error {
	return stack.Finalize.Insert(middleware.FinalizeMiddlewareFunc("DrainboardAskAgain",
		func(ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler) (middleware.FinalizeOutput, middleware.Metadata, error) {
			end, bounded := ctx.Deadline()
			call := awsmiddleware.GetOperationName(ctx)
			if !Reads(call) || call == streamed || bounded && time.Until(end) < 2*TryTimeout {
				return next.HandleFinalize(ctx, in)
			}
			try, cancel := context.WithTimeout(ctx, TryTimeout)
			defer cancel()
			out, meta, err := next.HandleFinalize(try, in)
			if err != nil && try.Err() != nil && ctx.Err() == nil {
				err = SilentError{}
			}
			return out, meta, err
		}), "Retry", middleware.After)
}
