package gardener_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/drainboard/drainboard/lab"
	"github.com/drainboard/drainboard/lab/programs"
	"github.com/drainboard/drainboard/lab/workload"
)

// shared is the lab of all tests.
var shared *lab.Lab

func TestMain(m *testing.M) {
	os.Exit(testMain(m))
}

func testMain(m *testing.M) int {
	ctx := context.Background()
	var err error
	if shared, err = lab.Start(ctx, lab.Options{}); errors.Is(err, os.ErrNotExist) {
		fmt.Fprintln(os.Stderr, "building the lab's programs")
		if err = programs.Build(ctx); err == nil {
			shared, err = lab.Start(ctx, lab.Options{})
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer shared.Stop()
	return m.Run()
}

func deploy(ctx context.Context, t *testing.T, p workload.Place, names ...string) {
	t.Helper()
	if err := shared.Deploy(ctx, p, names...); err != nil {
		t.Fatal(err)
	}
	if err := shared.WaitReady(ctx, p.Namespace); err != nil {
		t.Fatal(err)
	}
}
