package kube

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/kube/objects"
)

// pluginOutput keeps the last line that credentials plugins wrote to stderr. One
// serves the whole process: client-go keeps a plugin, with the stderr that it was
// first given, for all clients of one configuration.
type pluginOutput struct {
	mu    sync.Mutex
	last  string
	write *os.File
}

var plugins = sync.OnceValues(func() (*pluginOutput, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe for the credentials plugin: %w", err)
	}
	p := &pluginOutput{write: write}
	go live.Guarded(func() { p.drain(read) }, func(err error) { p.keep(err.Error()) })()
	return p, nil
})

// swapStderr guards os.Stderr while a client is being made.
var swapStderr sync.Mutex

// httpClient makes the HTTP client of a configuration. A credentials plugin is
// bound to the os.Stderr of this moment (client-go has no setting for it), so
// it is given a pipe instead of the terminal that the dashboard draws on. Call
// it before other goroutines write to os.Stderr.
func httpClient(cfg *rest.Config) (*http.Client, error) {
	if cfg.ExecProvider == nil {
		return rest.HTTPClientFor(cfg)
	}
	out, err := plugins()
	if err != nil {
		return nil, err
	}
	swapStderr.Lock()
	defer swapStderr.Unlock()
	terminal := os.Stderr
	os.Stderr = out.write
	defer func() { os.Stderr = terminal }()
	return rest.HTTPClientFor(cfg)
}

func (p *pluginOutput) drain(from io.Reader) {
	lines := bufio.NewReader(from)
	for {
		line, err := lines.ReadString('\n')
		if text := objects.Sentence(line); text != "" {
			p.keep(text)
		}
		if err != nil {
			return
		}
	}
}

func (p *pluginOutput) keep(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = text
}

// said is the last line that a plugin wrote, "" if it wrote none. It waits a
// moment for one that is on its way.
func (p *pluginOutput) said() string {
	for range 20 {
		p.mu.Lock()
		last := p.last
		p.mu.Unlock()
		if last != "" {
			return last
		}
		time.Sleep(5 * time.Millisecond)
	}
	return ""
}

// pluginWords is the name and last line of a plugin that gave no credentials.
func pluginWords(command string) string {
	s := "the credentials plugin"
	if command != "" {
		s += " " + world.Clean(command)
	}
	if out, err := plugins(); err == nil {
		if said := out.said(); said != "" {
			s += " says: " + said
		}
	}
	return s
}

// clusterOf is the name to show for a cluster: the kubeconfig's name of it, or
// its address where no kubeconfig names it.
func clusterOf(current, host string, flags Flags, ctx *api.Context) string {
	switch {
	case flags.Cluster != "":
		return flags.Cluster
	case ctx != nil && ctx.Cluster != "":
		return ctx.Cluster
	case current != "":
		return current
	}
	return host
}
