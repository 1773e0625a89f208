package kube

import (
	"bufio"
	"net/http"
	"os"
	"strings"
	"sync"

	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd/api"
)

// pluginOutput keeps the last line that a credentials plugin wrote to stderr.
type pluginOutput struct {
	mu      sync.Mutex
	command string
	last    string
}

// swapStderr guards os.Stderr while a client is being made.
var swapStderr sync.Mutex

// httpClient makes the HTTP client of a configuration. A credentials plugin is
// bound to the os.Stderr of this moment (client-go has no setting for it), so
// it is given a pipe instead of the terminal that the dashboard draws on. Call
// it before other goroutines write to os.Stderr.
func httpClient(cfg *rest.Config) (*http.Client, *pluginOutput, error) {
	if cfg.ExecProvider == nil {
		client, err := rest.HTTPClientFor(cfg)
		return client, nil, err
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	out := &pluginOutput{command: cfg.ExecProvider.Command}
	go out.drain(read)
	swapStderr.Lock()
	defer swapStderr.Unlock()
	terminal := os.Stderr
	os.Stderr = write
	client, err := rest.HTTPClientFor(cfg)
	os.Stderr = terminal
	return client, out, err
}

func (p *pluginOutput) drain(from *os.File) {
	lines := bufio.NewScanner(from)
	for lines.Scan() {
		if text := strings.TrimSpace(sentence(lines.Text())); text != "" {
			p.mu.Lock()
			p.last = text
			p.mu.Unlock()
		}
	}
	// A line beyond the scanner's limit ends it; the plugin must not block on a
	// full pipe for that.
	buf := make([]byte, 4096)
	for {
		if _, err := from.Read(buf); err != nil {
			return
		}
	}
}

// words is the plugin's name and last line, for an error message.
func (p *pluginOutput) words() string {
	if p == nil {
		return "the credentials plugin"
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last == "" {
		return "the credentials plugin " + Clean(p.command)
	}
	return "the credentials plugin " + Clean(p.command) + " says: " + p.last
}

// clusterOf is the name to show for a cluster: the kubeconfig's name of it, or
// its address where no kubeconfig names it.
func clusterOf(current, host string, flags *genericclioptions.ConfigFlags, ctx *api.Context) string {
	switch {
	case flags.ClusterName != nil && *flags.ClusterName != "":
		return *flags.ClusterName
	case ctx != nil && ctx.Cluster != "":
		return ctx.Cluster
	case current != "":
		return current
	}
	return host
}
