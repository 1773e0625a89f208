package hooks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/world"
)

const (
	firstPause = time.Second      // before a webhook is tried again; doubled each time
	longPause  = 30 * time.Second // the longest of them
	maxAnswer  = 300              // how much of an answer is shown
)

// client posts to webhooks. It follows nobody elsewhere: what it posts is for whom it was
// told.
var client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// post tells a webhook. It tries again as long as ctx lasts what may pass: no answer, 429
// and 5xx, after a pause that is the server's if it names one.
func (h *Hook) post(ctx context.Context, m Message) error {
	to, header, body, err := h.request(m)
	if err != nil {
		return err
	}
	for pause := firstPause; ; pause = min(2*pause, longPause) {
		again, after, err := h.try(ctx, to, header, body)
		if err == nil || !again {
			return err
		}
		wait := max(pause, after)
		if end, ok := ctx.Deadline(); ok && time.Until(end) < wait {
			if after > pause {
				return fmt.Errorf("%w; Retry-After %s exceeds the timeout", err, after)
			}
			return err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return err
		}
	}
}

// try posts once. again says whether it may help to post once more, and not before after.
func (h *Hook) try(ctx context.Context, to string, header http.Header, body []byte) (again bool, after time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, h.timeout()/3)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(body))
	if err != nil {
		return false, 0, errors.New("invalid address")
	}
	req.Header = header.Clone()
	resp, err := client.Do(req)
	if err != nil {
		return true, 0, errors.New(h.Webhook.hide(plainError(err)))
	}
	defer resp.Body.Close()
	answer, _ := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if resp.StatusCode/100 == 2 {
		return false, 0, nil
	}
	why := "answered " + resp.Status
	if text := strings.Join(strings.Fields(world.Clean(string(answer))), " "); text != "" {
		why += ": " + text
	}
	again = resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode >= 500
	return again, retryAfter(resp.Header.Get("Retry-After")), errors.New(h.Webhook.hide(why))
}

// plainError is an error of a request without its URL.
func plainError(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return "no answer in time"
	}
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	return world.Clean(err.Error())
}

// retryAfter reads the header of that name: seconds, or a date.
func retryAfter(text string) time.Duration {
	if seconds, err := strconv.Atoi(text); err == nil {
		return max(0, time.Duration(seconds)*time.Second)
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}
