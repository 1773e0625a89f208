package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// mostWords is how long a sentence of a page for users may be.
const mostWords = 25

// madePages are written by tests from what the program says, and have its sentences.
var madePages = []string{"docs/reference/commands.md"}

var (
	madePart  = regexp.MustCompile(`(?s)<!-- [a-z]+(: made by .*)? -->.*?(<!-- end -->|\z)`)
	codeWords = regexp.MustCompile("`[^`]*`")
	linkText  = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)
	endOf     = regexp.MustCompile(`[.!?][)"*]*(?:\s+|$)|\s·\s`) // a dot between blanks parts a list of links
	listItem  = regexp.MustCompile(`^\s*(?:[*-]|[0-9]+\.)\s+`)
)

// sentences are those of a page: of paragraphs, list items, headings and cells of tables. Code
// counts as one word, and what a test writes is left out.
func sentences(page string) (all []string) {
	page = madePart.ReplaceAllString(fenced.ReplaceAllString(page, ""), "")
	page = linkText.ReplaceAllString(codeWords.ReplaceAllString(page, "CODE"), "$1")
	var text strings.Builder
	flush := func() {
		for _, s := range endOf.Split(text.String(), -1) {
			if s = strings.TrimSpace(s); s != "" {
				all = append(all, s)
			}
		}
		text.Reset()
	}
	for line := range strings.Lines(page) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, "|"):
			flush()
			for cell := range strings.SplitSeq(line, "|") {
				text.WriteString(cell)
				flush()
			}
			continue
		case strings.HasPrefix(line, "    ") && text.Len() == 0: // a block of code
			continue
		case strings.TrimSpace(line) == "":
			flush()
			continue
		case strings.HasPrefix(line, "#"), listItem.MatchString(line):
			flush()
		}
		text.WriteString(" " + strings.TrimSpace(listItem.ReplaceAllString(line, "")))
		if strings.HasPrefix(line, "#") {
			flush()
		}
	}
	flush()
	return all
}

// forUsers reports whether a page is for users: all but the design, what is inside, and how to
// take part.
func forUsers(path string) bool {
	return !strings.HasPrefix(path, "docs/internals/") && !strings.HasPrefix(path, ".github/") && path != "docs/design.md"
}

// TestDocsSentences holds the sentences of pages for users to a length that is read once.
func TestDocsSentences(t *testing.T) {
	found := 0
	for path, text := range pages(t) {
		if !forUsers(path) || slices.Contains(madePages, path) {
			continue
		}
		for _, s := range sentences(text) {
			found++
			if n := len(strings.Fields(s)); n > mostWords {
				t.Errorf("%s: a sentence of %d words: %s", path, n, s)
			}
		}
	}
	if found < 500 {
		t.Errorf("only %d sentences were found", found)
	}
}

// TestSentencesAreFound holds what counts as a sentence.
func TestSentencesAreFound(t *testing.T) {
	got := sentences("# A title\n\nOne `drainboard plan x` is.\nTwo [is a link](a.md) here? Three\n\n- four: 1.31 and 5.\n    more of it\n- six\n\n| a b | c. d |\n|---|---|\n\n    code that is. not read\n\n```\nnor this. is\n```\n<!-- table -->\nmade. by a test\n<!-- end -->\nlast\n")
	want := []string{"# A title", "One CODE is", "Two is a link here", "Three", "four: 1.31 and 5", "more of it", "six", "a b", "c", "d", "---", "---", "last"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// TestREADMEIsShort holds the README to what is read before a program is tried.
func TestREADMEIsShort(t *testing.T) {
	if lines := strings.Count(pages(t)["README.md"], "\n"); lines > 120 {
		t.Errorf("README.md has %d lines, more than 120", lines)
	}
}

// TestPagesForUsersAreShort holds how much there is to read: the pages for users have half the
// words that the first ones had. What a test writes is not counted, nor is the changelog.
func TestPagesForUsersAreShort(t *testing.T) {
	const most = 20226
	words := 0
	for path, text := range pages(t) {
		if !forUsers(path) || slices.Contains(madePages, path) || path == "docs/changelog.md" || path == "docs/reference/actions.md" {
			continue
		}
		text, _, _ = strings.Cut(text, "<!-- reference")
		words += len(strings.Fields(text))
	}
	if words > most || words < most/2 {
		t.Errorf("the pages for users have %d words, more than %d: shorten some", words, most)
	}
}

// TestTroubleshootingQuotes holds the headings of the page on errors to texts of the program.
func TestTroubleshootingQuotes(t *testing.T) {
	var source strings.Builder
	for _, dir := range []string{"cmd", "engine", "providers"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			source.Write(text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	found := 0
	for _, m := range regexp.MustCompile(`(?m)^### (.*)$`).FindAllStringSubmatch(pages(t)["docs/troubleshooting.md"], -1) {
		for part := range strings.SplitSeq(m[1], "…") {
			found++
			if part = strings.TrimSpace(part); !strings.Contains(source.String(), part) {
				t.Errorf("%q: the program never says %q", m[1], part)
			}
		}
	}
	if found < 40 {
		t.Errorf("only %d texts were found", found)
	}
}
