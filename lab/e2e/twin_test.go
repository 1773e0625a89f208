package e2e

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/api"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim/script"
)

// plays is how often the simulator plays a scenario, each time with other random
// choices and at another speed; it takes some milliseconds.
const plays = 100

// twinSample is how many scenarios a sample has.
const twinSample = 5

// TestTwin holds the simulator, with which the engine is tested, against a real
// control plane. A scenario is a file of testdata/twin in the simulator's script
// language. The simulator plays it many times, the lab once; what they tell is
// taken apart into facts (twin_facts_test.go): each node's and each pod's way,
// what came before what, what was said and why, and how it ended.
//
// What may differ between the two is what differs between two plays of the
// simulator itself, and no more: of every fact there must be as many in the lab
// as in some play, or between the fewest and the most. What is the same in every
// play must be the same in the lab; what never happens in the simulator must not
// happen there. Of the scenarios a sample may be played (sampleFlag).
func TestTwin(t *testing.T) {
	names := sample(twins(t), twinSample)
	fmt.Println("twin: scenarios of this sample:", strings.Join(names, ", "))
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			lines := linesOf(t, name)
			real, s := playInLab(t, name, lines)
			r := bounds(simulate(t, lines, plays))
			differences := r.against(real.facts())
			// The simulator tells of the end a minute later: a pod may be without a node before.
			for limit := time.Now().Add(time.Minute); onItsWay(differences) && time.Now().Before(limit); time.Sleep(time.Second) {
				real.end = endOf(s.world())
				differences = r.against(real.facts())
			}
			for _, d := range differences {
				t.Error(d)
			}
			figures := fmt.Sprintf("%-18s %3d events compared with those of %d plays: %d facts, %d of them the same in all plays",
				name, real.told(), plays, len(r), r.fixed())
			t.Log(figures)
			fmt.Println("twin:", figures)
		})
	}
}

// onItsWay reports whether pods differ at the end, which time alone may change.
func onItsWay(differences []string) bool {
	return slices.ContainsFunc(differences, func(d string) bool { return strings.HasPrefix(d, "end: a pod of ") })
}

// A comparison that lets everything pass is none: of any two scenarios, no play
// of one passes for the other.
func TestTwinsAreToldApart(t *testing.T) {
	t.Parallel()
	stories := map[string][]facts{}
	for _, name := range twins(t) {
		stories[name] = simulate(t, linesOf(t, name), plays/12)
	}
	for name, told := range stories {
		r := bounds(told)
		for other, wrong := range stories {
			for _, f := range wrong {
				if differences := r.against(f); (len(differences) == 0) != (name == other) {
					t.Errorf("a play of %s differs from %s in %d facts", other, name, len(differences))
				}
			}
		}
	}
}

// twins are the names of the scenarios.
func twins(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/twin/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no scenarios: ", err)
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(filepath.Base(f), ".txt")
	}
	return files
}

// simulate plays a scenario on the simulator, and tells the facts of each play.
func simulate(t *testing.T, lines []line, plays int) []facts {
	t.Helper()
	told := make([]facts, plays)
	for i := range told {
		s, err := playInSim(lines, uint64(i+1))
		if err != nil {
			t.Fatalf("play %d: %v", i+1, err)
		}
		told[i] = s.facts()
	}
	return told
}

// What the lab is not set to but has: the time of a request or of a watch's news,
// and the least time between two reads of the group (providers/asg).
const (
	latency = 20 * time.Millisecond
	pokeGap = 300 * time.Millisecond
)

// playInSim plays a scenario once. The simulator is as fast as the lab is set to
// be, up to 32 times as slow (a machine that is busy) and down to half.
func playInSim(lines []line, seed uint64) (story, error) {
	random := rand.New(rand.NewPCG(seed, 0))
	about := func(d time.Duration) string {
		return time.Duration(float64(d) * math.Exp2(random.Float64()*6-1)).Round(time.Millisecond).String()
	}
	c := script.New()
	do := func(text string) error {
		if _, err := c.Do(text); err != nil {
			return fmt.Errorf("%s: %w", text, err)
		}
		return nil
	}
	speed := fmt.Sprintf("seed %d\ntiming boot=0s jitter=0.9", seed)
	for _, k := range []struct {
		key string
		is  time.Duration
	}{
		{"launch", times.Boot}, {"ready", times.Ready}, {"terminate", times.Terminate}, {"controllers", latency},
		{"cluster-lag", latency}, {"cluster-latency", latency}, {"cloud-latency", latency}, {"cloud-lag", cloudLag}, {"cloud-every", pokeGap},
	} {
		speed += " " + k.key + "=" + about(k.is)
	}
	if err := do(speed); err != nil {
		return story{}, err
	}
	for _, l := range lines {
		text := l.text
		switch l.name {
		case "start":
			text = crowd(random) + text
		case "workload":
			for _, k := range []struct {
				key  string
				time time.Duration
			}{{"ready", times.PodReady}, {"stop", times.PodStop}} {
				if l.pair[k.key] == "" {
					text += " " + k.key + "=" + about(k.time)
				}
			}
		}
		if err := do(text); err != nil {
			return story{}, err
		}
	}
	if c.Driver == nil || c.Driver.Run.State != record.Finished {
		return story{}, fmt.Errorf("the run has not finished: the last line is `run`")
	}
	c.Sim.Advance(c.Sim.Now().Add(time.Minute)) // what is still on its way
	events := slices.Clone(c.Driver.Events)
	for i := range events {
		events[i].Reason = api.Reason(events[i].Reason)
	}
	return story{events: events, run: c.Driver.Run, end: endOf(c.Sim.Truth), words: wordsOf(lines, "app", "ng", "lt")}, nil
}

// crowd are pods of others, which come and go and have no node of the group: the
// lab is shared, so the watch brings news of what is none of the run's business.
func crowd(random *rand.Rand) string {
	const settle = time.Minute // between the start and the run
	lines := "workload crowd replicas=1 node=elsewhere\n"
	for range 100 {
		at := settle + time.Duration(random.Float64()*random.Float64()*float64(20*time.Second)) // more in the beginning
		lines += fmt.Sprintf("after %s: user scale crowd=%d\n", at, random.IntN(3))
	}
	return lines
}

// linesOf reads a scenario.
func linesOf(t *testing.T, name string) []line {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "twin", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	var lines []line
	for l := range strings.Lines(string(text)) {
		if l, _, _ = strings.Cut(l, "#"); strings.TrimSpace(l) != "" {
			lines = append(lines, parseLine(strings.TrimSpace(l)))
		}
	}
	return lines
}

// line is a command of a scenario: name word key=value.
type line struct {
	text  string
	name  string
	words []string
	pair  map[string]string
}

// has reports whether the line has no other keys than these.
func (l line) has(keys ...string) bool {
	for key := range l.pair {
		if !slices.Contains(keys, key) {
			return false
		}
	}
	return true
}

func parseLine(text string) line {
	l := line{text: text, pair: map[string]string{}}
	for i, field := range strings.Fields(text) {
		key, value, isPair := strings.Cut(field, "=")
		switch {
		case i == 0:
			l.name = field
		case isPair:
			l.pair[key] = value
		default:
			l.words = append(l.words, field)
		}
	}
	return l
}
