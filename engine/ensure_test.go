package engine

import (
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
)

// A refusal that does not pass by itself is counted, and its words are kept, whatever
// else happens between two of them.
func TestDeniedWhileTheAPIIsInTrouble(t *testing.T) {
	s := &Step{Reader: assess.Reader{Now: time.Unix(100, 0), Run: record.Run{Retries: map[string]record.Retry{}}}}
	const key, words = "taint/a1", "you are not authorized"
	for i, o := range []record.Outcome{
		{Refusal: record.RefusedBusy, Message: "too many requests"},
		{Refusal: record.RefusedForbidden, Message: words},
		{Refusal: record.RefusedBusy, Message: "too many requests"},
		{Refusal: record.RefusedForbidden, Message: words},
		{Refusal: record.RefusedBusy, Message: "EOF"},
		{Refusal: record.RefusedForbidden, Message: words},
		{Refusal: record.RefusedBusy, Message: "EOF"},
	} {
		o.Key = key
		pauseRetry(s, o)
		r := s.Run.Retries[key]
		if want := i >= 5; r.Hopeless() != want {
			t.Errorf("after %d refusals: hopeless is %v, want %v", i+1, r.Hopeless(), want)
		}
		if i > 0 && (r.Message != words || r.Refusal != record.RefusedForbidden) {
			t.Errorf("after %d refusals it says %s: %s", i+1, r.Refusal, r.Message)
		}
	}
}
