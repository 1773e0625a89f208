package driver

import (
	"bufio"
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/clitest"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/console"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/planner"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
)

// An abort that could not be carried to its end is an abort, whatever else went wrong.
func TestWhatTheOperatorSaidIsTheExitCode(t *testing.T) {
	why := errors.New("save the run record: the API is away")
	for result, want := range map[record.Result]int{record.Aborted: exitcode.Aborted, record.Failed: exitcode.Failed, "": exitcode.Failed} {
		var e *exitcode.Error
		if err := broken(record.Run{ID: "r", Group: "web", Result: result}, why, "drainboard upgrade web", "drainboard abort web"); !errors.As(err, &e) || e.Code != want || !errors.Is(err, why) {
			t.Errorf("%q: %v, want code %d", result, err, want)
		}
	}
	for result, want := range map[record.Result]int{record.Aborted: exitcode.Aborted, record.Failed: exitcode.Paused, "": exitcode.Paused} {
		var e *exitcode.Error
		next := "drainboard upgrade web resumes"
		if want == exitcode.Aborted {
			next = "drainboard abort web restores the rest"
		}
		err := broken(record.Run{ID: "r", Group: "web", Result: result}, &live.UnwrittenError{Err: why}, "drainboard upgrade web", "drainboard abort web")
		if !errors.As(err, &e) || e.Code != want || !errors.Is(err, why) || !strings.Contains(err.Error(), next) {
			t.Errorf("without a record, %q: %v, want code %d", result, err, want)
		}
	}
}

// For a run without Kubernetes no command is suggested that refuses it.
func TestHeldAlone(t *testing.T) {
	by := &live.HeldError{Holder: "bob"}
	u := &Upgrade{Group: "web", Request: planner.Request{Line: present.CommandLine{Reach: []present.Flag{{Name: "context", Words: []string{"--context", "prod"}}}}}}
	clitest.Contains(t, u.held(by).Error(), "drainboard watch web --context prod", "drainboard abort web --context prod")
	u.Where.CloudOnly = true
	if err := u.held(by); strings.Contains(err.Error(), "drainboard ") || !strings.Contains(err.Error(), "accepts no commands") {
		t.Error(err)
	}
}

// A user who starts such a run by hand types what it is for; a yes is not enough.
func TestCloudOnlyAsksForConsent(t *testing.T) {
	for _, c := range []struct {
		input string
		want  bool
	}{{"nodes-a\n", true}, {"y\n", false}, {"\n", false}, {"", false}} {
		var out bytes.Buffer
		u := &Upgrade{Console: console.Console{In: bufio.NewReader(strings.NewReader(c.input)), Out: &out, Err: &out}}
		if got := u.consents(t.Context(), "", "nodes-a"); got != c.want || !strings.Contains(out.String(), "pods end with their instances") {
			t.Errorf("%q: %v\n%s", c.input, got, out.String())
		}
	}
}

// The end says where to read on, and after pods that stayed what to do.
func TestTheEndSaysWhatNext(t *testing.T) {
	run := record.Run{Group: "ng-web", Result: record.Succeeded}
	if got := present.WhatNext(run, "drainboard upgrade ng-web --ami ami-1"); got != "Report: drainboard report ng-web" {
		t.Errorf("got %q", got)
	}
	run.Result, run.BlockingPods = record.EvictionFail, []string{"app/web-1"}
	clitest.Contains(t, present.WhatNext(run, "drainboard upgrade ng-web --ami ami-1"), "drainboard report ng-web", "free the pods, then drainboard upgrade ng-web --ami ami-1")
	var out bytes.Buffer
	sayBlockingPods(&out, run)
	if out.String() != "Blocking pods:\n  - app/web-1\n" {
		t.Errorf("got %q", out.String())
	}
}
