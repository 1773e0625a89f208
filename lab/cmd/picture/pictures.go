package main

import "image/color"

// picture is one file of the docs.
type picture struct {
	name          string // of the file, without .svg
	shows         string // what is to be seen, for those who cannot see it
	columns, rows int
	ground        ground
	args          []string
	steps         []step
	film          bool // every step is shown, one after the other
}

// step is a key that is pressed, again if it must be, until the screen shows some
// texts and no longer shows another; without a key it only waits for that. They are
// few words that stay when a sentence is put better.
type step struct {
	press string
	until []string
	gone  string
}

// ground is what a terminal's own text looks like; a dashboard chooses its theme by
// it.
type ground struct{ text, back color.RGBA }

var (
	dark  = ground{color.RGBA{0xd5, 0xdc, 0xe4, 0xff}, color.RGBA{0x0d, 0x11, 0x17, 0xff}}
	light = ground{color.RGBA{0x1f, 0x23, 0x28, 0xff}, color.RGBA{0xff, 0xff, 0xff, 0xff}}
)

// demo is what is pictured: a simulated cluster by a fixed seed, so that a picture
// that is made again shows nearly the same.
var demo = []string{"demo", "--seed", "1", "--speed", "20"}

// Steps that pictures share: the canary is looked at and approved; so are the others, of which
// a PDB keeps a pod. A key that does nothing brings back the last line's keys.
var (
	first  = []step{{until: []string{"The canary", "approval"}}, {press: "a", until: []string{"approve]"}}}
	second = append(first[:2:2], step{press: "y", gone: "approve]"},
		step{until: []string{"Batch 2", "approval"}}, step{press: "a", until: []string{"approve]"}}, step{press: "y", gone: "approve]"})
	held = append(second[:6:6], step{press: "esc", until: []string{"checkout  allows 0", "q quit"}})
)

var pictures = []picture{
	{
		name: "recording", columns: 120, rows: 32, ground: dark, args: demo, film: true,
		steps: append(append(first[:2:2], step{press: "y", until: []string{"draining"}, gone: "approve]"}), append(second[3:6:6],
			step{press: "esc", until: []string{"checkout  allows 0", "q quit"}},
			step{press: "w", until: []string{"scales"}},
			step{gone: "checkout  allows 0"})...),
		shows: "An upgrade step by step: the canary is approved, then the others; a PDB blocks a pod until its workload is scaled",
	},
	{
		name: "dashboard", columns: 120, rows: 36, ground: dark, args: demo, steps: held,
		shows: "An upgrade of 36 nodes in three zones: nodes are drained, a PDB keeps a pod, and the dashboard says what would open it",
	},
	{
		name: "dashboard-approve", columns: 120, rows: 36, ground: light, args: demo, steps: first,
		shows: "The canary, one node, waits for approval: a dialog says which pods will be evicted and what will hold them up",
	},
	{
		name: "dashboard-force", columns: 120, rows: 36, ground: dark, args: demo, steps: append(held[:7:7], step{press: "f", until: []string{"to force", "violates PDB"}}),
		shows: "A pod is to be forced: a dialog names the promise that this breaks, and wants the name typed",
	},
	{
		name: "dashboard-node", columns: 120, rows: 36, ground: dark, args: demo, steps: append(held[:7:7], step{press: "down", until: []string{"enter details"}, gone: "(enter details)"}, step{press: "enter", until: []string{"ignored: DaemonSet", "what happened"}}),
		shows: "The details of a node: its state, its machine, what keeps its pods, and what happened to it",
	},
	{
		name: "dashboard-narrow", columns: 60, rows: 24, ground: dark, args: demo, steps: append(second[:6:6], step{press: "esc", until: []string{"blocked 1", "q quit"}}),
		shows: "The same upgrade in a terminal of 60 columns: one pane at a time, the others in a line",
	},
}
