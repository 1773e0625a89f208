package kube

import (
	"context"
	"errors"
	"io"
	"net/url"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/podlog"
	"github.com/drainboard/drainboard/providers/kube/objects"
	"github.com/drainboard/drainboard/providers/kube/transport"
)

// Errors of Read.
var (
	// ErrNoObject means that the API has no object of that name.
	ErrNoObject = errors.New("no such object")
	// ErrNoKind means that the API does not serve objects of that kind.
	ErrNoKind = errors.New("this API has no such objects")
)

// Read reads one object by its path, as JSON. It is for what is read once and by few: nothing
// is cleaned, and who shows it does so. Other errors than ErrNoObject and ErrNoKind are one
// sentence for the user.
func (c *Client) Read(ctx context.Context, path string) ([]byte, error) {
	return live.Retried(ctx, func(ctx context.Context) ([]byte, error) { return c.readOnce(ctx, path) })
}

func (c *Client) readOnce(ctx context.Context, path string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, transport.RequestTimeout)
	defer cancel()
	answer := c.API().Core.Get().AbsPath(path).SetHeader("Accept", "application/json").Do(ctx)
	err := answer.Error() // which Raw's does not tell: what the API says of it
	switch {
	case err == nil:
		return answer.Raw()
	case apierrors.IsNotFound(err) && strings.Contains(err.Error(), "could not find the requested resource"):
		return nil, ErrNoKind
	case apierrors.IsNotFound(err):
		return nil, ErrNoObject
	}
	return nil, c.Explain(err)
}

// PodLog reads the end of the log of one of a pod's containers: of the one that crashed, as it was
// before it was started again. Its text is cleaned. The error is podlog.ErrGone, or one sentence
// for the user.
func (c *Client) PodLog(ctx context.Context, of podlog.Pod) (podlog.Log, error) {
	ctx, cancel := context.WithTimeout(ctx, min(transport.RequestTimeout, podlog.Limit))
	defer cancel()
	p, err := c.API().Pods(of.Namespace).Get(ctx, of.Name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err), err == nil && of.UID != "" && string(p.UID) != of.UID:
		return podlog.Log{}, podlog.ErrGone
	case err != nil:
		return podlog.Log{}, c.Explain(Forbidden(err, "get", "", "pods", ""))
	}
	log := objects.LogOf(p, of.Crashes)
	err = c.readLog(ctx, of, &log)
	if log.Previous && apierrors.IsBadRequest(err) { // its container was removed meanwhile
		log.Previous = false
		err = c.readLog(ctx, of, &log)
	}
	if apierrors.IsNotFound(err) {
		return podlog.Log{}, podlog.ErrGone
	}
	return log, c.Explain(Forbidden(err, "get", "", "pods/log", ""))
}

// readLog reads the lines of a log. The kubelet counts lines from the end, and bytes from the
// first of those lines: where the bytes do not suffice the newest lines would be missing, so fewer are
// asked for.
func (c *Client) readLog(ctx context.Context, of podlog.Pod, log *podlog.Log) error {
	for lines := podlog.Lines; ; lines = max(1, lines/4) {
		query := url.Values{"tailLines": {strconv.Itoa(lines)}, "limitBytes": {strconv.Itoa(podlog.Bytes)}}
		if log.Container != "" {
			query.Set("container", log.Container)
		}
		if log.Previous {
			query.Set("previous", "true")
		}
		text, err := c.tail(ctx, of, query)
		if err != nil {
			return err
		}
		if log.Cut = len(text) >= podlog.Bytes; !log.Cut || lines == 1 {
			log.Lines = podlog.Split(string(text))
			return nil
		}
	}
}

// tail is the answer to a request for a log, no more of it than was asked for.
func (c *Client) tail(ctx context.Context, of podlog.Pod, query url.Values) ([]byte, error) {
	request := c.API().Core.Get().Namespace(of.Namespace).Resource("pods").Name(of.Name).SubResource("log").MaxRetries(0)
	for name, values := range query {
		request.Param(name, values[0])
	}
	stream, err := request.Stream(ctx)
	if err != nil {
		return nil, err
	}
	defer stream.Close()
	return io.ReadAll(io.LimitReader(stream, podlog.Bytes))
}
