package kube

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/providers/kube/objects"
	"github.com/drainboard/drainboard/providers/kube/transport"
)

// Explain is why the API cannot be used and what to do, in one sentence, and its kind: a
// live.Trouble, nil for no error.
func (c *Client) Explain(err error) error {
	if err == nil {
		return nil
	}
	return &live.Trouble{Words: c.Words(err), Kind: kindOf(err)}
}

// kindOf is live.ErrDenied, live.ErrRefused where the answer is that the request is wrong, or
// live.ErrUnreachable where the same request may be answered a moment later; nil for what another
// configuration mends: a certificate that is not trusted.
func kindOf(err error) error {
	var (
		verify *tls.CertificateVerificationError
		status apierrors.APIStatus
	)
	switch {
	case isPlugin(err), apierrors.IsUnauthorized(err), apierrors.IsForbidden(err), errors.Is(err, live.ErrDenied):
		return live.ErrDenied
	case errors.As(err, &verify), errors.Is(err, transport.ErrReadOnly):
		return nil
	case errors.As(err, &status):
		if code := status.Status().Code; code < http.StatusInternalServerError && code != http.StatusTooManyRequests && code != http.StatusRequestTimeout {
			return live.ErrRefused
		}
	}
	return live.ErrUnreachable
}

// Words says in one sentence why the API cannot be used and what to do, "" for no error.
func (c *Client) Words(err error) string {
	at := c.host
	if c.context != "" {
		at += " (context " + c.context + ")"
	}
	var (
		dns       *net.DNSError
		authority x509.UnknownAuthorityError
		invalid   x509.CertificateInvalidError
		hostname  x509.HostnameError
		verify    *tls.CertificateVerificationError
		status    apierrors.APIStatus
		missing   *ForbiddenError
		page      *transport.ProxyError
	)
	switch {
	case err == nil:
		return ""
	case errors.As(err, &page):
		return fmt.Sprintf("a proxy answered for %s, with a web page (%s): check the address in the kubeconfig, HTTPS_PROXY, and whether a login is needed", at, page.Status)
	case isPlugin(err):
		return fmt.Sprintf("cannot get credentials for %s: %s; log in again", at, pluginWords(c.plugin))
	case apierrors.IsUnauthorized(err):
		return fmt.Sprintf("the credentials for %s are not accepted or have expired (401): log in again", at)
	case errors.As(err, &missing):
		return missing.Error()
	case apierrors.IsForbidden(err) && errors.As(err, &status):
		return fmt.Sprintf("%s does not allow it: %s", at, objects.Sentence(status.Status().Message))
	case errors.As(err, &dns):
		return fmt.Sprintf("cannot find the host of %s: check the network, the VPN and the kubeconfig", at)
	case errors.Is(err, connectionRefused):
		return fmt.Sprintf("connection refused by %s: check the cluster and the address", at)
	case errors.As(err, &authority), errors.As(err, &invalid), errors.As(err, &hostname), errors.As(err, &verify):
		return fmt.Sprintf("the certificate of %s is not trusted: %s", at, objects.Sentence(innermost(err)))
	case transport.IsTimeout(err):
		return fmt.Sprintf("%s does not answer: check the network and the VPN", at)
	case len(notReady(err)) > 0:
		return fmt.Sprintf("%s is not ready to serve: %s", at, strings.Join(notReady(err), ", "))
	case errors.As(err, &status):
		return fmt.Sprintf("%s answered with an error: %s (%d)", at, objects.Sentence(status.Status().Message), status.Status().Code)
	}
	if isNoObject(err) {
		return fmt.Sprintf("%s answered with something that is not a Kubernetes object: check the address in the kubeconfig", at)
	}
	if strings.Contains(err.Error(), "server gave HTTP response to HTTPS client") {
		return fmt.Sprintf("%s answered without TLS: check the address in the kubeconfig", at)
	}
	if errors.Is(err, io.EOF) {
		return fmt.Sprintf("%s closed the connection without an answer: check the address in the kubeconfig, the network and proxies", at)
	}
	return fmt.Sprintf("cannot reach %s: %s", at, objects.Sentence(innermost(err)))
}

// isNoObject reports whether what was answered cannot be read as the object that was asked for.
// The codec has no types for most of it.
func isNoObject(err error) bool {
	var sent *url.Error
	var form *json.UnmarshalTypeError
	if errors.Is(err, errOtherService) || errors.As(err, &form) {
		return true
	}
	return !errors.As(err, &sent) && slices.ContainsFunc([]string{"couldn't get version/kind", "no kind \"", "0-length response"}, func(said string) bool { return strings.Contains(err.Error(), said) })
}

// notReady lists the checks that failed in an answer of /readyz, whose lines are
// "[+]ping ok" and "[-]etcd failed: reason withheld".
func notReady(err error) []string {
	var out []string
	for line := range strings.Lines(strings.ReplaceAll(err.Error(), `\n`, "\n")) {
		if _, check, failed := strings.Cut(line, "[-]"); failed {
			name, _, _ := strings.Cut(check, " ")
			out = append(out, objects.Sentence(name))
		}
	}
	return out
}

// innermost is the text of the error that others wrap, which is the part that
// says what happened.
func innermost(err error) string {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err.Error()
		}
		err = next
	}
}

// isPlugin reports whether the request never left because there were no
// credentials to send (client-go has no type for it).
func isPlugin(err error) bool {
	return err != nil && strings.Contains(err.Error(), "getting credentials: ")
}

// NoCredentials reports whether a request failed for want of credentials that the API accepts.
func NoCredentials(err error) bool { return apierrors.IsUnauthorized(err) || isPlugin(err) }
