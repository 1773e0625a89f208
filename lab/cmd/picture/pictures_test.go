package main

import (
	"os"
	"path/filepath"
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
