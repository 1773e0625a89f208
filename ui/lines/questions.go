package lines

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/ui"
	"github.com/drainboard/drainboard/ui/scene"
	"github.com/drainboard/drainboard/ui/style"
)

// lost is how long what was decided may be without an effect before it is asked
// about again.
const lost = 10 * time.Second

// question is what lines of the input answer.
type question struct {
	head    string
	body    []string
	options []option
	// last says what to type; "" is "a number".
	last string
	// name takes an answer that is none of the options, nil refuses it.
	name func(text string)
	// empty is what an empty line does; nil asks again.
	empty func()
	// modal: only this can be answered, as with a dialog over the board; dialog is
	// the one that asks, nil for none.
	modal  bool
	dialog ui.Dialog
	// need is what is to be decided, "" if the operator brought it up.
	need string
	// grace is for how long after it was asked a line cannot have been meant for it.
	grace time.Duration
	asked time.Time
}

// option is an answer: its number in the list, or its key.
type option struct {
	key, label string
	do         func()
}

// put asks a question.
func (n *narrator) put(q *question) {
	n.q = q
	n.say(q.head)
	n.write(q.body...)
	for i, o := range q.options {
		or := ""
		if o.key != "" {
			or = " or " + o.key
		}
		n.write(fmt.Sprintf("%d%s: %s", i+1, or, o.label))
	}
	if q.last == "" {
		q.last = fmt.Sprintf("Type a number from 1 to %d.", len(q.options))
	}
	n.write(q.last)
	q.asked = n.m.Opts.Now()
}

// hear takes a line of the input. What must be decided and still is not, is asked
// again after it.
func (n *narrator) hear(l inputLine) {
	if l.end {
		n.hangup()
		return
	}
	orders := n.orders
	n.take(l)
	if n.left == "" && n.q == nil && n.orders == orders && n.need() != "" {
		n.asked = n.need()
		n.askNeed(false)
	}
}

func (n *narrator) take(l inputLine) {
	text := strings.TrimSpace(l.text)
	q := n.q
	if q != nil && !n.m.Opts.Scripted && text != "" && l.at.Before(q.asked.Add(q.grace)) {
		n.say("Ignored " + style.Quoted(text) + ": it was typed before the question appeared. Type it again if it is the answer.")
		return
	}
	switch {
	case q != nil && q.modal:
		n.answer(q, text)
	case text == "" || text == "?":
		n.menu()
	case q != nil && n.chose(q, text):
	default:
		n.order(text)
	}
}

// answer answers the question of a dialog.
func (n *narrator) answer(q *question, text string) {
	switch {
	case text == "" && q.empty != nil:
		q.empty()
	case text == "" || text == "?":
		n.put(q)
	case n.chose(q, text):
	case q.name != nil:
		q.name(text)
	default:
		n.say(style.Quoted(text) + " is not one of the answers. " + q.last)
	}
}

// chose carries out the option with a number or key, if there is one.
func (n *narrator) chose(q *question, text string) bool {
	at := slices.IndexFunc(q.options, func(o option) bool { return o.key != "" && o.key == text })
	if i, err := strconv.Atoi(text); err == nil && i >= 1 && i <= len(q.options) {
		at = i - 1
	}
	if at < 0 {
		return false
	}
	n.q = nil
	q.options[at].do()
	return true
}

// order carries out the action with a key or name.
func (n *narrator) order(text string) {
	if n.m.Scene == nil && !(n.m.Opts.ReadOnly && n.m.ActionFor(text) == n.m.ActionFor("q")) {
		n.say("No data yet.")
		return
	}
	for _, a := range n.m.Actions {
		if plainLabel(n.m, a) != "" && (slices.Contains(a.Keys, text) || a.Name == text) {
			n.act(a)
			return
		}
	}
	switch _, err := strconv.Atoi(text); {
	case err != nil:
		n.say(style.Quoted(text) + " is no possible action. An empty line lists them.")
	case n.q != nil:
		n.say(style.Quoted(text) + " is not one of the answers. " + n.q.last)
	default:
		n.say("There is no question, so " + style.Quoted(text) + " chooses nothing. An empty line lists the possible actions.")
	}
}

// plainLabel is how the plain mode calls an action, "" if it is of no use there.
func plainLabel(m *ui.Model, a *ui.Action) string {
	if a.Plain == "" && a.Command != nil {
		return a.Label(m)
	}
	return a.Plain
}

// menu tells what can be done now, and why the rest cannot.
func (n *narrator) menu() {
	m := n.m
	q := &question{head: "Possible actions:"}
	var not []string
	for _, a := range m.Actions {
		label := plainLabel(m, a)
		if label == "" || m.Opts.ReadOnly && a.Command != nil {
			continue
		}
		if why := n.whyNot(a); why != "" {
			not = append(not, "Not possible now: "+label+": "+why)
			continue
		}
		key := a.Show
		if key == "enter" {
			key = ""
		}
		q.options = append(q.options, option{key, label, func() { n.act(a) }})
	}
	if m.Scene != nil {
		q.body = []string{n.progress()}
	}
	q.body = append(q.body, not...)
	q.last = fmt.Sprintf("Type a number from 1 to %d, or the letter.", len(q.options))
	n.put(q)
}

// whyNot says why an action is not possible on anything, "" when it is.
func (n *narrator) whyNot(a *ui.Action) string {
	if a.Points == 0 || n.m.Unable(a) != "" {
		return cmp.Or(n.m.Unable(a), n.m.Why(a))
	}
	if len(n.targets(a)) == 0 {
		return a.None
	}
	return ""
}

// act carries out an action, after a question on what if it needs something to be
// chosen.
func (n *narrator) act(a *ui.Action) {
	n.q = nil
	switch why := n.whyNot(a); {
	case why != "":
		n.say("Cannot " + a.Name + " now: " + why + ".")
	case a.Points != 0:
		n.choose(a, n.targets(a))
	default:
		commands := n.m.Commands
		n.did(n.m.Do(a))
		if n.m.Commands && !commands {
			n.say("Each change is now printed with its equivalent command.")
		} else if commands && !n.m.Commands {
			n.say("Equivalent commands are no longer printed.")
		}
	}
}

// need is what must be decided now, told from what else may be, "" if nothing.
func (n *narrator) need() string {
	m, sc := n.m, n.m.Scene
	switch {
	case sc == nil, m.Opts.ReadOnly, m.Scene.Over(), n.deaf:
	case sc.State == record.Paused:
		return "paused " + sc.Why
	case sc.Batch != nil && m.Why(m.ActionFor("a")) == "":
		return "batch " + sc.Batch.Hash
	}
	return ""
}

// ask asks by itself what must be decided now, once. It waits for the end of a
// question that the operator is at, and takes one back that is of no more use.
func (n *narrator) ask() {
	need := n.need()
	if n.q != nil && n.q.modal || need == n.asked {
		return
	}
	n.asked = need
	if n.q != nil && n.q.need != "" {
		n.q = nil
	}
	if need != "" {
		if n.m.Opts.Forget != nil {
			n.m.Opts.Forget() // half a line was not meant for what is asked now
		}
		n.askNeed(true)
	}
}

// askNeed asks what must be decided now; in full it tells what is to be known for it.
func (n *narrator) askNeed(full bool) {
	m := n.m
	q := &question{need: n.asked, grace: ui.GraceMost}
	if m.Scene.State == record.Paused {
		q.head = "Paused" + style.Because(m.Scene.Brief(m.Scene.Why)) + ". Nothing new starts, and deadlines stop."
	} else {
		b := m.Scene.Batch
		d := ui.NewApproveDialog(b, m.Scene.Alarms())
		q.head = d.Title(m) + "?"
		if full {
			q.body = d.Body(m, plainWidth)
		}
		q.options = []option{
			{"a", "approve " + scene.BatchNameAndSize(b), func() { n.did(d.Choices[0].Do(m)) }},
			{"", "show its drains and blockers, as of now", func() { n.askNeed(true) }},
		}
	}
	for _, name := range []string{"pause", "abort", "quit"} {
		for _, a := range m.Actions {
			if a.Name == name && n.whyNot(a) == "" {
				q.options = append(q.options, option{a.Show, plainLabel(m, a), func() { n.act(a) }})
			}
		}
	}
	n.put(q)
}

// askDialog asks what the dialog that has just opened asks; one that is only to be
// read is told.
func (n *narrator) askDialog() {
	m := n.m
	q := &question{head: m.Dialog.Title(m), modal: true, dialog: m.Dialog, grace: ui.GraceQuiet}
	switch d := m.Dialog.(type) {
	case *ui.ChoiceDialog:
		q.body = d.Body(m, plainWidth)
		for _, c := range d.Choices {
			key := c.Key
			if key == "enter" {
				key = ""
			}
			q.options = append(q.options, option{key, c.Label, func() {
				m.Close()
				n.did(c.Do(m))
			}})
		}
	case *ui.PaceDialog:
		q.body, q.last = d.Body(m, plainWidth), d.Ask(m)
		q.name = func(text string) {
			if to, err := strconv.Atoi(text); err != nil || !d.Try(m, to) {
				n.say(style.Quoted(text) + " is not another number in that range. " + q.last)
				return
			}
			n.q = nil
			n.notice()
		}
		q.empty = func() {
			m.Close()
			n.q = nil
			n.say("Nothing was changed.")
		}
	case ui.TypedDialog:
		words := d.Words()
		q.body = d.Warning(m, plainWidth)
		if why := d.Off(m); why != "" {
			m.Close()
			n.say("Cannot " + words.Do + " " + d.Names(m)[0] + " now: " + why + ".")
			return
		}
		q.last = "Type " + d.Names(m)[0] + " to " + words.Do + " it, then optionally a reason. An empty line cancels."
		q.name = func(text string) {
			name, why, _ := strings.Cut(text, " ")
			if !d.Try(m, name, style.Cut(strings.TrimSpace(why), ui.MostReason, plainWords.Ellipsis)) {
				n.say(style.Upper(words.WrongName()) + ". " + q.last)
				return
			}
			n.q = nil
			n.notice()
		}
		q.empty = func() {
			m.Close()
			n.q = nil
			n.say("Nothing was " + words.Done + ".")
		}
	default:
		n.tellDialog()
		return
	}
	n.put(q)
}
