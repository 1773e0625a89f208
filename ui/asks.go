package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine"
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
	dialog dialog
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
	q.asked = n.m.opts.Now()
}

// hear takes a line of the input. What must be decided and still is not, is asked
// again after it.
func (n *narrator) hear(l typed) {
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

func (n *narrator) take(l typed) {
	text := strings.TrimSpace(l.text)
	q := n.q
	if q != nil && !n.m.opts.Scripted && text != "" && l.at.Before(q.asked.Add(q.grace)) {
		n.say("Ignored " + quoted(text) + ": it was typed before the question could be read. Type it again if it is the answer.")
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
		n.say(quoted(text) + " is not one of the answers. " + q.last)
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
	if n.m.sc == nil && !(n.m.opts.ReadOnly && n.m.actionFor(text) == n.m.actionFor("q")) {
		n.say("Nothing is known yet.")
		return
	}
	for _, a := range n.m.actions {
		if plainLabel(n.m, a) != "" && (slices.Contains(a.keys, text) || a.name == text) {
			n.act(a)
			return
		}
	}
	switch _, err := strconv.Atoi(text); {
	case err != nil:
		n.say(quoted(text) + " is nothing that can be done. An empty line tells what can.")
	case n.q != nil:
		n.say(quoted(text) + " is not one of the answers. " + n.q.last)
	default:
		n.say("Nothing is asked, so " + quoted(text) + " chooses nothing. An empty line tells what can be done.")
	}
}

// quoted is what was typed, for a sentence about it.
func quoted(text string) string { return `"` + cut(clean(text), 40, plainWords.Ellipsis) + `"` }

// plainLabel is how the plain mode calls an action, "" if it is of no use there.
func plainLabel(m *Model, a *action) string {
	if a.plain == "" && a.command != nil {
		return a.label(m)
	}
	return a.plain
}

// menu tells what can be done now, and why the rest cannot.
func (n *narrator) menu() {
	m := n.m
	q := &question{head: "What can be done now:"}
	var not []string
	for _, a := range m.actions {
		label := plainLabel(m, a)
		if label == "" || m.opts.ReadOnly && a.command != nil {
			continue
		}
		if why := n.whyNot(a); why != "" {
			not = append(not, "Not possible now: "+label+": "+why)
			continue
		}
		key := a.show
		if key == "enter" {
			key = ""
		}
		q.options = append(q.options, option{key, label, func() { n.act(a) }})
	}
	if m.sc != nil {
		q.body = []string{n.progress()}
	}
	q.body = append(q.body, not...)
	q.last = fmt.Sprintf("Type a number from 1 to %d, or the letter.", len(q.options))
	n.put(q)
}

// whyNot says why an action is not possible on anything, "" when it is.
func (n *narrator) whyNot(a *action) string {
	if a.points == 0 || n.m.unable(a) != "" {
		return cmp.Or(n.m.unable(a), n.m.why(a))
	}
	if len(n.things(a)) == 0 {
		return a.none
	}
	return ""
}

// act carries out an action, after a question on what if it needs something to be
// chosen.
func (n *narrator) act(a *action) {
	n.q = nil
	switch why := n.whyNot(a); {
	case why != "":
		n.say("Cannot " + a.name + " now: " + why + ".")
	case a.points != 0:
		n.choose(a, n.things(a))
	default:
		commands := n.m.commands
		n.did(n.m.do(a))
		if n.m.commands && !commands {
			n.say("From now on the command that does the same is told with each change.")
		} else if commands && !n.m.commands {
			n.say("The commands are no longer told.")
		}
	}
}

// need is what must be decided now, told from what else may be, "" if nothing.
func (n *narrator) need() string {
	m, sc := n.m, n.m.sc
	switch {
	case sc == nil, m.opts.ReadOnly, m.over(), n.deaf:
	case sc.State == engine.Paused:
		return "paused " + sc.Why
	case sc.Batch != nil && m.why(m.actionFor("a")) == "":
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
		if n.m.opts.Forget != nil {
			n.m.opts.Forget() // half a line was not meant for what is asked now
		}
		n.askNeed(true)
	}
}

// askNeed asks what must be decided now; in full it tells what is to be known for it.
func (n *narrator) askNeed(full bool) {
	m := n.m
	q := &question{need: n.asked, grace: graceMost}
	if m.sc.State == engine.Paused {
		q.head = "Paused" + because(m.sc.brief(m.sc.Why)) + ". Nothing new starts, and deadlines stand still."
	} else {
		b := m.sc.Batch
		d := newApproveDialog(b)
		q.head = d.title(m) + "?"
		if full {
			q.body = d.body(m, plainWidth)
		}
		q.options = []option{
			{"a", "approve " + batchName(b), func() { n.did(d.choices[0].do(m)) }},
			{"", "show what it will do, as of now", func() { n.askNeed(true) }},
		}
	}
	for _, name := range []string{"pause", "abort", "quit"} {
		for _, a := range m.actions {
			if a.name == name && n.whyNot(a) == "" {
				q.options = append(q.options, option{a.show, plainLabel(m, a), func() { n.act(a) }})
			}
		}
	}
	n.put(q)
}

// askDialog asks what the dialog that has just opened asks; one that is only to be
// read is told.
func (n *narrator) askDialog() {
	m := n.m
	q := &question{head: m.dialog.title(m), modal: true, dialog: m.dialog, grace: graceQuiet}
	switch d := m.dialog.(type) {
	case *choiceDialog:
		q.body = d.body(m, plainWidth)
		for _, c := range d.choices {
			key := c.key
			if key == "enter" {
				key = ""
			}
			q.options = append(q.options, option{key, c.label, func() {
				m.close()
				n.did(c.do(m))
			}})
		}
	case *forceDialog:
		q.body = d.warning(m, plainWidth)
		if why := d.off(m); why != "" {
			m.close()
			n.say("Cannot force " + d.names(m)[0] + " now: " + why + ".")
			return
		}
		q.last = "Type " + d.names(m)[0] + " to force it, and after it why, if you like. An empty line cancels."
		q.name = func(text string) {
			name, why, _ := strings.Cut(text, " ")
			if !d.try(m, name, cut(strings.TrimSpace(why), mostReason, plainWords.Ellipsis)) {
				n.say(upper(wrongName) + ". " + q.last)
				return
			}
			n.q = nil
			n.notice()
		}
		q.empty = func() {
			m.close()
			n.q = nil
			n.say("Nothing was forced.")
		}
	default:
		n.tellDialog()
		return
	}
	n.put(q)
}
