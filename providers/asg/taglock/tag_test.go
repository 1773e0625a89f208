package taglock

import (
	"regexp"
	"strings"
	"testing"
	"time"
)

// What the tag says is read again as it was, in what AWS takes: 256 characters at most, of
// a few kinds.
func TestRunTag(t *testing.T) {
	taken := regexp.MustCompile(`^[\p{L}\p{N} +\-=._:/@]*$`)
	at := time.Date(2026, 11, 21, 21, 7, 12, 0, time.UTC)
	long := strings.Repeat("x", 300)
	for _, tag := range []Tag{
		{},
		{Holder: "ann@laptop pid 4711", Since: at, Until: at.Add(time.Minute), id: "ABCDEFGH"},
		{Holder: "ann@laptop pid 4711", Since: at, Until: at.Add(time.Minute), Run: "nodes-a.k8s.example.com-20261121-210712-ab12", At: "ann@laptop", id: "ABCDEFGH"},
		{Run: "r-1", At: "ann@laptop", id: "ABCDEFGH"},
	} {
		text := tag.String()
		got, err := Read("web", map[string]string{Key: text, "Name": "web"})
		if err != nil || got.Holder != tag.Holder || !got.Since.Equal(tag.Since) || !got.Until.Equal(tag.Until) || got.Run != tag.Run || got.At != tag.At || got.id != tag.id {
			t.Errorf("%q became %+v, %v", text, got, err)
		}
		if !taken.MatchString(text) {
			t.Errorf("AWS does not take %q", text)
		}
	}
	all := Tag{Holder: "räuber\\ann\x1b[31m#@" + long, Since: at, Until: at, Run: long + "-20261121-210712-ab12", At: "ann doe" + long, id: "ABCDEFGH"}
	text := all.String()
	if len(text) > 256 || !taken.MatchString(text) {
		t.Errorf("AWS does not take these %d characters: %q", len(text), text)
	}
	got, err := parse("web", text)
	if err != nil || !got.Of(all.Run) || got.Of(long+"-20261121-210712-ab13") || !strings.HasPrefix(got.Holder, "räuber_ann") {
		t.Errorf("%q became %+v, %v", text, got, err)
	}
	if (Tag{}).Of("") {
		t.Error("no run is a run")
	}
	for _, strange := range []string{"x", "hello world", "until=soon id=A", "since=x id=A", "run=r-1", "by=ann"} {
		if got, err := parse("web", strange); err == nil || !strings.Contains(err.Error(), "aws autoscaling delete-tags --tags ResourceId=web") {
			t.Errorf("%q became %+v, %v", strange, got, err)
		}
	}
}
