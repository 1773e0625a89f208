package taglock

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg/transport"
)

// RunTagKey is the tag of a group that says who drives a run in it without Kubernetes, and
// where the record of such a run is that has not ended. It is not passed on to machines.
const Key = "drainboard.dev/run"

// Tag is what the tag says. The zero value is that of a group without it.
type Tag struct {
	// Holder is who holds the lock, as people name him, since when and until when unless
	// it is renewed: by the cloud's clock, cut to seconds. Until is zero if nobody does.
	Holder       string
	Since, Until time.Time
	// Run is the unfinished run of the group, or the end of its id if that is long, and At
	// where its record is: user@host. "" for none.
	Run, At string

	id string // of the lock that wrote it
}

var errStrangeTag = errors.New("a tag that is not ours")

// Longest parts of the tag's value, which may have 256 characters together with the two
// times, the id and the words before them.
const (
	longestRun    = 70
	longestAt     = 44
	longestHolder = 56
)

// Held reports whether a process holds the lock at a moment of the cloud's time.
func (t Tag) Held(now time.Time) bool { return now.Before(t.Until) }

// Of reports whether the tag speaks of a run.
func (t Tag) Of(run string) bool { return t.Run != "" && t.Run == runText(run) }

// Read reads the tag among those of a group; the zero value if it has none. The error
// says that it was not written by Drainboard, and what to do.
func Read(group string, tags map[string]string) (Tag, error) {
	return parse(group, tags[Key])
}

// String is the tag's value. Only characters that AWS takes in tags are in it (user guide,
// "Tag Auto Scaling groups and instances": letters, digits, spaces and + - = . _ : / @).
func (t Tag) String() string {
	var parts []string
	add := func(key, value string) {
		if value != "" {
			parts = append(parts, key+"="+value)
		}
	}
	if !t.Until.IsZero() {
		add("until", t.Until.UTC().Format(time.RFC3339))
		add("since", t.Since.UTC().Format(time.RFC3339))
	}
	add("id", t.id)
	add("run", runText(t.Run))
	add("at", strings.ReplaceAll(text(t.At, longestAt), " ", "_"))
	add("by", text(t.Holder, longestHolder)) // last: it may hold spaces
	return strings.Join(parts, " ")
}

func parse(group, value string) (t Tag, err error) {
	strange := &transport.Problem{Kind: errStrangeTag, Words: fmt.Sprintf("the tag %s of group %s is %q, which Drainboard has not written: the group cannot be locked until it is removed: aws autoscaling delete-tags --tags ResourceId=%s,ResourceType=auto-scaling-group,Key=%s",
		Key, transport.Clean(group), transport.Short(value), transport.Clean(group), Key)}
	value = transport.Clean(value)
	for rest := value; rest != ""; {
		part, after, _ := strings.Cut(rest, " ")
		key, text, ok := strings.Cut(part, "=")
		if !ok {
			return Tag{}, strange
		}
		switch rest = after; key {
		case "until":
			t.Until, err = time.Parse(time.RFC3339, text)
		case "since":
			t.Since, err = time.Parse(time.RFC3339, text)
		case "id":
			t.id = text
		case "run":
			t.Run = text
		case "at":
			t.At = text
		case "by":
			t.Holder, rest = strings.TrimSpace(text+" "+after), ""
		}
		if err != nil {
			return Tag{}, strange
		}
	}
	if value != "" && t.id == "" {
		return Tag{}, strange
	}
	return t, nil
}

// runText is a run's id as it is in a tag: the end of a long one, which tells it from others.
func runText(run string) string {
	run = strings.ReplaceAll(text(run, len(run)), " ", "_")
	for len(run) > longestRun {
		_, size := utf8.DecodeRuneInString(run)
		run = run[size:]
	}
	return run
}

// text is a text in letters that AWS takes in tags, cut to a length.
func text(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(" +-=._:/@", r) {
			return r
		}
		return '_'
	}, world.Clean(s))
	for len(s) > most {
		_, size := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-size]
	}
	return strings.TrimSpace(s)
}
