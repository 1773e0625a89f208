package ui

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/themes"
	"github.com/drainboard/drainboard/ui/term"
	"github.com/drainboard/drainboard/ui/uitest"
)

// told is what a dashboard has told that it looks at.
type told chan snapshot.Look

func (l told) option(o *Options) { o.Look = func(at snapshot.Look) { l <- at } }

func (l told) Expect(t *testing.T, want snapshot.Look) {
	t.Helper()
	select {
	case got := <-l:
		if got != want {
			t.Fatalf("told to look at %+v, want %+v", got, want)
		}
	case <-time.After(uitest.Patience):
		t.Fatalf("was not told to look at %+v", want)
	}
}

func (l told) Nothing(t *testing.T) {
	t.Helper()
	select {
	case got := <-l:
		t.Fatalf("told to look at %+v, want nothing", got)
	default:
	}
}

// notYet is a snapshot from before the details were worked out.
func notYet() *snapshot.Snapshot {
	s := uitest.Looking()
	s.Look, s.Node, s.Budget = snapshot.Look{}, nil, nil
	return s
}

func TestLookIsToldAndDetailsArrive(t *testing.T) {
	looks := make(told, 8)
	ui := sit(t, 120, 44, notYet(), looks.option)
	ui.Expect("ip-10-0-1-23").Press("down", "enter").Expect("3 of 17 remain to be moved", "reading ...")
	looks.Expect(t, snapshot.Look{Machine: "i-0a1b2c3d4e5f61023"})
	ui.Show(uitest.Looking()).Expect("12 pods, 9 to move, 3 ignored", "template ng-web", "version 7").Gone("reading ...")
	ui.Press("down").Expect("nightly-reconciliation-worker, Ready").Press("b").Expect("PDB payments-and-settlement/all (1 of 2)", "reading ...")
	looks.Expect(t, snapshot.Look{Machine: "i-0a1b2c3d4e5f61023", Budget: "payments-and-settlement/all"})
	ui.Press("b").Expect("payments-and-settlement/nightly (2 of 2)", "minAvailable 50%")
	looks.Expect(t, snapshot.Look{Machine: "i-0a1b2c3d4e5f61023", Budget: "payments-and-settlement/nightly"})
	ui.Press("esc").Expect("12 pods, ").Gone("2 of 2")
	looks.Expect(t, snapshot.Look{Machine: "i-0a1b2c3d4e5f61023"})
	ui.Press("up", "b").Expect("PDB shop/checkout", "11 pods", "0/12 nodes are available")
	looks.Expect(t, snapshot.Look{Machine: "i-0a1b2c3d4e5f61023", Budget: "shop/checkout"})
	ui.Press("esc").Expect("12 pods, ").Press("esc").Gone("12 pods, ")
	looks.Expect(t, snapshot.Look{Machine: "i-0a1b2c3d4e5f61023"})
	looks.Expect(t, snapshot.Look{})
	ui.Press("x").Expect("Abort the upgrade?").Press("esc").Gone("Abort the upgrade?")
	looks.Nothing(t)
}

func TestFromTheNodeToItsBlockerToItsBudgetAndBack(t *testing.T) {
	ui := sit(t, 120, 44, uitest.Looking())
	ui.Expect("ip-10-0-1-23").Press("down", "enter").Expect("12 pods, ", "esc close").Press("enter").Expect("14 refused", "esc back   b PDB   f force")
	ui.Press("b").Expect("since 20:53:12 (14 min)").Press("esc").Expect("14 refused").Press("esc").Expect("12 pods, ").Press("esc").Gone("12 pods, ").Expect("q quit")
	ui.Press("tab", "down", "enter").Expect("14 refused", "esc close").Press("b").Expect("11 pods", "elsewhere").Press("esc").Expect("14 refused").Press("esc").Gone("14 refused")
}

// What the one pod that a key is for has not, another must not have to give.
func TestKeysOfThePodUnderTheCursor(t *testing.T) {
	ui := sit(t, 120, 44, uitest.Looking())
	ui.Expect("ip-10-0-1-23").Press("down", "enter").Expect("12 pods, ")
	ui.Press("down", "down").Expect("has no controller").Press("b").Expect("no PDB covers tools/debug").Press("enter").Expect("blocked by  ⚑ needs consent").Press("esc").Gone("blocked by")
	for range 5 {
		ui.Press("down")
	}
	ui.Expect("›shop/web-2").Press("enter").Expect("counts").Press("esc").Gone("counts").Expect("›shop/web-2")
	ui.Press("down").Expect("›shop/web-3").Press("enter").Expect("nothing holds shop/web-3")
	ui.Press("down").Expect("belongs to a DaemonSet, which would recreate it", "(f force)").Press("f").Expect("cannot force now: kube-system/logs-8xk2p is deleted with its node").SentNothing()
}

func TestForceThePodUnderTheCursor(t *testing.T) {
	ui := sit(t, 120, 44, uitest.Looking())
	ui.Expect("ip-10-0-1-23").Press("down", "enter").Expect("12 pods, ").Press("f").Expect("Force checkout-7d9f-x2", "violates PDB shop/checkout: it requires 3 healthy pods, has 3, will have 2")
	ui.Type("checkout-7d9f-x2").Press("enter").Sent(record.Command{Kind: record.CmdForce, Node: uitest.Host(1, 23), UID: "u-1"}).Expect("12 pods, ")
	ui.Press("down", "down", "down", "down", "down", "f").Expect("Force search-2", "shop/search-2 is already terminating: it is deleted at once")
	ui.Show(uitest.Looking()).Type("search-2").Press("enter").Sent(record.Command{Kind: record.CmdForce, Node: uitest.Host(1, 23), UID: "u-6"}).Expect("12 pods, ")
	ui.Press("down", "down", "f").Expect("Force web-2").Gone("violates PDB").Press("esc").Gone("Force web-2") // its budget has one to spare
	ui.Press("down", "f").Expect("Force web-3")
	less := uitest.Looking()
	less.Node.Pods = slices.Delete(less.Node.Pods, 8, 9)
	ui.Show(less).Expect("web-3 no longer blocks; nothing was forced", "11 pods").Later(GraceQuiet)
	ui.Press("f").Expect("select a pod first").SentNothing()
}

func TestForceAPodOnlyByTheRules(t *testing.T) {
	for _, c := range []struct {
		name string
		s    func() *snapshot.Snapshot
		with func(*Options)
		want string
	}{
		{"watching", uitest.Looking, readOnly, "cannot force now: this dashboard only watches"},
		{"stale", uitest.Behind, func(*Options) {}, "cannot force now: the data of the cluster is 40 s old"},
		{"not draining", uitest.Calm, func(*Options) {}, "cannot force now: ip-10-0-1-88 is ready; only a node that is draining can be forced"},
	} {
		t.Run(c.name, func(t *testing.T) {
			ui := sit(t, 120, 44, c.s(), c.with)
			ui.Expect("ip-10-0-1-23").Press("down", "g", "enter").Expect("(f force)").Press("f").Expect(c.want).SentNothing()
		})
	}
}

// The cursor is a pod: pods that come and go do not move it to another.
func TestTheCursorStaysWithItsPod(t *testing.T) {
	ui := sit(t, 120, 44, uitest.Looking())
	ui.Expect("ip-10-0-1-23").Press("down", "enter").Expect("12 pods, ").Press("down", "down").Expect("›tools/debug")
	less := uitest.Looking()
	less.Node.Pods = less.Node.Pods[1:]
	slices.Reverse(less.Node.Pods)
	ui.Show(less).Expect("11 pods", "›tools/debug")
	less = uitest.Looking()
	less.Node.Pods = slices.Delete(less.Node.Pods, 2, 3)
	ui.Show(less).Gone("tools/debug", "›shop", "›payments").Press("down").Expect("›shop/checkout-7d9f-x2")
}

// What is looked at may go while it is.
func TestWhatIsLookedAtGoes(t *testing.T) {
	ui := sit(t, 120, 44, uitest.Looking())
	ui.Expect("ip-10-0-1-23").Press("down", "enter").Expect("12 pods, ").Press("b").Expect("11 pods")
	gone := uitest.Looking()
	gone.Budget = nil
	ui.Show(gone).Expect("the PDB was deleted; this is its last known state", "11 pods").Press("esc").Expect("12 pods, ")
	ui.Press("enter").Expect("14 refused")
	free := uitest.Looking()
	free.Blockers, free.Node.Pods = nil, free.Node.Pods[1:]
	ui.Show(free).Expect("no longer blocked; this is its last known state", "14 refused", "(f force)")
	ui.Press("f").Expect("cannot force now: shop/checkout-7d9f-x2 no longer blocks").Press("esc").Expect("11 pods")
	less := uitest.Looking()
	less.Zones[0].Rows, less.Node = less.Zones[0].Rows[1:], nil
	ui.Show(less).Expect("gone; this is its last known state", "11 pods")
}

func TestNoMoreIsReadAtTheEnd(t *testing.T) {
	looks := make(told, 8)
	ui := sit(t, 120, 44, uitest.Looking(), looks.option)
	ui.Expect("ip-10-0-1-23").Press("down", "enter").Expect("12 pods, ")
	looks.Expect(t, snapshot.Look{Machine: "i-0a1b2c3d4e5f61023"})
	ui.Show(uitest.Failed()).Expect("exit code").Later(GraceQuiet).Press("esc").Gone("exit code", "12 pods, ")
	looks.Expect(t, snapshot.Look{})
	ui.Press("enter").Expect("the run is over: nothing more is read")
}

func TestCtrlCClosesADialogAfterTheOther(t *testing.T) {
	looks := make(told, 8)
	ui := sit(t, 120, 44, uitest.Looking(), looks.option)
	ui.Expect("ip-10-0-1-23").Press("down", "enter", "b").Expect("11 pods").Press("ctrl+c").Gone("11 pods").Press("ctrl+c").Gone("12 pods, ").SentNothing()
	for _, want := range []snapshot.Look{{Machine: "i-0a1b2c3d4e5f61023"}, {Machine: "i-0a1b2c3d4e5f61023", Budget: "shop/checkout"}, {Machine: "i-0a1b2c3d4e5f61023"}, {}} {
		looks.Expect(t, want)
	}
}

// Details fit at every size, whatever is in them, and the cursor is always in sight.
func TestDetailsHoldAtEverySize(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for _, c := range []struct {
		make func() *snapshot.Snapshot
		keys []string
	}{{uitest.Looking, []string{"down", "g", "enter"}}, {uitest.Looking, []string{"down", "g", "enter", "b"}}, {uitest.Calm, []string{"down", "g", "enter"}}, {uitest.Behind, []string{"down", "g", "enter", "b"}}, {uitest.Looking, []string{"down", "g", "enter", "down", "enter"}}} {
		for _, evil := range []bool{false, true} {
			s := c.make()
			if evil {
				s = hostileDetails(s, r)
			}
			m := board(s, 120, 36, themes.Dark)
			press(m, c.keys...)
			if m.Dialog == nil {
				t.Fatalf("%v opened nothing", c.keys)
			}
			for w := term.LeastWidth; w <= 210; w += 16 {
				for h := term.LeastHeight; h <= 60; h += 9 {
					m.Update(tea.WindowSizeMsg{Width: w, Height: h})
					uitest.CheckFrame(t, m.View().Content, w, h)
					d, ok := m.Dialog.(*NodeDialog)
					if !ok {
						continue
					}
					width, room := m.dialogSize()
					if _, cursor := d.content(m, width); cursor.from < d.top || cursor.from >= d.top+room {
						t.Fatalf("%dx%d: the cursor is on line %d of the body, which shows %d from line %d", w, h, cursor.from, room, d.top)
					}
				}
			}
		}
	}
}

// hostileDetails puts tricks into every string of details that comes from outside.
func hostileDetails(s *snapshot.Snapshot, r *rand.Rand) *snapshot.Snapshot {
	soil := func(list ...*string) {
		for _, p := range list {
			at := r.IntN(len(*p) + 1)
			*p = (*p)[:at] + uitest.Tricks[r.IntN(len(uitest.Tricks))] + (*p)[at:]
		}
	}
	n := s.Node
	soil(&n.TemplateName)
	if n.Machine != nil {
		soil(&n.Machine.Type, &n.Machine.Zone, &n.Machine.Detail, &n.Machine.ID)
	}
	soil(&n.Node.Version, &n.Node.Trouble)
	for i := range n.Node.Taints {
		soil(&n.Node.Taints[i].Key, &n.Node.Taints[i].Value)
	}
	for i := range n.Marks {
		soil(&n.Marks[i].What)
	}
	for _, p := range n.Pods {
		soil(&p.Ref, &p.Owner, &p.OwnerKind, &p.Why, &p.Phase)
		for i := range p.Budgets {
			soil(&p.Budgets[i].Expression)
		}
		if p.Blocker != nil {
			soil(&p.Blocker.WayOut, &p.Blocker.Detail)
		}
	}
	if b := s.Budget; b != nil {
		soil(&b.Expression, &b.Why, &b.WayOut)
		for i := range b.Pods {
			soil(&b.Pods[i].Ref, &b.Pods[i].Node, &b.Pods[i].Unplaced)
		}
	}
	return s
}

// BenchmarkNodeDialog renders a frame over a node with 250 pods.
func BenchmarkNodeDialog(b *testing.B) {
	s := uitest.Looking()
	for i := len(s.Node.Pods); i < 250; i++ {
		p := *s.Node.Pods[i%12]
		p.UID = fmt.Sprint("more-", i)
		s.Node.Pods = append(s.Node.Pods, &p)
	}
	m := board(s, 200, 50, themes.Dark)
	press(m, "down", "g", "enter")
	b.ReportAllocs()
	for b.Loop() {
		m.redraw()
	}
}
