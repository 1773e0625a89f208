package exitcode

import (
	"errors"
	"fmt"
	"testing"

	"github.com/drainboard/drainboard/engine/live"
)

func TestOf(t *testing.T) {
	away := fmt.Errorf("read the nodes: %w", &live.Trouble{Words: "it does not answer", Kind: live.ErrUnreachable})
	denied := fmt.Errorf("read the nodes: %w", &live.Trouble{Words: "not for you", Kind: live.ErrDenied})
	refused := &live.Trouble{Words: "answered with an error: no such kind (404)", Kind: live.ErrRefused}
	wrong := errors.New("there is no such flag")
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, 0}, {Usage(nil), 0},
		{wrong, Failed}, {Usage(wrong), WrongUse}, {Usage(errors.New("it is 401")), WrongUse},
		{away, Unreachable}, {Usage(away), Unreachable}, {fmt.Errorf("group web: %w", Usage(away)), Unreachable},
		{denied, Denied}, {Usage(denied), Denied},
		{refused, Failed}, {Usage(refused), Failed},
		{With(Held, away), Held}, {Usage(With(Failed, wrong)), Failed}, {fmt.Errorf("at last: %w", With(Paused, denied)), Paused},
	} {
		if got := Of(c.err); got != c.want {
			t.Errorf("%v: %d, want %d", c.err, got, c.want)
		}
	}
}
