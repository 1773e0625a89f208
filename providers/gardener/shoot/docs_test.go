package shoot

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

const page = "../../../docs/reference/shoots.md"

// TestDocumentsHaveTheTables holds the tables of docs/reference/shoots.md to those that are worked
// by. go test -run Documents -rewrite rewrites them.
func TestDocumentsHaveTheTables(t *testing.T) {
	file, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	text := string(file)
	for name, table := range map[string]string{"triggers": triggerTable(), "rules": ruleTable(), "switches": switchTable(), "extensions": extensionTable(), "conditions": conditionTable()} {
		lead := "<!-- reference: made by go test ./providers/gardener/shoot -run Documents -rewrite (" + name + ") -->\n"
		before, rest, found := strings.Cut(text, lead)
		had, after, closed := strings.Cut(rest, "<!-- end -->")
		if !found || !closed {
			t.Fatalf("%s has no place for the table of %s", page, name)
		}
		if had != table && flag.Lookup("rewrite").Value.String() != "true" {
			t.Errorf("%s has another table of %s than the code; it should be:\n%s", page, name, table)
		}
		text = before + lead + table + "<!-- end -->" + after
	}
	if text != string(file) && !t.Failed() {
		if err := os.WriteFile(page, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func triggerTable() string {
	var b strings.Builder
	b.WriteString("| field | rolled | in place | when | otherwise | the page says: it |\n|---|---|---|---|---|---|\n")
	for _, r := range Triggers() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", r.Field, r.Rolling, r.InPlace, r.When, r.Otherwise, r.Seed)
	}
	return b.String()
}

func extensionTable() string {
	var b strings.Builder
	b.WriteString("| provider | picks fields of providerConfig | which | of each data volume | volume.encrypted |\n|---|---|---|---|---|\n")
	for _, e := range Extensions() {
		since, encrypted, volumes := "always", "does not count", e.Volumes
		if e.Since != "" {
			since = "from Kubernetes " + e.Since
		}
		if e.Encrypted {
			encrypted = "counts"
		}
		if volumes == "" {
			volumes = "nothing"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", e.Provider, since, e.Config, volumes, encrypted)
	}
	return b.String()
}

// docTable is a table as a document has it, with a row for each item.
func docTable[T any](head string, items []T, row func(T) []any) string {
	b := "| " + head + " |\n" + strings.Repeat("|---", strings.Count(head, "|")+1) + "|\n"
	for _, item := range items {
		cells := row(item)
		b += fmt.Sprintf("|"+strings.Repeat(" %s |", len(cells))+"\n", cells...)
	}
	return b
}

func conditionTable() string {
	return docTable("condition or constraint | in | while it is not True", Conditions(), func(c Condition) []any {
		in := "`status.conditions`"
		if c.Constraint {
			in = "`status.constraints`"
		}
		return []any{"`" + c.Type + "`", in, cmp.Or(c.Means, "what its message says")}
	})
}

func ruleTable() string {
	rules := Rules()
	return docTable("rule | what is refused", slices.SortedFunc(maps.Keys(rules), cmp.Compare[Rule]), func(r Rule) []any { return []any{r, rules[r]} })
}

func switchTable() string {
	return docTable("from | to | |", Switches(), func(s Switch) []any {
		allowed := "forbidden"
		if s.Allowed {
			allowed = "allowed"
		}
		return []any{s.From, s.To, allowed, s.Why}
	})
}
