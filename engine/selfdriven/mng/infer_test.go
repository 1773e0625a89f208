package mng

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
)

// The files are read as stories: what can be seen of a group at one moment, and what follows.
//
//	infer [minimal] [sets-up] [unread] [seen=PHASE] [quiet=DURATION] [at-once=N] [full] [desired=N] [ended=N]
//	NODE [zone=ZONE] [old] [young] [marked] [leaving] [taken] [foreign] [notready] [notjoined] [picked] [candidate] [pods=N] [kept=N] [long=N]
func TestInfer(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			p := Picture{Minimal: d.HasArg("minimal"), SetsUp: d.HasArg("sets-up"), Unread: d.HasArg("unread"), Full: d.HasArg("full")}
			if d.HasArg("seen") {
				d.ScanArgs(t, "seen", &p.Phase)
				p.Phase = strings.ReplaceAll(p.Phase, "-", " ")
			}
			if d.HasArg("quiet") {
				var given string
				d.ScanArgs(t, "quiet", &given)
				var err error
				if p.Quiet, err = time.ParseDuration(given); err != nil {
					t.Fatal(err)
				}
			}
			if d.HasArg("ended") {
				d.ScanArgs(t, "ended", &p.Ended)
			}
			if d.HasArg("at-once") {
				d.ScanArgs(t, "at-once", &p.AtOnce)
			}
			if d.HasArg("desired") {
				d.ScanArgs(t, "desired", &p.Desired)
			}
			for line := range strings.Lines(d.Input) {
				p.Nodes = append(p.Nodes, nodeOf(t, line))
			}
			out := Infer(p)
			told := "phase: " + out.Phase + "\n"
			switch {
			case out.More > 0:
				told += fmt.Sprintf("at up to %d more of: %s\n", out.More, strings.Join(out.Candidates, ", "))
			case len(out.Candidates) > 0:
				told += fmt.Sprintf("at one of: %s\n", strings.Join(out.Candidates, ", "))
			}
			return told
		})
	})
}

func nodeOf(t *testing.T, line string) Node {
	words := strings.Fields(line)
	n := Node{Name: words[0], Zone: "a", Joined: true, Ready: true}
	for _, word := range words[1:] {
		key, value, _ := strings.Cut(word, "=")
		count, _ := strconv.Atoi(value)
		switch key {
		case "old":
			n.Old = true
		case "young":
			n.Young = true
		case "marked":
			n.Marked = true
		case "leaving":
			n.Leaving = true
		case "notjoined":
			n.Joined, n.Ready = false, false
		case "candidate":
			n.Candidate = true
		case "zone":
			n.Zone = value
		case "notready":
			n.Ready = false
		case "picked":
			n.Picked = true
		case "taken":
			n.Taken = true
		case "foreign":
			n.Foreign = true
		case "pods":
			n.Left = count
		case "kept":
			n.Kept = count
		case "long":
			n.Long = count
		default:
			t.Fatalf("unknown: %s", word)
		}
	}
	return n
}
