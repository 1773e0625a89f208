package e2e

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/drainboard/drainboard/engine/record"
)

// story is one play of a scenario: what was said, the run as it ended, and what
// it left.
type story struct {
	events []record.Event
	run    record.Run
	end    []string // how group, nodes and workloads stand
	words  words
}

// words makes what is said in one world comparable with what is said in another:
// a namespace is app, a group ng, a launch template lt, a zone its letter, a pod its
// workload, and whatever has a digit and is not a number (nodes, machines, times) is
// #. Left out is how often something was tried, which is a matter of speed, how many
// nodes the scheduler counts for each reason, because the lab has those of others, and
// what the cloud itself says about a machine that does not come, such as the lines of its
// console: both worlds make that up.
type words struct {
	names *strings.Replacer
	group *regexp.Regexp // as a word
	pods  *regexp.Regexp
}

func wordsOf(lines []line, namespace, group, template string) words {
	apps := []string{"[0-9]"} // of none
	for _, l := range lines {
		if l.name == "workload" {
			apps = append(apps, regexp.QuoteMeta(l.words[0]))
		}
	}
	return words{
		names: strings.NewReplacer(namespace+"/", "app/", template, "lt", strings.TrimSuffix(zones[0], "a"), ""),
		group: regexp.MustCompile(`(^| )` + regexp.QuoteMeta(group) + `( |$)`),
		pods:  regexp.MustCompile(`app/(` + strings.Join(apps, "|") + `)-[a-z0-9-]+`),
	}
}

var (
	named  = regexp.MustCompile(`\S*[0-9]\S*`)
	number = regexp.MustCompile(`^\(?[0-9]+[,:;)]?$`)
	cloudy = regexp.MustCompile(`(has not joined the cluster|is not Ready: [^;]*); .*`)
	tries  = regexp.MustCompile(`(after |came back |\()(once|twice|[0-9]+ times|[0-9]+ attempts?)`)
	places = regexp.MustCompile(`nodes are available: [^.;]*`)
	signed = regexp.MustCompile(`[^ (]+@[^ ,;)]+`)
)

// plain is a text in the words of both worlds.
func (w words) plain(text string) string {
	text = w.pods.ReplaceAllString(w.names.Replace(w.group.ReplaceAllString(text, "${1}ng$2")), "app/$1-#")
	text = cloudy.ReplaceAllString(text, "$1")
	text = places.ReplaceAllString(text, "nodes are available")
	text = tries.ReplaceAllString(text, "${1}some times")
	text = signed.ReplaceAllString(text, "operator")
	return named.ReplaceAllStringFunc(text, func(word string) string {
		if number.MatchString(word) {
			return word
		}
		return "#" + word[len(strings.TrimRight(word, ",:;)")):]
	})
}

// told counts the events that are compared.
func (s story) told() (n int) {
	for _, e := range s.events {
		if !byProgram(e) {
			n++
		}
	}
	return n
}

// facts are what a story tells, and how many times each.
type facts map[string]int

// kind is what an event is, without what it is about.
func (s story) kind(e record.Event) string {
	k := string(e.Type)
	if e.Reason != "" {
		k += "[" + s.words.plain(e.Reason) + "]"
	}
	if e.Budget != "" {
		k += "{" + s.words.plain(e.Budget) + "}"
	}
	return k
}

// byProgram reports an event that the program tells and not the engine, or that
// depends on when the program looked: a failed launch that the group has made up for
// between two polls is not read.
func byProgram(e record.Event) bool {
	return e.Type == record.RunPlanned || e.Type == record.RunStarted || e.Type == record.ForecastChanged || e.Type == record.Warning && (e.Reason == "foreseen" || e.Reason == "launch-failed")
}

func (s story) facts() facts {
	f := facts{}
	for _, line := range s.end {
		f["end: "+line]++
	}
	f[fmt.Sprintf("end: %s, exit code %d: %s", s.run.Result, s.run.Result.ExitCode(), s.words.plain(s.run.Why))]++
	for what, lines := range map[string][]string{"culprit": s.run.BlockingPods, "left": s.run.Unrestored, "note": s.run.Notes} {
		for _, l := range lines {
			f[what+": "+s.words.plain(l)]++
		}
	}
	for _, n := range s.run.Nodes.All() {
		f[fmt.Sprintf("end: node %s, new %v", n.Stage, n.New)]++
	}
	f.courses(s)
	var all []string
	onNode := map[string][]string{}
	for _, e := range s.events {
		if byProgram(e) {
			continue
		}
		all = append(all, e.Phase+": "+s.kind(e))
		if e.Node != "" {
			onNode[e.Node] = append(onNode[e.Node], s.kind(e))
		}
		f["says "+s.kind(e)+": "+s.words.plain(e.Message)] = 1
	}
	f.order("order", all)
	for _, kinds := range onNode {
		f.order("order on a node", kinds)
	}
	return f
}

// courses tells the way of the run, of every node and of every pod.
func (f facts) courses(s story) {
	way := map[string][]string{}
	for _, e := range s.events {
		who := ""
		kind, _, _ := strings.Cut(string(e.Type), ".")
		switch {
		case byProgram(e):
			continue
		case kind == "pod":
			app := s.words.pods.FindStringSubmatch(s.words.names.Replace(e.Pod))
			if app == nil {
				app = []string{"", e.Pod}
			}
			who = "a pod of " + app[1] + "|" + e.Pod
		case kind == "node":
			who = "a node|" + e.Node
		case kind == "warning":
			continue // f.order and what it says
		default:
			who = "the run|"
		}
		what := s.kind(e)
		if kind == "phase" {
			what += " " + e.Phase
		}
		way[who] = append(way[who], what)
	}
	for who, course := range way {
		who, _, _ = strings.Cut(who, "|")
		f[who+": "+strings.Join(course, " > ")]++
	}
}

// order tells of every two kinds whether all of the one came before the first of
// the other.
func (f facts) order(where string, kinds []string) {
	first, last := map[string]int{}, map[string]int{}
	for i, k := range kinds {
		if _, known := first[k]; !known {
			first[k] = i
		}
		last[k] = i
	}
	for a := range first {
		for b := range first {
			if last[a] < first[b] {
				f[where+": "+a+" before "+b]++
			}
		}
	}
}

// between is how often a fact is told, at least and at most.
type between struct{ least, most int }

// ranges are those of every fact that is told at all.
type ranges map[string]between

func bounds(told []facts) ranges {
	r := ranges{}
	for i, f := range told {
		for fact, n := range f {
			b, known := r[fact]
			if !known {
				b = between{n, n}
				if i > 0 {
					b.least = 0 // not in the plays before
				}
			}
			r[fact] = between{min(b.least, n), max(b.most, n)}
		}
		for fact, b := range r {
			if f[fact] == 0 {
				r[fact] = between{0, b.most}
			}
		}
	}
	return r
}

// fixed counts the facts that are the same in every play.
func (r ranges) fixed() (n int) {
	for _, b := range r {
		if b.least == b.most {
			n++
		}
	}
	return n
}

// against lists where another story is out of range. An order that no play has
// is no difference: of two kinds that mingle in every play, one may come first where
// there are few of them. An order that is never the same way round in the other
// story is one already, for the plays' own is then missing.
func (r ranges) against(f facts) (differences []string) {
	tell := func(fact string, b between) {
		if n := f[fact]; n < b.least || n > b.most {
			differences = append(differences, fmt.Sprintf("%s: %d times, the simulator says %d to %d", fact, n, b.least, b.most))
		}
	}
	for fact, b := range r {
		tell(fact, b)
	}
	for fact := range f {
		if _, known := r[fact]; !known && !strings.HasPrefix(fact, "order") {
			tell(fact, between{})
		}
	}
	slices.Sort(differences)
	return differences
}
