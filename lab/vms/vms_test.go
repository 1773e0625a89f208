package vms

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"
)

// recorder notes what becomes of VMs.
type recorder struct {
	mu   sync.Mutex
	done []string
}

func (r *recorder) note(what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done = append(r.done, what)
}

func (r *recorder) Launch(vm VM, joins bool) {
	if joins {
		r.note("launch " + vm.Name)
	} else {
		r.note("stray " + vm.Name)
	}
}

func (r *recorder) Terminate(vm VM) { r.note("terminate " + vm.Name) }

func serve(t *testing.T) (*Service, Client, *recorder) {
	t.Helper()
	r := &recorder{}
	s, err := Serve(r, "10.250")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s, s.Way(), r
}

var spec = []byte(`{"pool":"workers","zone":"eu-west-1b","type":"m5.large","kubelet":"v1.32.4"}`)

func TestLife(t *testing.T) {
	s, c, r := serve(t)
	ctx := t.Context()
	s.NeverJoin("workers", 1)
	a, err := c.Create(ctx, "a", "small", spec)
	if err != nil {
		t.Fatal(err)
	}
	b, err := c.Create(ctx, "b", "small", spec)
	if err != nil {
		t.Fatal(err)
	}
	if a.Node != "ip-10-250-0-1.eu-west-1.compute.internal" || a.IP != "10.250.0.1" || b.Node == a.Node || b.ID == a.ID {
		t.Errorf("made %+v and %+v", a, b)
	}
	list, err := c.List(ctx)
	if err != nil || len(list) != 2 || list[1].Name != "b" || list[1].Spec.Pool != "workers" || list[1].Class != "small" {
		t.Errorf("list: %+v, %v", list, err)
	}
	if err := c.Delete(ctx, a.ID, "a"); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time there is none
		if err := c.Delete(ctx, "", "b"); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"stray a", "launch b", "terminate a", "terminate b"}
	for i, what := range want {
		if len(r.done) != len(want) || r.done[i] != what {
			t.Fatalf("done: %q, want %q", r.done, want)
		}
	}
}

func TestRefusal(t *testing.T) {
	s, c, _ := serve(t)
	s.RefuseCreate("workers", 1, Error{"ResourceExhausted", "no m5.large in eu-west-1b"})
	var refusal *Error
	if _, err := c.Create(t.Context(), "a", "small", spec); !errors.As(err, &refusal) || refusal.Code != "ResourceExhausted" {
		t.Errorf("the first: %v", err)
	}
	if _, err := c.Create(t.Context(), "a", "small", spec); err != nil {
		t.Errorf("the second: %v", err)
	}
	c.Token = "guessed"
	if _, err := c.List(t.Context()); !errors.As(err, &refusal) || refusal.Code != "Unauthenticated" {
		t.Errorf("with a wrong token: %v", err)
	}
}

func TestHangingDelete(t *testing.T) {
	s, c, _ := serve(t)
	vm, err := c.Create(t.Context(), "a", "small", spec)
	if err != nil {
		t.Fatal(err)
	}
	s.HangDelete("workers", true)
	short, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := c.Delete(short, vm.ID, ""); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("while it hangs: %v", err)
	}
	if n := len(s.VMs()); n != 1 {
		t.Errorf("%d VMs are left, want the one whose end hangs", n)
	}
	done := make(chan error)
	go func() { done <- c.Delete(t.Context(), vm.ID, "") }()
	s.HangDelete("workers", false)
	if err := <-done; err != nil || len(s.VMs()) != 0 {
		t.Errorf("when it no longer hangs: %v, %d VMs", err, len(s.VMs()))
	}
}
