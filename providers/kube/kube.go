package kube

import (
	"context"
	"encoding/json"
	stderrors "errors"
	"time"

	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/connrotation"

	"github.com/drainboard/drainboard/providers/clock"
	"github.com/drainboard/drainboard/providers/kube/typed"
)

// Client is a connection to one cluster. It is safe for concurrent use.
type Client struct {
	// context and cluster are the kubeconfig's names, host the API's address.
	context, cluster, host string
	// extensions are what the kubeconfig has besides of the cluster, as JSON, by name.
	extensions map[string][]byte

	api, urgent *typed.Groups // see API and Urgent
	meta        metadata.Interface
	custom      dynamic.Interface
	// large is for lists that are large: over HTTP/1.1, see largeClient.
	large rest.Interface

	clock *clock.Remote
	conns *connrotation.Dialer
	// plugin is the command that gives credentials, "" for none.
	plugin string
}

// ClusterName is the kubeconfig's name of the cluster, for people.
func (c *Client) ClusterName() string { return c.cluster }

// ContextName is the kubeconfig context in use, "" inside a cluster.
func (c *Client) ContextName() string { return c.context }

// Clock is the cluster's clock, kept right by every answer of the API.
func (c *Client) Clock() *clock.Remote { return c.clock }

// API are the typed requests that share a limit of requests a second (clientQPS); their answers
// are protobuf.
func (c *Client) API() *typed.Groups { return c.api }

// Urgent are the same without that limit, in JSON: for what must never queue behind a burst of
// reads: evictions, the record and the lock, whose numbers the engine limits.
func (c *Client) Urgent() *typed.Groups { return c.urgent }

// Large is the core group for lists that are large.
func (c *Client) Large() rest.Interface { return c.large }

// Metadata reads the metadata of objects of any kind.
func (c *Client) Metadata() metadata.Interface { return c.meta }

// Dynamic reads and changes objects of any kind as they are in JSON.
func (c *Client) Dynamic() dynamic.Interface { return c.custom }

// CloseConnections closes all connections, also those under way: the next request opens a new one.
func (c *Client) CloseConnections() { c.conns.CloseAll() }

// Heartbeat asks the API whether it can serve, its etcd included: while that is
// away the API still answers from its caches, and accepts no change. Forbidden is
// an answer too: the API is there and knows us. Other errors are as client-go has them.
func (c *Client) Heartbeat(ctx context.Context, timeout time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	answer := c.Urgent().Core.Get().AbsPath("/readyz").MaxRetries(0).Do(ctx)
	err := answer.Error()
	if errors.IsForbidden(err) {
		return nil
	}
	if err == nil {
		if said, _ := answer.Raw(); isOtherService(said) {
			return errOtherService
		}
	}
	return err
}

// errOtherService is that something else than a Kubernetes API answers.
var errOtherService = stderrors.New("it has no kind")

// isOtherService reports whether an answer of /readyz is JSON of another service: the API says ok,
// or has a kind. Its lists would pass for empty ones.
func isOtherService(answer []byte) bool {
	var object map[string]any
	return json.Unmarshal(answer, &object) == nil && len(object) > 0 && object["kind"] == nil
}
