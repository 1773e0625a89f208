package report

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"
	"golang.org/x/net/html"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/journal"
)

func pageOf(t *testing.T, r *Report) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := HTML(&out, r, Style{}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func markdownOf(t *testing.T, r *Report) string {
	t.Helper()
	var out bytes.Buffer
	if err := Markdown(&out, r, Style{}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// The report of a night with everything in it: what the journal of a simulated run
// says, compared with what the run itself knows, and both forms as they are.
func TestNight(t *testing.T) {
	s := night(t)
	run := s.Driver.Run
	r := s.report(true)
	if !r.Finished || r.Result != record.Succeeded || r.Replaced != 12 || r.Planned != 12 || r.Took().Round(time.Second) != run.Finished.Sub(run.Started).Round(time.Second) {
		t.Errorf("%s: %d of %d replaced in %s", r.Outcome(), r.Replaced, r.Planned, r.Took())
	}
	if len(r.Drivers) != 2 || len(r.Alone) != 1 || r.Alone[0].To.Sub(r.Alone[0].From) < 3*time.Minute || len(r.Paused) != 1 || r.Paused[0].To.Sub(r.Paused[0].From) != 90*time.Second {
		t.Errorf("drivers %v, alone %v, paused %v", r.Drivers, r.Alone, r.Paused)
	}
	forced := map[string]bool{}
	for _, e := range s.Driver.Events {
		if e.Type == record.PodForced {
			forced[e.Pod] = true
		}
	}
	for _, c := range r.Forced {
		if ref := c.Action.Namespace + "/" + c.Action.Pod; !forced[ref] || c.Forced.By != "operator@laptop" || c.Forced.Why != "checkout may be down at night" || !c.OK() || c.At.Before(c.Forced.At) {
			t.Errorf("forced: %+v by %+v, %s", c, c.Forced, c.Came())
		}
		delete(forced, c.Action.Namespace+"/"+c.Action.Pod)
	}
	if len(forced) > 0 || len(r.Forced) == 0 {
		t.Errorf("forced and not in the report: %v", forced)
	}
	for _, b := range r.Blocks {
		if b.End == "" || b.Lasted() <= 0 || b.Pod == "" || b.Node == "" || b.Budget == "" {
			t.Errorf("blocked: %+v", b)
		}
	}
	golden.RequireEqual(t, []byte(markdownOf(t, r)))
}

// A run that is part of a roll names it.
func TestRunOfARoll(t *testing.T) {
	dir, at := t.TempDir(), time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)
	options := journal.Options{Dir: func() (string, error) { return dir, nil }, By: "ann@laptop", Now: func() time.Time { return at }}
	options.Run = record.Run{ID: "web-1", Group: "web", Strategy: "eks", Started: at, Roll: "roll-20261102-090000-1a2b"}
	scribe := journal.Begin(options)
	scribe.Close(options.Run, nil)
	r, err := Load(scribe.Path())
	if err != nil {
		t.Fatal(err)
	}
	if text := markdownOf(t, r); !strings.Contains(text, "part of the roll") || !strings.Contains(text, "roll-20261102-090000-1a2b") {
		t.Errorf("the report does not name the roll:\n%s", text)
	}
}

func TestNightPage(t *testing.T) {
	text := pageOf(t, night(t).report(true))
	selfContained(t, text)
	golden.RequireEqual(t, text)
}

// selfContained sees that a page is whole, asks for nothing from elsewhere, and could
// not if it wanted to.
func selfContained(t *testing.T, page []byte) {
	t.Helper()
	doc, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	ids, targets, policy := map[string]bool{}, []string{}, ""
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if slices.Contains([]string{"script", "link", "img", "image", "iframe", "object", "embed", "video", "audio", "source", "base", "form", "input", "use", "feimage", "foreignobject", "animate", "set"}, strings.ToLower(n.Data)) {
			t.Errorf("the page has a <%s>", n.Data)
		}
		attributes := map[string]string{}
		for _, a := range n.Attr {
			attributes[a.Key] = a.Val
			switch key := strings.ToLower(a.Key); {
			case key == "id":
				if ids[a.Val] {
					t.Errorf("the id %s is there twice", a.Val)
				}
				ids[a.Val] = true
			case key == "href":
				targets = append(targets, a.Val)
			case strings.HasPrefix(key, "on"), key == "src", key == "srcset", key == "action", key == "poster", key == "background", key == "ping":
				t.Errorf("<%s %s=%q>", n.Data, a.Key, a.Val)
			}
			if strings.Contains(a.Val, "//") && n.Data != "meta" && a.Key != "class" { // no class is fetched
				t.Errorf("<%s %s=%q> points elsewhere", n.Data, a.Key, a.Val)
			}
		}
		if n.Data == "meta" && attributes["http-equiv"] == "Content-Security-Policy" {
			policy = attributes["content"]
		}
		if n.Data == "style" && n.FirstChild != nil && strings.Contains(n.FirstChild.Data, "@import") {
			t.Error("a style from elsewhere")
		}
	}
	if !strings.HasPrefix(policy, "default-src 'none'; style-src 'unsafe-inline';") {
		t.Errorf("the policy is %q", policy)
	}
	for _, target := range targets {
		if !strings.HasPrefix(target, "#") || !ids[target[1:]] {
			t.Errorf("a link to %q", target)
		}
	}
	balanced(t, page)
}

// balanced sees that every element that needs an end has one, in order: a parser
// repairs what a reader of the source stumbles over.
func balanced(t *testing.T, page []byte) {
	t.Helper()
	void := []string{"meta", "br", "hr", "img", "input", "link"}
	var open []string
	for z := html.NewTokenizer(bytes.NewReader(page)); ; {
		switch z.Next() {
		case html.ErrorToken:
			if len(open) > 0 {
				t.Errorf("not ended: %v", open)
			}
			return
		case html.StartTagToken:
			name, _ := z.TagName()
			if !slices.Contains(void, string(name)) {
				open = append(open, string(name))
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			if len(open) == 0 || open[len(open)-1] != string(name) {
				t.Fatalf("</%s> in %v", name, open)
			}
			open = open[:len(open)-1]
		}
	}
}

// A browser opens the page without a word of complaint. Where there is none the page
// is only looked at as text, which TestNightPage does in any case.
func TestNightInABrowser(t *testing.T) {
	text := pageOf(t, night(t).report(true))
	selfContained(t, text)
	var browser string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			browser = path
			break
		}
	}
	if browser == "" {
		t.Log("no browser here: looked at as text only")
		return
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "report.html")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	netlog := filepath.Join(dir, "net.json")
	cmd := exec.CommandContext(t.Context(), browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-component-update", "--disable-background-networking", "--user-data-dir="+filepath.Join(dir, "profile"),
		"--host-resolver-rules=MAP * ~NOTFOUND", "--enable-logging=stderr", "--log-net-log="+netlog, "--dump-dom", "file://"+file)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	dom, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, complaints.String())
	}
	if !bytes.Contains(dom, []byte("</main>")) || !bytes.Contains(dom, []byte(`id="drivers"`)) {
		t.Error("the page is not whole")
	}
	for line := range strings.Lines(complaints.String()) {
		if strings.Contains(line, "CONSOLE") || strings.Contains(line, "Content Security Policy") || strings.Contains(line, "Uncaught") {
			t.Errorf("the browser says: %s", line)
		}
	}
	log, err := os.ReadFile(netlog)
	if err != nil {
		t.Fatal(err)
	}
	for _, url := range requested(string(log)) {
		t.Errorf("the page asked for %s", url)
	}
}

// requested are the addresses in a browser's log of its network, but for those that the
// browser asks for by itself.
func requested(log string) (out []string) {
	for _, scheme := range []string{`"url":"http://`, `"url":"https://`, `"url":"ws`} {
		for rest := log; ; {
			_, after, found := strings.Cut(rest, scheme)
			if !found {
				break
			}
			url, _, _ := strings.Cut(after, `"`)
			rest = after
			if !strings.Contains(url, ".google.com") && !strings.Contains(url, ".googleapis.com") && !strings.Contains(url, ".gvt1.com") {
				out = append(out, scheme[7:]+url)
			}
		}
	}
	return out
}

// A journal that was written up to some line only says so, and everything that is open
// then ends with it.
func TestUnfinished(t *testing.T) {
	s := tell(t, cluster(6, 2))
	s.do("run until=waiting\noperator approve\nrun until=blocked\nrun for=1m")
	r := s.report(false)
	if r.Finished || r.Outcome() != "not finished" || len(r.Blocks) == 0 || r.Blocks[0].To.IsZero() || r.Drivers[0].End == "" {
		t.Errorf("%s: %+v", r.Outcome(), r.Blocks)
	}
	text := markdownOf(t, r)
	for _, want := range []string{"not finished", "the run was running when this journal was last written", "it was still blocked when the journal ended"} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q:\n%s", want, text)
		}
	}
	selfContained(t, pageOf(t, r))

	whole, err := os.ReadFile(s.scribe.Path())
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(whole, []byte("\n"))
	for cut := 1; cut < len(lines); cut += 7 { // cut off anywhere
		part := bytes.Join(lines[:cut], nil)
		r, err := Read(bytes.NewReader(append(part, lines[cut][:len(lines[cut])/2]...)))
		if err != nil {
			t.Fatal(err)
		}
		if r.Unread.Broken != 1 || len(r.Missing) != 1 {
			t.Errorf("cut at %d: %+v, %q", cut, r.Unread, r.Missing)
		}
		selfContained(t, pageOf(t, r))
	}
}

// A run that was begun elsewhere says what it does not know.
func TestElsewhere(t *testing.T) {
	text := `{"v":1,"seq":1,"at":"2026-11-02T09:20:00Z","run":"r-1","kind":"opened","opened":{"drainboard":"1","by":"bea@desk","pid":2,"args":["upgrade","web"],"resumed":true,"elsewhere":true,"cluster":"prod","group":"web","started":"2026-11-02T09:00:00Z","startedBy":"ann@laptop","seen":"2026-11-02T09:10:00Z","state":"running","nodes":[{"machine":"i-1","node":"a1","zone":"a","to":"draining","since":"2026-11-02T09:05:00Z"}]}}`
	r, err := Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Missing) != 1 || !strings.Contains(r.Missing[0], "2026-11-02T09:20:00Z: the run was driven on another machine") || len(r.Alone) != 1 || r.StartedBy != "ann@laptop" {
		t.Errorf("missing %q, alone %v", r.Missing, r.Alone)
	}
	if _, err := Read(strings.NewReader("{}\nno journal\n")); err == nil {
		t.Error("what is no journal has a report")
	}
}

// An answer that was lost, and what a look found out later.
func TestLostAnswers(t *testing.T) {
	line := func(seq int, kind, what string) string {
		return fmt.Sprintf(`{"v":1,"seq":%d,"at":"2026-11-02T09:00:%02dZ","run":"r-1","kind":%q,%q:%s}`, seq, seq, kind, kind, what)
	}
	r, err := Read(strings.NewReader(strings.Join([]string{
		line(1, "opened", `{"group":"web","started":"2026-11-02T09:00:00Z"}`),
		line(2, "action", `{"kind":"cordon","key":"cordon/1","node":"a1"}`), line(3, "outcome", `{"of":2,"key":"cordon/1","verdict":"unknown"}`),
		line(4, "action", `{"kind":"check","key":"check/cordon/1","of":{"kind":"cordon","key":"cordon/1","node":"a1"}}`), line(5, "outcome", `{"of":4,"verdict":"done","happened":true}`),
		line(6, "action", `{"kind":"delete","key":"delete/2","node":"a1","namespace":"n","pod":"p","uid":"2","forced":{"by":"ann@laptop","why":"w","order":"force-1","at":"2026-11-02T09:00:00Z"}}`),
		line(7, "action", `{"kind":"evict","key":"evict/3","namespace":"n","pod":"q","uid":"3"}`), line(8, "outcome", `{"of":7,"verdict":"refused","refusal":"budget","message":"no"}`),
		line(9, "action", `{"kind":"evict","key":"evict/3","namespace":"n","pod":"q","uid":"3"}`), line(10, "outcome", `{"of":9,"verdict":"done"}`),
		line(11, "gap", `{"lines":3,"since":"2026-11-02T09:00:00Z","why":"no space left on device"}`),
	}, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	var came []string
	for _, c := range r.Changes {
		came = append(came, c.What+": "+c.Came())
	}
	want := []string{"cordon a1: " + foundDone, "delete n/p: no answer in this journal", "evict n/q: refused once, then done"}
	if !slices.Equal(came, want) {
		t.Errorf("%q", came)
	}
	if len(r.Forced) != 1 || len(r.Missing) != 1 || !strings.Contains(r.Missing[0], "3 lines") {
		t.Errorf("forced %d, missing %q", len(r.Forced), r.Missing)
	}
}

// Whatever names and messages are, they stay text in both forms.
func TestHostile(t *testing.T) {
	bad := `</title></style><script>alert(1)</script><img src=x onerror=1>"'&|` + "`[a](http://x)` \x1b[2J\u202e"
	clean := world.Clean(bad)
	at := time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)
	r := &Report{
		Path: clean, Run: clean, Roll: clean, Group: clean, Cluster: clean, From: clean, To: clean, StartedBy: clean, Started: at, Ended: at.Add(time.Hour), Why: clean, Strategy: clean,
		Phases: []Span{{clean, at, at.Add(time.Hour)}}, Paused: []Span{{clean, at, at.Add(time.Minute)}},
		Nodes:   []*Node{{Machine: clean, Name: clean, Zone: clean, Reason: clean, Old: clean, Stages: []StageSpan{{record.Stage(clean), at, at.Add(time.Minute)}, {record.Draining, at.Add(time.Minute), at.Add(30 * time.Minute)}}}},
		Blocks:  []*Block{{Pod: clean, Node: clean, Budget: clean, Kind: clean, Detail: clean, From: at, To: at.Add(time.Minute), End: clean}},
		Changes: []*Change{{At: at, What: clean, Twin: clean}}, Warnings: []record.Event{{Time: at, Node: clean, Message: clean}},
		Batches: []record.Batch{{Names: []string{clean}, By: clean, Approved: at}}, Commands: []Command{{At: at, By: clean, What: clean, Reason: clean, Refused: clean}},
		Drivers: []Driver{{By: clean, Version: clean, Args: []string{clean}, End: clean}}, Chosen: []Choice{{clean, clean}}, Foreseen: []string{clean}, Missing: []string{clean}, Culprits: []string{clean}, Left: []string{clean}, Notes: []string{clean},
	}
	page := pageOf(t, r)
	selfContained(t, page)
	shown(t, page, clean, 40)
	for i, part := range strings.Split(markdownOf(t, r), "``") { // every second one is code: what is bad has a backtick in it
		if rest := strings.NewReplacer(`\\`, "", `\<`, "", `\[`, "", "\\`", "").Replace(part); i%2 == 0 && strings.ContainsAny(rest, "<[`") || strings.Contains(part, "\x1b") {
			t.Errorf("not text: %s", part)
		}
	}
}

// shown holds that a text is shown as it is, at least so often, and that none of the
// page's own words come of it.
func shown(t *testing.T, page []byte, text string, atLeast int) {
	t.Helper()
	doc, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	times := 0
	for n := range doc.Descendants() {
		if n.Type == html.TextNode {
			times += strings.Count(n.Data, text)
		}
		for _, a := range n.Attr {
			if strings.Contains(a.Key, "<") || strings.Contains(a.Key, "`") {
				t.Errorf("<%s> has an attribute %q", n.Data, a.Key)
			}
		}
	}
	if times < atLeast {
		t.Errorf("%q is shown %d times, not %d", text, times, atLeast)
	}
}

// FuzzReport: a report can be made of whatever can be read.
func FuzzReport(f *testing.F) {
	opened := `{"v":1,"seq":1,"at":"2026-11-02T09:00:00Z","run":"r-1","kind":"opened","opened":{"group":"web"}}` + "\n"
	for _, seed := range []string{
		`{"v":1,"kind":"closed","closed":{}}`, opened + `{"v":1,"kind":"decision","decision":{"stages":[{"to":"draining"},{"to":"draining"}],"gone":["x"]}}`,
		opened + `{"v":1,"at":"0001-01-01T00:00:00Z","kind":"event","event":{"type":"run.finished"}}` + "\n" + `{"v":1,"kind":"event","event":{"type":"run.resumed"}}`,
		opened + `{"v":1,"kind":"event","event":{"type":"phase.finished","phase":"x","time":"9999-01-01T00:00:00Z"}}`,
		opened + `{"v":1,"seq":2,"kind":"action","action":{"kind":"set-sizes","sizes":{}}}` + "\n" + `{"v":1,"kind":"outcome","outcome":{"of":2}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := Read(bytes.NewReader(text))
		if err != nil {
			return
		}
		selfContained(t, pageOf(t, r))
		markdownOf(t, r)
	})
}

// A report of thousands of nodes stays of a size that a browser opens at once, its
// pictures in parts that open on demand.
func TestManyNodes(t *testing.T) {
	r := many(5000)
	text := pageOf(t, r)
	if len(text) > 12<<20 {
		t.Errorf("%d nodes are %d KiB", 5000, len(text)>>10)
	}
	if n := bytes.Count(text, []byte("<details>")); n < 2*5000/partRows {
		t.Errorf("%d parts", n)
	}
	selfContained(t, text)
}

// many is the report of a run over many nodes, each with ten evictions.
func many(nodes int) *Report {
	at := time.Date(2026, 11, 2, 21, 0, 0, 0, time.UTC)
	r := &Report{Run: "ng-large-1", Group: "ng-large", Cluster: "prod-eu-1", From: "v1.31", To: "v1.32", Strategy: "eks", Limit: nodes / 20, Started: at, Finished: true, Result: record.Succeeded, State: record.Finished, StartedBy: "ann@laptop", Planned: nodes, Replaced: nodes}
	slot := 5 * time.Minute
	for i := range nodes {
		zone := fmt.Sprintf("eu-west-1%c", 'a'+i%3)
		start := at.Add(2*time.Minute + slot*time.Duration(i/max(1, r.Limit)) + time.Duration(i%37)*time.Second)
		drain := start.Add(time.Duration(30+i%90) * time.Second)
		n := &Node{Machine: fmt.Sprintf("i-%d", i), Name: fmt.Sprintf("ip-10-%d-%d-%d.eu-west-1.compute.internal", i%3, i/250, i%250), Zone: zone, Old: "v1.31", Evicted: 10, Stages: []StageSpan{
			{record.Outdated, at, start}, {record.Draining, start, drain}, {record.Settling, drain, drain.Add(time.Minute)},
			{record.Terminating, drain.Add(time.Minute), drain.Add(2 * time.Minute)}, {record.Replaced, drain.Add(2 * time.Minute), drain.Add(2 * time.Minute)},
		}}
		fresh := &Node{Machine: fmt.Sprintf("i-new-%d", i), Name: fmt.Sprintf("ip-10-%d-%d-%d.eu-west-1.compute.internal", 10+i%3, i/250, i%250), Zone: zone, New: true, Stages: []StageSpan{{record.Launching, start.Add(-2 * time.Minute), start}}}
		r.Nodes = append(r.Nodes, fresh, n)
		r.Ended = drain.Add(3 * time.Minute)
		for j := range 10 {
			c := &Change{At: start, What: fmt.Sprintf("evict shop/web-%d-%d", i, j), Twin: "kubectl …", Action: record.Action{Kind: record.Evict}, Answered: start, Outcome: record.Outcome{Verdict: record.Done}}
			n.Changes, r.Changes = append(n.Changes, c), append(r.Changes, c)
		}
		c := &Change{At: drain, What: "terminate " + n.Machine, Twin: "aws autoscaling terminate-instance-in-auto-scaling-group --instance-id " + n.Machine, Action: record.Action{Kind: record.Terminate}, Answered: drain, Outcome: record.Outcome{Verdict: record.Done}}
		n.Changes, r.Changes = append(n.Changes, c), append(r.Changes, c)
		r.Evicted += 10
	}
	for _, n := range r.Nodes {
		if n.New {
			n.Stages = append(n.Stages, StageSpan{record.Ready, n.Stages[0].To, r.Ended})
		}
	}
	r.Phases = []Span{{"setup", at, at.Add(5 * time.Second)}, {"scale up", at.Add(5 * time.Second), at.Add(2 * time.Minute)}, {"upgrade", at.Add(2 * time.Minute), r.Ended}}
	return r
}

// The first and the last forecast stand beside the result.
func TestReportOfForecasts(t *testing.T) {
	at := time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)
	event := func(after time.Duration, message string) record.Event {
		return record.Event{Time: at.Add(after), Run: "run-1", Group: "ng-web", Type: record.ForecastChanged, Message: message}
	}
	b := builder{r: &Report{}, names: map[string]*Node{}, blocks: map[string]*Block{}}
	for _, e := range []record.Event{event(0, "about 14 min left (11-19)"), event(time.Minute, "will fail in 4:23: PDB shop/checkout never opens"), event(2*time.Minute, "about 9 min left")} {
		b.hear(e)
	}
	want := "foreseen first=09:00:00: about 14 min left (11-19) foreseen last=09:02:00: about 9 min left"
	var got []string
	for _, f := range b.r.foreseen(Style{}) {
		got = append(got, f.Name+"="+f.Value)
	}
	if strings.Join(got, " ") != want {
		t.Errorf("%s", got)
	}
}
