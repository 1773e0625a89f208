package present

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/api"
	"github.com/drainboard/drainboard/engine/record"
)

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	if strings.HasSuffix(what, "ch") {
		what += "e"
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// JSON writes a JSON document.
func JSON(w io.Writer, doc any) error {
	_, err := w.Write(api.MarshalIndent(doc))
	return err
}

// are is "1 node is", "3 nodes are", with more words before the verb.
func are(n int, one, more string) string {
	if n == 1 {
		return "1 " + one + more + " is"
	}
	return fmt.Sprintf("%d %ss%s are", n, one, more)
}

// short cuts a long list for text; JSON has all of it.
func short(lines []string) []string {
	const most = 30
	if len(lines) <= most {
		return lines
	}
	return append(lines[:most:most], fmt.Sprintf("and %d more (-o json has them all)", len(lines)-most))
}

func List(w io.Writer, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintln(w, title)
	for _, l := range lines {
		fmt.Fprintln(w, "  - "+l)
	}
}

// orderText returns an order in the form of --order.
func orderText(orders []record.Order) string {
	words := make([]string, len(orders))
	for i, o := range orders {
		words[i] = string(o)
	}
	return cmp.Or(strings.Join(words, ","), string(record.OrderRandom))
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func because(why string) string {
	if why == "" {
		return ""
	}
	return " (" + why + ")"
}

// When returns a time as text, with its zone.
func When(t time.Time) string { return t.Format("Mon 2 Jan 2006 15:04:05 MST (-07:00)") }
