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

const docs = "../../../docs"

// TestPicturesAreSmall holds that the pictures of the docs are those of the list,
// and how much they may weigh in a clone and on a page.
func TestPicturesAreSmall(t *testing.T) {
	const each, filmed, together = 60 << 10, 200 << 10, 400 << 10
	files, err := filepath.Glob(filepath.Join(docs, "pictures", "*"))
	if err != nil {
		t.Fatal(err)
	}
	sum := 0
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".svg")
		at := slices.IndexFunc(pictures, func(p picture) bool { return p.name == name })
		if at < 0 {
			t.Errorf("%s is not made by `make pictures`", file)
			continue
		}
		svg, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		most := each
		if pictures[at].film {
			most = filmed
		}
		if len(svg) > most {
			t.Errorf("%s has %d bytes, more than %d", file, len(svg), most)
		}
		if texts := wellFormed(t, svg); texts < pictures[at].rows {
			t.Errorf("%s shows only %d texts", file, texts)
		}
		sum += len(svg)
	}
	if sum > together {
		t.Errorf("all pictures have %d bytes, more than %d", sum, together)
	}
	if len(files) != len(pictures) {
		t.Errorf("%d pictures in docs, %d in the list", len(files), len(pictures))
	}
}

// TestStepsWaitForWhatIsShown holds that a screen of the dashboard's own tests has each text that a
// step waits for: one that no screen has any more would be waited for in vain.
func TestStepsWaitForWhatIsShown(t *testing.T) {
	const testdata = "../../../ui/testdata"
	simulated := []string{"scales"} // what other users do, which only the demo shows
	number := regexp.MustCompile(`[0-9]+`)
	var shown strings.Builder
	err := filepath.WalkDir(testdata, func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".golden" {
			return err
		}
		b, err := os.ReadFile(path)
		shown.Write(number.ReplaceAll(b, []byte("N")))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pictures {
		for _, s := range p.steps {
			for _, text := range append(s.until[:len(s.until):len(s.until)], s.gone) {
				if !slices.Contains(simulated, text) && !strings.Contains(shown.String(), number.ReplaceAllString(text, "N")) {
					t.Errorf("%s waits for %q, and no screen of %s shows that", p.name, text, testdata)
				}
			}
		}
	}
}

// TestEveryPictureIsShown holds that a page shows each picture, and no other.
func TestEveryPictureIsShown(t *testing.T) {
	var text strings.Builder
	pages, err := filepath.Glob(filepath.Join(docs, "guide", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range append(pages, filepath.Join(docs, "../README.md")) {
		b, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(b)
	}
	shown := text.String()
	for _, p := range pictures {
		if !strings.Contains(shown, p.name+".svg)") {
			t.Errorf("no page shows %s.svg", p.name)
		}
		shown = strings.ReplaceAll(shown, p.name+".svg)", "")
	}
	if strings.Contains(shown, ".svg)") || strings.Contains(shown, ".png)") {
		t.Error("a page shows a picture that `make pictures` does not make")
	}
}
