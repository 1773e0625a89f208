package vms

// faults are what goes wrong with the VMs of a pool.
type faults struct {
	strays   int // launches left that do not join
	refusals int // creations left that are refused
	refusal  Error
	hang     chan struct{} // nil: deletions go through; closed when they do again
}

// of are the faults of a pool. The caller holds the lock.
func (s *Service) of(pool string) *faults {
	if s.faults[pool] == nil {
		s.faults[pool] = &faults{}
	}
	return s.faults[pool]
}

// refuse says why the next VM is not made, nil if it is.
func (f *faults) refuse() error {
	if f.refusals == 0 {
		return nil
	}
	f.refusals--
	refusal := f.refusal
	return &refusal
}

// stray reports whether the next VM does not join.
func (f *faults) stray() bool {
	if f.strays == 0 {
		return false
	}
	f.strays--
	return true
}

// NeverJoin makes the next n VMs of a pool run without a node ever coming of them;
// 0 ends that for those made from then on.
func (s *Service) NeverJoin(pool string, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.of(pool).strays = n
}

// RefuseCreate refuses the next n VMs of a pool with an error; 0 ends that.
func (s *Service) RefuseCreate(pool string, n int, refusal Error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.of(pool)
	f.refusals, f.refusal = n, refusal
}

// HangDelete lets no call that deletes a VM of a pool come to an end, until it is told
// false; then they all continue.
func (s *Service) HangDelete(pool string, hang bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.of(pool)
	switch {
	case hang && f.hang == nil:
		f.hang = make(chan struct{})
	case !hang && f.hang != nil:
		close(f.hang)
		f.hang = nil
	}
}

// Kill ends the VM of a node as if its hardware failed, and reports whether there is one.
func (s *Service) Kill(node string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.end(func(vm VM) bool { return vm.Node == node })
}
