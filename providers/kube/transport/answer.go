package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

const (
	// RequestTimeout bounds every single request that is not a watch.
	RequestTimeout = 10 * time.Second
	// ListTimeout bounds one page of a list.
	ListTimeout = 30 * time.Second
)

// AnsweredWithin wraps a transport so that no request waits without end for an API that does not answer: it
// may have got lost on a connection on which everything else passes. A watch has a time until the API says
// that it is open, which it says at once, and then lasts until it is stopped; any other request has a time
// until its answer is read, where its caller has set none. The error is a context.DeadlineExceeded.
func AnsweredWithin(watch, other time.Duration, next http.RoundTripper) http.RoundTripper {
	return RoundTrip(func(req *http.Request) (*http.Response, error) {
		if watches(req) {
			return opened(req, watch, next)
		}
		if _, limited := req.Context().Deadline(); limited {
			return next.RoundTrip(req)
		}
		ctx, stop := context.WithTimeout(req.Context(), other)
		answer, err := next.RoundTrip(req.WithContext(ctx))
		return ending(answer, err, stop)
	})
}

// opened sends a watch.
func opened(req *http.Request, limit time.Duration, next http.RoundTripper) (*http.Response, error) {
	ctx, stop := context.WithCancel(req.Context())
	late := time.AfterFunc(limit, stop)
	answer, err := next.RoundTrip(req.WithContext(ctx))
	if !late.Stop() {
		if err == nil {
			_ = answer.Body.Close()
		}
		err = fmt.Errorf("watch %s: %w", req.URL.Path, context.DeadlineExceeded)
	}
	return ending(answer, err, stop)
}

// ending is an answer that stops its request when it has been read.
func ending(answer *http.Response, err error, stop context.CancelFunc) (*http.Response, error) {
	if err != nil {
		stop()
		return nil, err
	}
	answer.Body = &body{answer.Body, stop}
	return answer, nil
}

// watches reports whether a request is a watch.
func watches(req *http.Request) bool {
	switch req.URL.Query().Get("watch") {
	case "", "0", "false":
		return false
	}
	return req.Method == http.MethodGet
}

// body is that of an answer, and what ends its request.
type body struct {
	io.ReadCloser
	end context.CancelFunc
}

// Close ends the request.
func (b *body) Close() error {
	defer b.end()
	return b.ReadCloser.Close()
}

// IsTimeout reports whether a request was not answered in time.
func IsTimeout(err error) bool {
	var n net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &n) && n.Timeout()
}
