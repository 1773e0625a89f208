// Package line is a user's network to the API server, which can be cut, refused, held and slowed
// down. It relays bytes; what goes wrong with single requests is package apigate's.
package line

import (
	"errors"
	"net"
	"sync"
	"time"
)

// A Line is one user's way to the API server: a relay of TCP connections on the
// loopback interface, which every kubeconfig that the lab hands out leads
// through. It knows nothing of what passes, so what it does to a client is what a
// network does: a cut ends watches and takes answers away, of this user only.
type Line struct {
	listener net.Listener
	done     sync.WaitGroup

	mu      sync.Mutex
	to      string            // address of the API server, or of a gate before it
	open    map[net.Conn]bool // both ends of every connection
	refused bool
	delay   time.Duration
	held    chan struct{} // closed when nothing holds the data (any more)
	closed  bool
}

// New listens on a free port and relays to an address.
func New(to string) (*Line, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	l := &Line{to: to, listener: listener, open: map[net.Conn]bool{}, held: make(chan struct{})}
	close(l.held)
	l.done.Go(l.accept)
	return l, nil
}

// URL is where clients connect to.
func (l *Line) URL() string { return "https://" + l.listener.Addr().String() }

// Cut breaks all connections, watches with them. New ones are let through.
func (l *Line) Cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for conn := range l.open {
		reset(conn)
	}
}

// Refuse breaks all connections and every new one at once, until it is told
// false.
func (l *Line) Refuse(refuse bool) {
	l.mu.Lock()
	l.refused = refuse
	l.mu.Unlock()
	if refuse {
		l.Cut()
	}
}

// Hold lets nothing pass until it is told false, while connections stay open and
// new ones are accepted: a network that swallows packets.
func (l *Line) Hold(hold bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.held:
		if hold && !l.closed {
			l.held = make(chan struct{})
		}
	default:
		if !hold {
			close(l.held)
		}
	}
}

// Delay makes everything take that much longer on its way, in each direction.
func (l *Line) Delay(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.delay = d
}

// Close ends the line and waits until nothing of it runs.
func (l *Line) Close() {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.Hold(false)
	_ = l.listener.Close()
	l.Cut()
	l.done.Wait()
}

func (l *Line) accept() {
	for {
		client, err := l.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err == nil {
			l.done.Go(func() { l.connect(client) })
		}
	}
}

// connect relays one connection until it ends.
func (l *Line) connect(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", l.end())
	if err != nil {
		reset(client) // the API server is away
		return
	}
	defer server.Close()
	if !l.enter(client, server) {
		reset(client)
		return
	}
	defer l.leave(client, server)
	var both sync.WaitGroup
	both.Go(func() { l.relay(server, client) })
	both.Go(func() { l.relay(client, server) })
	both.Wait()
}

// end is where the line leads.
func (l *Line) end() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.to
}

// Lead has new connections go to another address, and breaks those that are open.
func (l *Line) Lead(to string) {
	l.mu.Lock()
	l.to = to
	l.mu.Unlock()
	l.Cut()
}

func (l *Line) enter(conns ...net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.refused || l.closed {
		return false
	}
	for _, conn := range conns {
		l.open[conn] = true
	}
	return true
}

func (l *Line) leave(conns ...net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, conn := range conns {
		delete(l.open, conn)
	}
}

// A parcel is what was read at once, and when it may arrive.
type parcel struct {
	data []byte
	due  time.Time
}

// relay passes on what comes from one end to the other, until either ends.
func (l *Line) relay(to, from net.Conn) {
	// The other direction has no more to wait for than what is under way.
	defer from.Close()
	defer to.Close()
	way := make(chan parcel, 64)
	go func() {
		defer close(way)
		for {
			data := make([]byte, 32<<10)
			n, err := from.Read(data)
			if n > 0 {
				way <- parcel{data[:n], time.Now().Add(l.latency())}
			}
			if err != nil {
				return
			}
		}
	}()
	failed := false
	for p := range way { // to its end, so that the reader never waits for nobody
		if failed {
			continue
		}
		time.Sleep(time.Until(p.due))
		<-l.holding()
		if _, err := to.Write(p.data); err != nil {
			failed = true
			_ = from.Close()
		}
	}
}

func (l *Line) latency() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.delay
}

func (l *Line) holding() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.held
}

// reset ends a connection as a cut line does: without a farewell.
func reset(conn net.Conn) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}
