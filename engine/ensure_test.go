package engine

import (
	"testing"
	"time"
)

// A refusal that does not pass by itself is counted, and its words are kept, whatever
// else happens between two of them.
func TestDeniedWhileTheAPIIsInTrouble(t *testing.T) {
	s := &Step{Reader: Reader{Now: time.Unix(100, 0), Run: Run{Retries: map[string]Retry{}}}}
	const key, words = "taint/a1", "you are not authorized"
	for i, o := range []Outcome{
		{Refusal: RefusedBusy, Message: "too many requests"},
		{Refusal: RefusedForbidden, Message: words},
		{Refusal: RefusedBusy, Message: "too many requests"},
		{Refusal: RefusedForbidden, Message: words},
		{Refusal: RefusedBusy, Message: "EOF"},
		{Refusal: RefusedForbidden, Message: words},
		{Refusal: RefusedBusy, Message: "EOF"},
	} {
		o.Key = key
		s.pauseRetry(o)
		r := s.Run.Retries[key]
		if want := i >= 5; r.hopeless() != want {
			t.Errorf("after %d refusals: hopeless is %v, want %v", i+1, r.hopeless(), want)
		}
		if i > 0 && (r.Message != words || r.Refusal != RefusedForbidden) {
			t.Errorf("after %d refusals it says %s: %s", i+1, r.Refusal, r.Message)
		}
	}
}
