package e2e

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/drainboard/drainboard/lab"
	"github.com/drainboard/drainboard/lab/cloud"
	"github.com/drainboard/drainboard/lab/machines"
	"github.com/drainboard/drainboard/lab/programs"
)

// shared is the one lab of all tests; program the drainboard under test.
var (
	shared  *lab.Lab
	program string
)

// sideBySide is how many tests run at once. They mostly wait, some for a dead process's
// lock to run out, so it is more than there are processors.
const sideBySide = 8

func TestMain(m *testing.M) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if !given {
		_ = flag.Set("test.parallel", strconv.Itoa(sideBySide))
	}
	if err := skipStories(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(testMain(m))
}

func testMain(m *testing.M) int {
	ctx := context.Background()
	var err error
	if program, err = programs.Drainboard(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	dir, err := os.MkdirTemp("", "drainboard-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if shared, err = start(ctx, dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	shared.Stop()
	if code != 0 {
		fmt.Fprintf(os.Stderr, "the lab's logs and its audit log are in %s\n", dir)
		return code
	}
	_ = os.RemoveAll(dir)
	return code
}

// times of the lab's machines and pods, and how far its describe calls are behind.
var times = lab.Times{
	Boot: 300 * time.Millisecond, Ready: 200 * time.Millisecond, Terminate: 300 * time.Millisecond,
	PodReady: 200 * time.Millisecond, PodStop: 200 * time.Millisecond,
	// Longer than etcd, and the API server soon after it, are away in one test, with the 10 s
	// between two signs of life before and after that.
	NodeGrace: 110 * time.Second,
}

const cloudLag = 200 * time.Millisecond

// start starts the lab, quick and with what makes a cloud a cloud: describe
// calls lag and page.
func start(ctx context.Context, dir string) (*lab.Lab, error) {
	o := lab.Options{
		Dir: dir, Times: times,
		Images: map[string]machines.Image{deadAMI: {Kubelet: "v1.33.0", NeverReady: true}},
		Cloud:  cloud.Options{Zones: zones, Lag: cloudLag, PageSize: 25},
	}
	l, err := lab.Start(ctx, o)
	if errors.Is(err, os.ErrNotExist) {
		fmt.Fprintln(os.Stderr, "building the lab's programs")
		if err = programs.Build(ctx); err == nil {
			l, err = lab.Start(ctx, o)
		}
	}
	return l, err
}

// deadAMI boots into nodes that never turn Ready.
const deadAMI = "ami-0dead0dead0dead00"

// root is the repository's directory: two above this package's.
func root() string {
	dir, err := filepath.Abs("../..")
	if err != nil {
		panic(err)
	}
	return dir
}

// document reads a file of the repository, for tests that hold docs to their word.
func document(t *testing.T, name ...string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(append([]string{root()}, name...)...))
	if err != nil {
		t.Fatal(err)
	}
	return bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
}
