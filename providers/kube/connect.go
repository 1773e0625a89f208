package kube

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	kruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/connrotation"
	"k8s.io/klog/v2"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/clock"
	"github.com/drainboard/drainboard/providers/kube/objects"
	"github.com/drainboard/drainboard/providers/kube/transport"
	"github.com/drainboard/drainboard/providers/kube/typed"
)

// Limits of the throttled client, in requests a second; client-go's own default
// of 5 would make a group of a hundred nodes wait for minutes. They are kubectl's: the
// burst is what lets a start read the pods of all nodes on the screen at once (feed/readorder.go).
const (
	clientQPS   = 50
	clientBurst = 300
)

// Connect opens the cluster that the kubectl flags choose and makes sure that
// it answers and accepts the credentials. version goes into the user agent.
// Errors are one sentence for the user: what is wrong, where, and what to do.
//
// From here on client-go writes nothing to the terminal: klog is silenced, and
// what credential plugins print is kept for error messages.
func Connect(ctx context.Context, flags Flags, version string) (*Client, error) {
	return connect(ctx, flags, version, false)
}

// ConnectReadOnly is Connect for read-only commands: whatever is asked of the
// client, nothing leaves this process but reads and questions for one's own rights.
func ConnectReadOnly(ctx context.Context, flags Flags, version string) (*Client, error) {
	return connect(ctx, flags, version, true)
}

// connect is Connect, or ConnectReadOnly.
func connect(ctx context.Context, flags Flags, version string, readOnly bool) (*Client, error) {
	loader := flags.loader()
	raw, err := loader.RawConfig()
	if err != nil {
		return nil, fmt.Errorf("cannot read the kubeconfig: %s; check --kubeconfig and KUBECONFIG", objects.Sentence(err.Error()))
	}
	current := raw.CurrentContext
	if flags.Context != "" {
		current = flags.Context
	}
	if _, known := raw.Contexts[current]; current != "" && !known {
		return nil, fmt.Errorf("the kubeconfig has no context %q; %s", current, choices("context", raw.Contexts))
	}
	if _, known := raw.Clusters[flags.Cluster]; flags.Cluster != "" && !known {
		return nil, fmt.Errorf("the kubeconfig has no cluster %q; %s", flags.Cluster, choices("cluster", raw.Clusters))
	}
	cfg, err := loader.ClientConfig()
	if err != nil {
		if clientcmd.IsEmptyConfig(err) {
			return nil, noConfig(flags)
		}
		return nil, fmt.Errorf("the kubeconfig has no usable cluster: %s", objects.Sentence(err.Error()))
	}
	given := os.Getenv("KUBERNETES_MASTER") != ""
	if len(raw.Clusters) == 0 && !given && cfg.Host == clientcmd.ClusterDefaults.Server {
		return nil, noConfig(flags)
	}
	if current == "" && len(raw.Contexts) > 0 && !given && cfg.Host == clientcmd.ClusterDefaults.Server {
		return nil, fmt.Errorf("the kubeconfig has no current context; %s", choices("context", raw.Contexts))
	}
	cfg = rest.CopyConfig(cfg)
	if readOnly {
		base, _, err := rest.DefaultServerUrlFor(cfg)
		if err != nil {
			return nil, fmt.Errorf("the kubeconfig has no usable cluster: %s", objects.Sentence(err.Error()))
		}
		prefix := strings.TrimRight(base.Path, "/")
		cfg.Wrap(func(next http.RoundTripper) http.RoundTripper { return transport.OnlyReads(prefix, next) })
	} else {
		cfg.Wrap(transport.OnlyWhileSure)
	}
	c, err := Open(cfg, version)
	if err != nil {
		return nil, err
	}
	c.context, c.cluster = world.Clean(current), world.Clean(clusterOf(current, cfg.Host, flags, raw.Contexts[current]))
	c.extensions = extensionsOf(raw.Clusters[clusterName(raw.Contexts[current], flags)])
	if err := live.Retry(ctx, func(ctx context.Context) error { return c.Explain(c.Heartbeat(ctx, transport.RequestTimeout)) }); err != nil {
		return nil, err
	}
	go live.Guarded(func() { c.warm(ctx) }, nil)() // now that the credentials are there: a plugin that fails is not asked twice
	return c, nil
}

// silence keeps client-go's own log off the terminal.
var silence = sync.OnceFunc(func() { klog.SetLogger(klog.Logger{}) })

// Open makes the clients of a configuration, without asking the cluster anything. version goes
// into the user agent.
func Open(cfg *rest.Config, version string) (*Client, error) {
	silence()
	c := &Client{host: cfg.Host, clock: &clock.Remote{}}
	dial := (&net.Dialer{Timeout: transport.RequestTimeout, KeepAlive: 15 * time.Second}).DialContext
	if cfg.Dial != nil {
		dial = cfg.Dial
	}
	c.conns = connrotation.NewDialer(dial)
	cfg.Dial = c.conns.DialContext
	cfg.UserAgent = fmt.Sprintf("drainboard/%s (%s/%s)", version, runtime.GOOS, runtime.GOARCH)
	cfg.WarningHandler = rest.NoWarnings{}
	cfg.Timeout = 0 // it would end watches; every other request has its own
	cfg.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return transport.AnsweredWithin(transport.RequestTimeout, transport.ListTimeout, next)
	})
	cfg.Wrap(transport.OnlyTheAPI)
	cfg.Wrap(transport.OnlyWhatFits)
	cfg.Wrap(c.clock.Listen)
	if cfg.ExecProvider != nil {
		c.plugin = cfg.ExecProvider.Command
		cfg.ExecProvider.StdinUnavailable = true
		cfg.ExecProvider.StdinUnavailableMessage = "drainboard's dashboard is using it; log in before you start drainboard"
	}

	client, err := httpClient(cfg)
	if err != nil {
		return nil, fmt.Errorf("cannot set up the connection to %s: %w", cfg.Host, err)
	}
	limited := rest.CopyConfig(cfg)
	limited.QPS, limited.Burst = clientQPS, clientBurst
	limited.AcceptContentTypes = kruntime.ContentTypeProtobuf + "," + kruntime.ContentTypeJSON
	limited.ContentType = kruntime.ContentTypeProtobuf
	urgent := rest.CopyConfig(cfg)
	urgent.QPS = -1
	urgent.ContentType = kruntime.ContentTypeJSON // small, and readable on the wire

	if c.api, err = typed.New(limited, client); err != nil {
		return nil, fmt.Errorf("cannot set up the client for %s: %w", cfg.Host, err)
	}
	if c.urgent, err = typed.New(urgent, client); err != nil {
		return nil, fmt.Errorf("cannot set up the client for %s: %w", cfg.Host, err)
	}
	if c.large, err = largeClient(limited); err != nil {
		return nil, fmt.Errorf("cannot set up the client for %s: %w", cfg.Host, err)
	}
	if c.meta, err = metadata.NewForConfigAndClient(limited, client); err != nil {
		return nil, fmt.Errorf("cannot set up the client for %s: %w", cfg.Host, err)
	}
	if c.custom, err = dynamic.NewForConfigAndClient(limited, client); err != nil {
		return nil, fmt.Errorf("cannot set up the client for %s: %w", cfg.Host, err)
	}
	return c, nil
}

// largeClient makes the client for large lists. The API server writes an answer over
// HTTP/2 in pieces of 4 KB, each of which goes from goroutine to goroutine; over
// HTTP/1.1 a list of 25 MB takes it a tenth less time.
func largeClient(cfg *rest.Config) (rest.Interface, error) {
	cfg = rest.CopyConfig(cfg)
	cfg.NextProtos = []string{"http/1.1"}
	client, err := httpClient(cfg)
	if err != nil {
		return nil, err
	}
	return typed.NewCore(cfg, client)
}

// warm makes the connection for a large list while the cloud is opened. Whether that
// works shows with the list.
func (c *Client) warm(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, transport.RequestTimeout)
	defer cancel()
	_ = c.large.Get().AbsPath("/version").MaxRetries(0).Do(ctx).Error()
}

// choices says which contexts or clusters there are to choose from.
func choices[V any](kind string, known map[string]V) string {
	if len(known) == 0 {
		return "it has no " + kind + "s"
	}
	names := make([]string, 0, len(known))
	for name := range known {
		names = append(names, world.Clean(name))
	}
	slices.Sort(names)
	const most = 8
	if len(names) > most {
		names = append(names[:most], fmt.Sprintf("and %d more", len(known)-most))
	}
	return "choose one with --" + kind + ": " + strings.Join(names, ", ")
}
