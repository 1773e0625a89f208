package ui

import (
	"encoding/base64"
	"testing"

	"github.com/drainboard/drainboard/ui/style"
	"github.com/drainboard/drainboard/ui/uitest"
)

// Copied waits until a text was put on the clipboard.
func (p *person) Copied(text string) *person {
	p.T.Helper()
	return p.Heard("\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte(text)) + "\a")
}

// opens is the command that opens the PDB of the scene.
const opens = "kubectl -n shop scale deploy/checkout --replicas=4"

func TestCopyWhatIsUnderTheCursor(t *testing.T) {
	ui := sit(t, 300, 36, uitest.Busy())
	ui.Expect("draining").Press("y").Expect("cannot copy now: select a node or a blocked pod first").Silent("\x1b]52;")
	ui.Press("down", "y").Copied(uitest.Host(1, 23)).Expect("copied " + uitest.Host(1, 23))
	ui.Press("right", "right", "G", "y").Copied("i-0a1b2c3d4e5f63140") // has not joined: the machine
	ui.Press("tab", "y").Expect("cannot copy now").Press("down", "y").Copied(opens).Expect("copied the command: " + opens)
	ui.Press("tab", "y").Copied("shop/cart-55c-1 on ip-10-0-2-31 gone after 2s").Expect("copied the line: shop/cart-55c-1")
	ui.SentNothing()
}

func TestCopyFromTheLog(t *testing.T) {
	ui := sit(t, 120, 24, uitest.Busy())
	ui.Expect("draining").Press("tab", "tab", "up", "y").Copied("kubectl delete --raw /api/v1/namespaces/shop/pods/cart-55c-1/eviction").Expect("copied the command: kubectl delete")
}

// In a dialog y is yes, unless there is nothing to say yes to.
func TestCopyInDialogs(t *testing.T) {
	ui := sit(t, 120, 36, uitest.Busy())
	ui.Expect("draining").Press("down", "s").Expect("Skip").Press("y").Gone("Skip ip").Silent("\x1b]52;")
	if c := <-ui.Commands; c.Node != uitest.Host(1, 23) {
		t.Fatalf("sent %+v", c)
	}
	ui.Press("enter").Expect("remain to be moved").Press("y").Copied(uitest.Host(1, 23))
	ui.Press("esc").Gone("remain to be moved").Press("tab", "down", "enter").Expect("tries", "command     "+opens).Press("y").Copied(opens)
	ui.Press("esc").Gone("tries").Show(uitest.Failed()).Expect("not restored").Later(GraceMost).Press("y").Expect("copied the commands that restore what is left")
	ui.Copied("# to roll the new nodes back\ndrainboard upgrade ng-web --launch-template-version 7\n" +
		"# the group's maximum is 18, was 12\naws autoscaling update-auto-scaling-group --auto-scaling-group-name ng-web --max-size 12")
}

// A name that comes from the cluster does not bring a line of its own into a shell.
func TestWhatIsCopiedIsClean(t *testing.T) {
	s := uitest.Busy()
	s.Blockers[0].Command = ""
	s.Blockers[0].Pod = "shop/a\nrm -rf ~\x1b[201~"
	ui := sit(t, 120, 36, s)
	ui.Expect("draining").Press("tab", "down", "y").Copied("shop/a" + style.Replacement + "rm -rf ~" + style.Replacement + "[201~")
}

// A multiplexer keeps what a program copies, unless it is made to pass it on.
func TestCopyThroughTmux(t *testing.T) {
	ui := sit(t, 120, 36, uitest.Busy(), on("TERM=tmux-256color", "TMUX=x"))
	ui.Expect("draining").Press("down", "y").Heard("\x1bPtmux;\x1b\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte(uitest.Host(1, 23))) + "\a\x1b\\")
}
