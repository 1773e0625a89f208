package ui

import (
	"fmt"
	"github.com/charmbracelet/x/ansi"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/assess/blockers"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/themes"
	"github.com/drainboard/drainboard/ui/uitest"
)

// names are the nodes that the tables show, in their order.
func shownNames(m *Model) string {
	var out []string
	for _, r := range m.Nodes.inOrder(m) {
		out = append(out, strings.TrimPrefix(m.Scene.Names[r.ID], "ip-10-0-"))
	}
	return strings.Join(out, " ")
}

func TestFilter(t *testing.T) {
	m := board(uitest.Watching(), 120, 36, themes.None)
	for _, c := range []struct{ text, want string }{
		{"1-2", "1-23 1-24 1-201"},
		{"1-2 !201", "1-23 1-24"},
		{"zone=c stage=out", "3-77 3-81 i-0a1b2c3d4e5f63140"},
		{"zone=1a stage=ready", "1-88"},
		{"zone=a", "1-23 1-24 1-112 1-201 1-88"},
		{"ZONE=eu-west-1B version=1.32", "2-90 2-91"},
		{"version=v1.32 !zone=b", "1-88 3-150"},
		{"unreachable for", "3-80"},
		{"failed", "1-23"},
		{"skip", "2-44"},
		{"zone=", "1-23 1-24 1-112 1-201 1-88 2-9 2-31 2-44 2-45 2-46 2-90 2-91 3-77 3-80 3-81 3-82 3-150 i-0a1b2c3d4e5f63140"},
		{"!", "1-23 1-24 1-112 1-201 1-88 2-9 2-31 2-44 2-45 2-46 2-90 2-91 3-77 3-80 3-81 3-82 3-150 i-0a1b2c3d4e5f63140"},
		{"no-such-node", ""},
		{"owner=me", ""},
	} {
		m.setFilter(c.text)
		if got := shownNames(m); got != c.want {
			t.Errorf("%q shows %s, want %s", c.text, got, c.want)
		}
	}
	m = board(uitest.Busy(), 120, 36, themes.None)
	for text, want := range map[string]string{"blocked": "1-23", "batch=4": "1-23 2-31", "!blocked stage=drain": "2-31"} {
		m.setFilter(text)
		if got := shownNames(m); got != want {
			t.Errorf("%q shows %s, want %s", text, got, want)
		}
	}
}

// By a column all nodes are sorted, whatever their zone; a second time the other way round.
func TestSort(t *testing.T) {
	m := board(uitest.Busy(), 120, 36, themes.None)
	for _, c := range []struct{ by, keys, want string }{
		{"stage", "o", "1-23 3-80 2-31 2-9 3-77 i-"},
		{"time left", "o", "2-9 1-23 i-0a1b2c3d4e5f63140 2-31 1-24"},
		{"time left, reversed", "O", "1-24 1-112"},
		{"pods left", "o", "1-24 1-112 1-201 2-9 2-44 2-45 2-46 3-77 3-80 3-81 3-82 2-31 1-23 "},
		{"version", "o", "i-0a1b2c3d4e5f63140 1-23 1-24 1-112 1-201 2-9"},
		{"name", "o", "1-23 1-24 1-112 1-201 1-88 2-9"},
		{"name, reversed", "O", "i-0a1b2c3d4e5f63140 3-150 3-82"},
	} {
		press(m, c.keys)
		m.Nodes.page = 100 // where all have room, none comes first
		if got := shownNames(m); m.Nodes.order.String() != c.by || !strings.HasPrefix(got, c.want) {
			t.Errorf("%q sorts %s, want %s by %q", m.Nodes.order, got, c.want, c.by)
		}
	}
}

// The rows stay where they are while the cursor moves through them, and are sorted again some
// seconds after.
func TestTheOrderStaysWhileTheCursorMoves(t *testing.T) {
	now := uitest.Moment
	m := board(uitest.Busy(), 120, 36, themes.None)
	m.Opts.Now = func() time.Time { return now }
	press(m, "o", "o", "down", "g") // by time left
	was := shownNames(m)
	changed := uitest.Busy()
	changed.Zones[1].Rows[0].Wait = nil // it was the first
	m.Update(snapshotMsg{uitest.Judge(changed)})
	press(m, "down")
	if got := shownNames(m); got != was || m.Scene.Names[m.Nodes.Cursor] != "ip-10-0-1-23" {
		t.Errorf("the rows are %s under the cursor at %s, were %s", got, m.Scene.Names[m.Nodes.Cursor], was)
	}
	now = now.Add(holdOrder + time.Second)
	m.redraw()
	if got := shownNames(m); !strings.HasPrefix(got, "1-23 ") {
		t.Errorf("a while later the rows are %s", got)
	}
}

// Where not all rows have room the first are those that want to be seen; they stay when the
// cursor comes to them.
func TestRowsThatWantToBeSeenComeFirst(t *testing.T) {
	m := board(uitest.Busy(), 100, 20, themes.None)
	const want = "1-23 3-80 2-9 2-31 3-77 i-0a1b2c3d4e5f63140 1-24 "
	if got := shownNames(m); !strings.HasPrefix(got, want) {
		t.Fatalf("shown are %s", got)
	}
	press(m, "down", "down")
	if got := shownNames(m); !strings.HasPrefix(got, want) || m.Scene.Names[m.Nodes.Cursor] != "ip-10-0-3-80" {
		t.Errorf("with the cursor at %s shown are %s", m.Scene.Names[m.Nodes.Cursor], got)
	}
}

// A row shows all that it should at the widths people have, with names as AWS, Azure, Google
// and Gardener make them; only names that are longer than half a line are not whole.
func TestColumnsFitRealNames(t *testing.T) {
	for _, width := range []int{100, 119, 120, 140, 160, 176, 200} {
		for _, name := range []string{"", "ip-10-203-117-241.eu-west-1.compute.internal", "aks-nodepool1-12345678-vmss00001a", "gke-prod-eu-1-default-pool-1a2b3c4d-x5yz", "shoot--shop--prod-worker-a-z1-5f7d8-abcde"} {
			s := uitest.Busy()
			if name != "" {
				s.Zones[0].Rows[0].Name, s.Blockers[0].Node = name, name
			}
			m := board(s, width, 36, themes.None)
			screen := ansi.Strip(m.View().Content)
			short := m.Scene.Names[s.Zones[0].Rows[0].ID]
			for _, want := range []string{short + " ", "draining", "1.31.4", " 3/17 ▓", "drain", "11:42", "NAME", "STAGE", "VERSION", "PODS LEFT", "WAIT", "LEFT", "1a"} {
				if !strings.Contains(screen, want) {
					t.Errorf("at %d columns with the name %q there is no %q:\n%s", width, name, want, screen)
					break
				}
			}
		}
	}
}

// Zones have tables of their own where those have room for all columns.
func TestZonesSideBySide(t *testing.T) {
	s := uitest.Busy()
	for width, want := range map[int]bool{200: false, 300: true} {
		if m := board(s, width, 40, themes.None); m.layout.perZone != want {
			t.Errorf("at %d columns side by side: %t", width, m.layout.perZone)
		}
	}
}

func TestZoom(t *testing.T) {
	ui := sit(t, 120, 36, uitest.Busy())
	ui.Expect("blocked: 1 PDB", "ip-10-0-1-24").Press("z").Expect("zoomed").Gone("blocked: 1 PDB", "cart-55c-1 on")
	ui.Press("tab").Expect("blocked: 1 PDB").Gone("ip-10-0-1-24").Press("tab").Expect("cart-55c-1 on").Gone("blocked: 1 PDB")
	ui.Press("esc").Expect("blocked: 1 PDB", "ip-10-0-1-24").SentNothing()
	sit(t, 60, 30, uitest.Busy()).Expect("draining").Press("z").Expect("one pane fills the screen already")
}

func TestWideColumns(t *testing.T) {
	ui := sit(t, 160, 36, uitest.Busy())
	ui.Expect("draining").Gone("i-0a1b2c3d4e5f61023").Type("\x17").Expect("INSTANCE", "i-0a1b2c3d4e5f61023", "BATCH").Type("\x17").Gone("INSTANCE")
}

// A click on a heading sorts by its column.
func TestClickingAHeadingSorts(t *testing.T) {
	ui := sit(t, 120, 36, uitest.Busy(), withMouse)
	ui.Expect("STAGE").Click("STAGE").Expect("STAGE↓", "sorted by stage").Later(time.Second).Click("STAGE").Expect("STAGE↑", "sorted by stage, reversed")
}

func TestFindANode(t *testing.T) {
	ui := sit(t, 120, 36, uitest.Busy())
	ui.Expect("/ filter").Press("/").Expect("18 of 18 nodes", "enter keeps it, esc clears it")
	ui.Type("zone=b drain").Expect("1 of 18 nodes", "ip-10-0-2-31").Gone("ip-10-0-1-24 ", "ip-10-0-2-44")
	ui.Press("enter").Expect("/ zone=b drain", "2 problems hidden", "esc shows all", "p pause")
	ui.Press("down", "enter").Expect(uitest.Host(2, 31)).Press("esc").Gone(uitest.Host(2, 31))
	// What was chosen is followed through snapshots, and keys are commands again.
	ui.Show(uitest.Asking()).Expect("no node matches; esc shows all").Press("esc").Expect("ip-10-0-1-24")
	// esc while typing takes back what was typed, and nothing else.
	ui.Press("/").Type("2-4").Expect("3 of 18 nodes").Press("enter").Gone("ip-10-0-1-24")
	ui.Press("/").Type("5").Expect("1 of 18 nodes").Press("esc").Expect("3 of 18 nodes", "/ 2-4").SentNothing()
}

func TestProblemsOnly(t *testing.T) {
	ui := sit(t, 120, 36, uitest.Busy())
	ui.Expect("ip-10-0-1-24").Press("!").Expect("problems only", "2 of 18 nodes", "ip-10-0-1-23", "ip-10-0-3-80").Gone("ip-10-0-1-24")
	ui.Press("!").Expect("ip-10-0-1-24").Gone("problems only")
	for _, name := range []string{uitest.Host(1, 23), uitest.Host(3, 80), uitest.Host(1, 23)} {
		ui.Press("n", "enter").Expect(name).Press("esc").Gone(name)
	}
}

func TestFilterTheLog(t *testing.T) {
	ui := sit(t, 120, 36, uitest.Busy())
	ui.Expect("cart-55c-1").Press("tab", "tab", "/").Type("settling").Expect("1 of 9 lines", "waiting 1m0s").Gone("cart-55c-1 on")
	ui.Press("enter").Expect("log / settling").Press("esc").Expect("cart-55c-1 on", "ip-10-0-1-24").Gone("log / settling")
}

// A cursor or a mark never goes over to a neighbour, and nothing is done to a node
// that is out of sight.
func TestCursorAndMarksGoByName(t *testing.T) {
	m := board(uitest.Watching(), 120, 36, themes.None)
	press(m, "down", "g", "down", "down") // 1-112
	if got := m.Scene.Names[m.Nodes.Cursor]; got != "ip-10-0-1-112" {
		t.Fatalf("the cursor is at %s", got)
	}
	press(m, "o", "o")
	if got := m.Scene.Names[m.Nodes.Cursor]; got != "ip-10-0-1-112" {
		t.Errorf("sorted, the cursor is at %q", got)
	}
	less := uitest.Watching()
	less.Zones[0].Rows = less.Zones[0].Rows[1:]
	m.Update(snapshotMsg{uitest.Judge(less)})
	if got := m.Scene.Names[m.Nodes.Cursor]; got != "ip-10-0-1-112" {
		t.Errorf("with a node gone above it, the cursor is at %q", got)
	}
	m.setFilter("zone=b")
	if m.Nodes.Cursor != "" {
		t.Errorf("the cursor is at a node out of sight: %q", m.Nodes.Cursor)
	}
}

func TestMarks(t *testing.T) {
	ui := sit(t, 120, 36, uitest.Watching())
	ui.Expect("quit").Press("space").Expect("cannot mark now: select a node first")
	ui.Press("down", "g", "down").Press("space", "space").Expect("2 marked", "esc clears the marks", "•ip-10-0-1-24", "•ip-10-0-1-112")
	ui.Press("s").Expect("Skip 2 nodes?", "ip-10-0-1-24 outdated", "ip-10-0-1-112 outdated", "skip them").Press("y")
	ui.Sent(record.Command{Kind: record.CmdSkip, Node: uitest.Host(1, 24)}).Sent(record.Command{Kind: record.CmdSkip, Node: uitest.Host(1, 112)}).Expect("skip of 2 nodes requested").Gone("2 marked")
	// One that the command does not fit is named, and nothing is sent.
	ui.Press("g", "space", "space").Expect("2 marked").Press("r").Expect("cannot return now: ip-10-0-1-24 is outdated").SentNothing()
	ui.Press("esc").Gone("2 marked")
	// A mark of a machine that is gone is dropped.
	ui.Press("g", "space").Expect("1 marked")
	less := uitest.Watching()
	less.Zones[0].Rows = less.Zones[0].Rows[1:]
	ui.Show(less).Gone("1 marked")
}

func TestMenu(t *testing.T) {
	ui := sit(t, 120, 36, uitest.Busy())
	ui.Expect("? help").Press("?").Expect("Actions", "not now: nothing waits for approval", "(a)")
	ui.Type("pause").Expect("pause: no new evictions").Gone("abort: shows first")
	ui.Press("enter").Sent(record.Command{Kind: record.CmdPause}).Expect("pause requested")
	// What is not possible now says why, and stays.
	ui.Press("?").Type("approve").Expect("approve the waiting batch").Press("enter").Expect("cannot approve now: nothing waits for approval", "Actions").SentNothing()
	ui.Press("esc").Gone("Actions")
	ui.Press("?").Type("xyzzy").Expect("no action has that name").Press("enter").SentNothing()
}

func TestPalette(t *testing.T) {
	ui := sit(t, 80, 24, uitest.Busy())
	ui.Expect("quit").Press(":").Expect("Which action?", "approve", "not now").Type("ab").Gone("show details")
	ui.Press("enter").Expect("Abort the upgrade?").Press("n").Gone("Abort the")
	ui.Press(":").Type("sort").Press("enter").Expect("sorted by stage")
	ui.Press(":").Press("down", "down", "enter").Sent(record.Command{Kind: record.CmdPause})
}

// Every key of the list is there once, and everything that can be done has a name
// and an explanation.
func TestActionsAreWellFormed(t *testing.T) {
	seen := map[string]string{}
	for _, a := range actions(Options{Scale: func(*blockers.Blocker) string { return "" }}) {
		if a.Name == "" || a.help == "" || a.Show == "" || a.do == nil && (len(a.Keys) > 0 || a.Label != nil) {
			t.Errorf("%q is not whole", a.Name)
		}
		for _, k := range append(a.Keys, "name "+a.Name) {
			if seen[k] != "" {
				t.Errorf("%s is of %q and %q", k, seen[k], a.Name)
			}
			seen[k] = a.Name
		}
	}
}

// The log has a cursor too: a line opens whole, with its command, and what is read
// stays in sight while more comes.
func TestReadTheLog(t *testing.T) {
	many := func(n int) *snapshot.Snapshot {
		s := uitest.Busy()
		var all []record.Event
		for i := range n {
			all = append(all, record.Event{Time: uitest.Moment, Type: record.PodEvicted, Pod: fmt.Sprintf("shop/pod-%d", i), Node: uitest.Host(1, 23), Command: fmt.Sprintf("kubectl do %d", i)})
		}
		s.Events = all
		return s
	}
	ui := sit(t, 120, 36, many(60))
	ui.Expect("pod-59 on").Gone("pod-3 on").Press("tab", "tab").Press("g").Expect("›21:07:12 · shop/pod-0 on", "newer, G follows")
	ui.Press("down", "down").Press("enter").Expect("2026-03-14 21:07:12", "equivalent command", "$ kubectl do 2").Press("esc").Gone("equivalent command")
	ui.Show(many(90)).Expect("›21:07:12 · shop/pod-2 on").Press("G").Expect("›21:07:12 · shop/pod-89 on").Show(many(91)).Expect("›21:07:12 · shop/pod-90 on")
	ui.Press("c").Expect("$ kubectl do 90").Press("up", "up").Expect("›21:07:12 · shop/pod-88 on").Press("pgup", "pgup", "pgdown", "pgdown", "pgdown").Expect("›21:07:12 · shop/pod-90 on").Gone("newer")
}

// What is taken over from the snapshot before is what would be worked out again.
func TestScenesFollowTheirSnapshots(t *testing.T) {
	m := board(uitest.Busy(), 120, 36, themes.None)
	for _, s := range []*snapshot.Snapshot{uitest.Busy(), uitest.Watching(), uitest.Done(), uitest.Stale(), uitest.Busy()} {
		m.Update(snapshotMsg{uitest.Judge(s)})
		fresh := board(s, 120, 36, themes.None)
		fresh.Opts = m.Opts
		m.Dialog, fresh.Dialog = nil, nil
		m.settle()
		if m.redraw().Content != fresh.redraw().Content {
			t.Errorf("%s:\n%s\nwant\n%s", s.State, m.View().Content, fresh.View().Content)
		}
		press(m, "o")
		m.Update(snapshotMsg{uitest.Judge(s)})
		press(m, "o", "o", "o", "o") // through all orders, back to the first
		for id, p := range m.Nodes.places {
			at := slices.IndexFunc(m.Nodes.list[p].rows, func(r *snapshot.NodeRow) bool { return r.ID == id })
			if at < 0 || m.Scene.Row(id) != m.Nodes.list[p].rows[at] {
				t.Fatalf("%s is not where it should be", id)
			}
		}
	}
}

// The whole group is in view: beside the table where that keeps its columns, else above it; T
// opens all of it anywhere.
func TestTheGroupAtAGlance(t *testing.T) {
	const strip, pace = "1a 1/4 ●⚑○○   1b 2/4 ●●▽▼○   1c 1/4 ●△×!○", "3.4 min a node"
	ui := sit(t, 160, 36, uitest.Busy())
	ui.Expect("the group", "eu-west-1a 1/4 ●⚑○○", pace, "▓ so far ░ forecast", "NAME", "11:42").Resize(120, 36).Expect(strip).Gone(pace)
	ui.Press("T").Expect("the group at a glance", pace, "▓ so far ░ forecast").Press("esc").Gone(pace)
	ui.Resize(60, 30).Expect(strip).Press("tab").Gone(strip).SentNothing()
}

// A tour explains the screen in six steps; it opens once, and leaves nothing behind.
func TestTour(t *testing.T) {
	ui := sit(t, 80, 24, uitest.Busy(), func(o *Options) { o.Tour = true })
	ui.Expect("tour 1 of 6: how will it end", "esc ends the tour").Press("enter").Expect("tour 2 of 6", "left before").Press("left").Expect("tour 1 of 6")
	for range 5 {
		ui.Press("enter")
	}
	ui.Expect("tour 6 of 6", "enter to the demo").Press("enter").Gone("tour 6").Show(uitest.Busy()).Expect("q quit").Gone("tour 1").SentNothing()
}
