package main

import (
	"bytes"
	"testing"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/console"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine/record"
)

// The end says where to read on, and after pods that stayed what to do.
func TestTheEndSaysWhatNext(t *testing.T) {
	run := record.Run{Group: "ng-web", Result: record.Succeeded}
	if got := present.WhatNext(run, "drainboard upgrade ng-web --ami ami-1"); got != "What happened: drainboard report ng-web" {
		t.Errorf("got %q", got)
	}
	run.Result, run.BlockingPods = record.EvictionFail, []string{"app/web-1"}
	contains(t, present.WhatNext(run, "drainboard upgrade ng-web --ami ami-1"), "drainboard report ng-web", "free the pods, then drainboard upgrade ng-web --ami ami-1")
	var out bytes.Buffer
	(&app{Console: console.Console{Err: &out}}).sayCulprits(run)
	if out.String() != "What kept nodes:\n  - app/web-1\n" {
		t.Errorf("got %q", out.String())
	}
}
