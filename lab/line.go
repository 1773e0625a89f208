package lab

import (
	"crypto/tls"
	"fmt"
	"strings"

	"github.com/drainboard/drainboard/lab/apigate"
	"github.com/drainboard/drainboard/lab/gate"
	"github.com/drainboard/drainboard/lab/line"
)

// Line is a user's way to the API server: of "admin", or of a name that
// KubeconfigFor was given. It panics for an unknown one.
func (l *Lab) Line(user string) *line.Line {
	l.faultMu.Lock()
	defer l.faultMu.Unlock()
	line, ok := l.lines[user]
	if !ok {
		panic(fmt.Sprintf("lab: no user %q", user))
	}
	return line
}

// lay makes a user's line and returns the address for its kubeconfig.
func (l *Lab) lay(user string) (url string, err error) {
	laid, err := line.New(strings.TrimPrefix(l.server, "https://"))
	if err != nil {
		return "", err
	}
	l.faultMu.Lock()
	defer l.faultMu.Unlock()
	if l.lines == nil {
		l.lines = map[string]*line.Line{}
	}
	l.lines[user] = laid
	return laid.URL(), nil
}

// Gate is the gate before the API server that a user's line leads to from now on, so
// that single requests of this user can go wrong. Connections that the user has break
// the first time. It panics for an unknown user, as Line does.
func (l *Lab) Gate(user string) (*gate.Gate, error) {
	line := l.Line(user)
	l.faultMu.Lock()
	defer l.faultMu.Unlock()
	if g, ok := l.gates[user]; ok {
		return g.Gate, nil
	}
	cert, err := tls.LoadX509KeyPair(l.path("tls.crt"), l.path("tls.key"))
	if err != nil {
		return nil, fmt.Errorf("open a gate for %s: %w", user, err)
	}
	g, err := apigate.Open(l.server, l.ca, cert)
	if err != nil {
		return nil, fmt.Errorf("open a gate for %s: %w", user, err)
	}
	if l.gates == nil {
		l.gates = map[string]*apigate.Gate{}
	}
	l.gates[user] = g
	line.Lead(g.Address)
	return g.Gate, nil
}
