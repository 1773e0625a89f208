package transport

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
)

// Once is the option of calls that the SDK must not repeat by itself, because
// the first may have happened though its answer was lost.
func Once(o *autoscaling.Options) { o.Retryer = aws.NopRetryer{} }

// Bounded gives a call its time; the cause of an end by it says so.
func Bounded(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, d, fmt.Errorf("no answer within %s", d))
}
