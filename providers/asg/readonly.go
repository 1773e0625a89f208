package asg

import (
	"context"
	"errors"
	"fmt"
	"strings"

	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/smithy-go/middleware"

	"github.com/drainboard/drainboard/engine/live"
)

// ErrReadOnly means that a client that only reads was asked to change something.
// Nothing was sent.
var ErrReadOnly = errors.New("this process is read-only")

// onlyReads lets no call of a client leave this process but those that read, by
// their names. Logging in has clients of its own and is not concerned.
func onlyReads(stack *middleware.Stack) error {
	return stack.Finalize.Add(middleware.FinalizeMiddlewareFunc("DrainboardOnlyReads",
		func(ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler) (middleware.FinalizeOutput, middleware.Metadata, error) {
			if call := awsmiddleware.GetOperationName(ctx); !reads(call) {
				return middleware.FinalizeOutput{}, middleware.Metadata{}, fmt.Errorf("%w: %s was not sent", ErrReadOnly, call)
			}
			return next.HandleFinalize(ctx, in)
		}), middleware.Before)
}

// onlyWhileSure lets no change of an action leave this process, not at a second try
// either, that may not be ours to make any more.
func onlyWhileSure(stack *middleware.Stack) error {
	return stack.Finalize.Add(middleware.FinalizeMiddlewareFunc("DrainboardOnlyWhileSure",
		func(ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler) (middleware.FinalizeOutput, middleware.Metadata, error) {
			if !reads(awsmiddleware.GetOperationName(ctx)) {
				if err := live.MayAct(ctx); err != nil {
					return middleware.FinalizeOutput{}, middleware.Metadata{}, err
				}
			}
			return next.HandleFinalize(ctx, in)
		}), middleware.After)
}

// reads reports whether a call of a service that is used here changes nothing.
func reads(call string) bool {
	return strings.HasPrefix(call, "Describe") || strings.HasPrefix(call, "Get") || strings.HasPrefix(call, "List")
}
