package engine_test

import (
	"testing"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim/script"
)

// detachRecord checks that a decision which changes whether a node is detached reports a
// change: the record is then written, and a process that watches by it estimates the same time left.
type detachRecord struct {
	t        *testing.T
	returned int // nodes that were detached and are not any more
}

func (r *detachRecord) Decided(before record.Run, d engine.Decision) {
	for id, was := range before.Nodes.All() {
		if is := d.Run.Nodes.Get(id); was.Detached && !is.Detached {
			r.returned++
			if !d.Changed {
				r.t.Errorf("the record is not written although %s is not detached any more", id)
			}
		}
	}
}

func (*detachRecord) Heard([]record.Command) {}

func (*detachRecord) Events([]record.Event) {}

func (*detachRecord) Asked(record.Action) {}

func (*detachRecord) Answered(record.Action, record.Outcome) {}

func (*detachRecord) Resumed(record.Run) {}

// The run asks to detach a2, its process dies, and another user ends the machine before the
// request arrives. The next process takes the machine for a detached one until the group's
// list shows it as its own, on its way out.
func TestRecordOfDetached(t *testing.T) {
	s := script.New()
	seen := &detachRecord{t: t}
	say := func(lines string) {
		if out, err := s.Do(lines); err != nil {
			t.Fatal(out, err)
		}
	}
	say("cluster provider=kops zones=a nodes=3\ntiming terminate=60s\npeer masters role=control-plane nodes=1\nsettings strategy=kops max-surge=2\nstart")
	s.Driver.Witness = seen
	say("crash before-act kind=detach for=20s\nrun for=5s\nuser kills a2\nrun for=2m")
	if seen.returned == 0 {
		t.Error("no node was detached and then not any more")
	}
}
