package text

import (
	"fmt"
	"slices"
	"strings"
)

func Times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// Few is how many names a sentence lists.
const Few = 5

// Some lists names, the first of many.
func Some(names []string) string { return AndMore(names, Few, 0) }

// AndMore lists the first names, and says how many there are beside these: more than the
// list has, too.
func AndMore(names []string, first, more int) string {
	if len(names) > first {
		names, more = names[:first], more+len(names)-first
	}
	list := strings.Join(names, ", ")
	if more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return list
}

// IsAre is "1 node is", "2 nodes are".
func IsAre(n int, one string) string {
	if n == 1 {
		return Plural(n, one) + " is"
	}
	return Plural(n, one) + " are"
}

// does says what so many things do: "1 node stops", "2 nodes stop".
func does(n int, one, verb string) string {
	switch {
	case n != 1:
	case strings.HasSuffix(verb, "sh"):
		verb += "es"
	default:
		verb += "s"
	}
	return Plural(n, one) + " " + verb
}

func Plural(n int, one string) string {
	if n == 1 {
		return fmt.Sprintf("1 %s", one)
	}
	if stem, ok := strings.CutSuffix(one, "try"); ok {
		return fmt.Sprintf("%d %stries", n, stem)
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// FirstOf is the first of many sentences, and how many there are beside them.
func FirstOf(list []string) []string {
	if more := len(list) - Few; more > 0 {
		list = append(slices.Clone(list[:Few]), Rest(more))
	}
	return list
}

// Rest ends a list in which n are not named.
func Rest(n int) string { return fmt.Sprintf("and %d more", n) }
