package transport

import (
	"context"
	"time"

	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/drainboard/drainboard/providers/clock"
)

// ListenTo has a clock take in the Date header of every answer, also of one that says no.
// It comes after what reads the answer, so that it is next to the wire.
func ListenTo(c *clock.Remote) func(*middleware.Stack) error {
	return func(stack *middleware.Stack) error {
		return stack.Deserialize.Add(middleware.DeserializeMiddlewareFunc("DrainboardClock",
			func(ctx context.Context, in middleware.DeserializeInput, next middleware.DeserializeHandler) (middleware.DeserializeOutput, middleware.Metadata, error) {
				sent := time.Now()
				out, meta, err := next.HandleDeserialize(ctx, in)
				if answer, ok := out.RawResponse.(*smithyhttp.Response); ok && answer != nil && answer.Response != nil {
					c.Hear(answer.Header, sent)
				}
				return out, meta, err
			}), middleware.After)
	}
}
