package vms

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// Machines is what makes VMs real. Its methods do not wait.
type Machines interface {
	// Launch starts a VM. One that does not join runs, but no node comes of it.
	Launch(vm VM, joins bool)
	// Terminate ends a VM.
	Terminate(vm VM)
}

// A Service keeps VMs and answers for them, until Close.
type Service struct {
	machines Machines
	token    string
	server   *http.Server
	url      string
	closed   chan struct{}

	mu     sync.Mutex
	made   int // VMs so far
	vms    []VM
	faults map[string]*faults // by pool
}

// Serve starts a service on a free port of the loopback interface. Addresses of VMs
// begin with network, such as 10.250.
func Serve(machines Machines, network string) (*Service, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &Service{
		machines: machines, url: "http://" + listener.Addr().String(), closed: make(chan struct{}),
		token: randomHex(16), faults: map[string]*faults{},
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /vms", func(w http.ResponseWriter, r *http.Request) {
		var asked createRequest
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			answer(w, nil, &Error{"InvalidArgument", err.Error()})
			return
		}
		vm, err := s.create(asked, network)
		answer(w, vm, err)
	})
	mux.HandleFunc("GET /vms", func(w http.ResponseWriter, _ *http.Request) { answer(w, s.VMs(), nil) })
	mux.HandleFunc("DELETE /vms", func(w http.ResponseWriter, r *http.Request) {
		answer(w, struct{}{}, s.delete(r.Context().Done(), r.URL.Query().Get("id"), r.URL.Query().Get("name")))
	})
	s.server = &http.Server{Handler: s.authorized(mux)}
	go func() { _ = s.server.Serve(listener) }()
	return s, nil
}

// Way is what clients need to ask the service.
func (s *Service) Way() Client { return Client{s.url, s.token} }

// Close ends the service and every call that waits in it. VMs are left alone.
func (s *Service) Close() {
	close(s.closed)
	_ = s.server.Close()
}

// VMs are those that run, in the order of their creation.
func (s *Service) VMs() []VM {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.vms)
}

func (s *Service) create(asked createRequest, network string) (*VM, error) {
	vm := VM{Name: asked.Name, Class: asked.Class}
	if err := json.Unmarshal(asked.Spec, &vm.Spec); err != nil {
		return nil, &Error{"InvalidArgument", err.Error()}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if refusal := s.of(vm.Spec.Pool).refuse(); refusal != nil {
		return nil, refusal
	}
	s.made++
	vm.IP = fmt.Sprintf("%s.%d.%d", network, s.made>>8&0xff, s.made&0xff)
	region := strings.TrimRight(vm.Spec.Zone, "abcdef")
	vm.Node = fmt.Sprintf("ip-%s.%s.compute.internal", strings.ReplaceAll(vm.IP, ".", "-"), region)
	vm.ID = fmt.Sprintf("aws:///%s/i-%s", vm.Spec.Zone, randomHex(8))
	s.vms = append(s.vms, vm)
	s.machines.Launch(vm, !s.of(vm.Spec.Pool).stray())
	return &vm, nil
}

// delete ends the VM of an id, or without one those of a name. None is no mistake.
func (s *Service) delete(gone <-chan struct{}, id, name string) error {
	meant := func(vm VM) bool { return id != "" && vm.ID == id || id == "" && vm.Name == name }
	for {
		s.mu.Lock()
		var hanging <-chan struct{}
		for _, vm := range s.vms {
			if hang := s.of(vm.Spec.Pool).hang; meant(vm) && hang != nil {
				hanging = hang
			}
		}
		if hanging == nil {
			break
		}
		s.mu.Unlock()
		select {
		case <-hanging:
		case <-gone:
			return &Error{"DeadlineExceeded", "the caller has gone"}
		case <-s.closed:
			return &Error{"Unavailable", "the service ends"}
		}
	}
	defer s.mu.Unlock()
	s.end(meant)
	return nil
}

// end ends VMs and reports whether there were any. The caller holds the lock.
func (s *Service) end(meant func(VM) bool) bool {
	before := len(s.vms)
	s.vms = slices.DeleteFunc(s.vms, func(vm VM) bool {
		if meant(vm) {
			s.machines.Terminate(vm)
		}
		return meant(vm)
	})
	return len(s.vms) < before
}

// authorized lets only those in who know the token.
func (s *Service) authorized(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		if subtle.ConstantTimeCompare([]byte(given), []byte(s.token)) != 1 {
			answer(w, nil, &Error{"Unauthenticated", "not the token of this service"})
			return
		}
		next.ServeHTTP(w, r)
	})
}

// answer writes what was asked for, or why not.
func answer(w http.ResponseWriter, what any, err error) {
	w.Header().Set("Content-Type", "application/json")
	if err != nil {
		refusal := &Error{Code: "Internal", Message: err.Error()}
		errors.As(err, &refusal)
		w.WriteHeader(http.StatusConflict)
		what = refusal
	}
	_ = json.NewEncoder(w).Encode(what)
}

func randomHex(bytes int) string {
	b := make([]byte, bytes)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}
