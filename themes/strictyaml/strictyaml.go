// Package strictyaml reads the YAML files that people write by hand: nothing in
// them is passed over in silence, and whatever is wrong is told with its line and
// with what is allowed there. What can be read is read in spite of it.
package strictyaml

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agnivade/levenshtein"
	"go.yaml.in/yaml/v3"
)

// Problem is something wrong in a file.
type Problem struct {
	File string
	Line int // 0 if it is not known
	Why  string
}

func (p Problem) Error() string {
	if p.Line == 0 {
		return p.File + ": " + p.Why
	}
	return fmt.Sprintf("%s, line %d: %s", p.File, p.Line, p.Why)
}

// Problems is all that is wrong in a file, in the file's order.
type Problems []Problem

// Error tells the first, which is the one to mend first, and how many there are.
func (ps Problems) Error() string {
	if len(ps) == 1 {
		return ps[0].Error()
	}
	return fmt.Sprintf("%s (and %d more)", ps[0].Error(), len(ps)-1)
}

// Parse hands the document in data to read. Its error is a Problems.
func Parse(file string, data []byte, read func(Value)) error {
	f := &source{name: file}
	var doc yaml.Node
	dec := yaml.NewDecoder(bytes.NewReader(data))
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil // empty, or comments only
	case err != nil:
		return Problems{syntax(file, err)}
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		f.problems = append(f.problems, Problem{File: file, Why: "more than one document: leave out the --- between them"})
	}
	read(Value{f, doc.Content[0], ""})
	if len(f.problems) == 0 {
		return nil
	}
	slices.SortStableFunc(f.problems, func(a, b Problem) int { return a.Line - b.Line })
	return f.problems
}

var lineOf = regexp.MustCompile(`line (\d+): `)

// syntax is an error of the YAML parser as a problem.
func syntax(file string, err error) Problem {
	why := strings.TrimPrefix(err.Error(), "yaml: ")
	p := Problem{File: file, Why: why}
	if m := lineOf.FindStringSubmatch(why); m != nil {
		p.Line, _ = strconv.Atoi(m[1])
		p.Why = strings.Replace(why, m[0], "", 1)
	}
	p.Why = "not YAML: " + p.Why
	return p
}

type source struct {
	name     string
	problems Problems
}

// Value is a value in a file.
type Value struct {
	file *source
	node *yaml.Node
	path string // of the keys that lead to it
}

// Fail notes what is wrong with the value; the message continues after its key.
func (v Value) Fail(format string, args ...any) {
	why := fmt.Sprintf(format, args...)
	if v.path != "" {
		why = v.path + ": " + why
	}
	v.file.problems = append(v.file.problems, Problem{v.file.name, v.node.Line, why})
}

// Empty reports whether nothing follows the key, as when a value begins with # and
// so is a comment.
func (v Value) Empty() bool { return v.node.Kind == yaml.ScalarNode && v.node.ShortTag() == "!!null" }

// Map reads a mapping: each key's value goes to the function of that name.
func (v Value) Map(keys map[string]func(Value)) {
	if v.Empty() {
		return
	}
	if v.node.Kind != yaml.MappingNode {
		v.Fail("needs keys of its own: %s", strings.Join(slices.Sorted(maps.Keys(keys)), ", "))
		return
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(v.node.Content); i += 2 {
		key, node := v.node.Content[i], v.node.Content[i+1]
		if node.Kind == yaml.AliasNode {
			node = node.Alias
		}
		at := Value{v.file, key, v.path}
		if line := seen[key.Value]; line > 0 {
			at.Fail("%q is there twice, first in line %d", key.Value, line)
			continue
		}
		seen[key.Value] = key.Line
		read := keys[key.Value]
		if read == nil {
			at.Fail("%s", unknown(key.Value, slices.Sorted(maps.Keys(keys))))
			continue
		}
		path := key.Value
		if v.path != "" {
			path = v.path + "." + key.Value
		}
		read(Value{v.file, node, path})
	}
}

// List reads a sequence.
func (v Value) List(each func(Value)) {
	if v.Empty() {
		return
	}
	if v.node.Kind != yaml.SequenceNode {
		v.Fail("is a list: each entry begins with a dash")
		return
	}
	for i, node := range v.node.Content {
		if node.Kind == yaml.AliasNode {
			node = node.Alias
		}
		each(Value{v.file, node, fmt.Sprintf("%s[%d]", v.path, i)})
	}
}

// OneOrMore reads a single value, or a sequence of them.
func (v Value) OneOrMore(each func(Value)) {
	if v.node.Kind == yaml.SequenceNode {
		v.List(each)
		return
	}
	each(v)
}

// Duration reads a time as Go writes it, as 90s or 5m, into to.
func (v Value) Duration(to *time.Duration) {
	s, ok := v.Text()
	if !ok {
		return
	}
	d, err := time.ParseDuration(s)
	if err != nil || d <= 0 {
		v.Fail("%q is no time (examples: 30s, 5m)", s)
		return
	}
	*to = d
}

// Text reads a single value as it is written; ok is false if there is none.
func (v Value) Text() (s string, ok bool) {
	if v.node.Kind != yaml.ScalarNode {
		v.Fail("is a single value")
		return "", false
	}
	if v.Empty() {
		v.Fail("has no value")
		return "", false
	}
	return v.node.Value, true
}

// Bool reads true or false into to.
func (v Value) Bool(to *bool) {
	s, ok := v.Text()
	switch {
	case !ok:
	case v.node.ShortTag() != "!!bool":
		v.Fail("%q is neither true nor false", s)
	default:
		*to = strings.EqualFold(s, "true")
	}
}

// Unknown says that what was given is none of the known words.
func (v Value) Unknown(given string, known []string) { v.Fail("%s", unknown(given, known)) }

func unknown(given string, known []string) string {
	if near := Nearest(given, known); near != "" {
		return fmt.Sprintf("unknown: %q; did you mean %q?", given, near)
	}
	return fmt.Sprintf("unknown: %q; known are %s", given, strings.Join(known, ", "))
}

// Nearest is the known word that was likely meant, "" if none is near.
func Nearest(given string, known []string) string {
	best, least := "", max(len(given)/3, 2)+1
	for _, k := range known {
		if d := levenshtein.ComputeDistance(strings.ToLower(given), k); d < least && d < len(k) {
			best, least = k, d
		}
	}
	return best
}
