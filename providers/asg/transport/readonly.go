package transport

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"

	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/smithy-go/middleware"

	"github.com/drainboard/drainboard/engine/live"
)

// ErrReadOnly means that a client that only reads was asked to change something.
// Nothing was sent.
var ErrReadOnly = errors.New("this process is read-only")

// OnlyReads lets no call of a client leave this process but those that read, by
// their names. Logging in has clients of its own and is not concerned.
func OnlyReads(stack *middleware.Stack) error {
	if err := marksDryRuns(stack); err != nil {
		return err
	}
	return stack.Finalize.Add(middleware.FinalizeMiddlewareFunc("DrainboardOnlyReads",
		func(ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler) (middleware.FinalizeOutput, middleware.Metadata, error) {
			if call := awsmiddleware.GetOperationName(ctx); !Reads(call) && !dry(ctx) {
				return middleware.FinalizeOutput{}, middleware.Metadata{}, fmt.Errorf("%w: %s was not sent", ErrReadOnly, call)
			}
			return next.HandleFinalize(ctx, in)
		}), middleware.Before)
}

// OnlyWhileSure lets no change of an action leave this process, not at a second try
// either, that may not be ours to make any more.
func OnlyWhileSure(stack *middleware.Stack) error {
	if err := marksDryRuns(stack); err != nil {
		return err
	}
	return stack.Finalize.Add(middleware.FinalizeMiddlewareFunc("DrainboardOnlyWhileSure",
		func(ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler) (middleware.FinalizeOutput, middleware.Metadata, error) {
			if !Reads(awsmiddleware.GetOperationName(ctx)) && !dry(ctx) {
				if err := live.MayAct(ctx); err != nil {
					return middleware.FinalizeOutput{}, middleware.Metadata{}, err
				}
			}
			return next.HandleFinalize(ctx, in)
		}), middleware.After)
}

// dryRun is the key of a call's mark: it asks EC2 whether it would be allowed.
type dryRun struct{}

// marksDryRuns marks calls by their own DryRun field, which all calls of EC2 have that can be
// tried so: what is sent is what it says.
func marksDryRuns(stack *middleware.Stack) error {
	return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("DrainboardDryRun",
		func(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error) {
			if v := reflect.Indirect(reflect.ValueOf(in.Parameters)); v.Kind() == reflect.Struct {
				if field := v.FieldByName("DryRun"); field.IsValid() {
					asked, is := field.Interface().(*bool)
					ctx = middleware.WithStackValue(ctx, dryRun{}, is && asked != nil && *asked)
				}
			}
			return next.HandleInitialize(ctx, in)
		}), middleware.After)
}

// dry reports whether a call only asks whether it would be allowed.
func dry(ctx context.Context) bool {
	is, _ := middleware.GetStackValue(ctx, dryRun{}).(bool)
	return is
}

// Reads reports whether a call of a service that is used here changes nothing.
func Reads(call string) bool {
	for _, verb := range []string{"Describe", "Get", "List", "Simulate"} {
		if strings.HasPrefix(call, verb) {
			return true
		}
	}
	return false
}
