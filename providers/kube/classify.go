package kube

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/providers/kube/objects"
	"github.com/drainboard/drainboard/providers/kube/transport"
)

// Classify says what became of a request that changes something. Refused means
// that for certain nothing happened; every doubt is Unknown. The wordings are
// those of pkg/registry/core/pod/storage/eviction.go and of the API server's
// admission chain (Kubernetes 1.36); most causes have no code of their own.
func Classify(err error) record.Outcome {
	if err == nil {
		return record.Outcome{Verdict: record.Done}
	}
	var api apierrors.APIStatus
	if !errors.As(err, &api) {
		return classifyLost(err)
	}
	status := api.Status()
	text := objects.Sentence(status.Message)
	no := func(r record.Refusal) record.Outcome {
		return record.Outcome{Verdict: record.Refused, Refusal: r, Message: text, After: retryAfter(status)}
	}
	unknown := record.Outcome{Verdict: record.Unknown, Message: text}

	switch {
	case hasCause(status, policyv1.DisruptionBudgetCause):
		text = budgetWords(status)
		return no(record.RefusedBudget)
	case strings.Contains(text, "more than one PodDisruptionBudget"):
		return no(record.RefusedBudgets)
	case IsAdmission(text):
		return no(record.RefusedWebhook)
	}
	switch status.Code {
	case http.StatusTooManyRequests:
		if strings.Contains(text, "disruption budget") {
			return no(record.RefusedBudget)
		}
		return no(record.RefusedBusy)
	case http.StatusUnauthorized:
		// Nobody said that we may not: the credentials ran out. Later, then.
		return no(record.RefusedBusy)
	case http.StatusForbidden:
		switch {
		case IsTerminating(err):
			return no(record.RefusedBusy)
		case status.Details != nil && status.Details.Kind == "poddisruptionbudget":
			return no(record.RefusedBudget) // its status is not to be counted on now
		}
		return no(record.RefusedForbidden)
	case http.StatusNotFound:
		if hasCause(status, metav1.CauseTypeUnexpectedServerResponse) {
			return no(record.RefusedBusy) // not the API's answer but that of something before it
		}
		return no(record.RefusedGone)
	case http.StatusConflict:
		if strings.Contains(text, "UID in the precondition") || strings.Contains(text, "UID in precondition") {
			return no(record.RefusedGone)
		}
		return no(record.RefusedConflict)
	case http.StatusGatewayTimeout:
		if strings.Contains(text, "couldn't update PodDisruptionBudget") {
			return no(record.RefusedBusy) // before the pod is touched
		}
		return unknown
	case http.StatusRequestTimeout:
		return unknown
	}
	if status.Code >= 400 && status.Code < 500 {
		return no(record.RefusedInvalid)
	}
	return unknown
}

// classifyLost is Classify for a request without an answer.
func classifyLost(err error) record.Outcome {
	text := objects.Sentence(innermost(err))
	var op *net.OpError
	switch {
	case isPlugin(err),
		errors.As(err, &op) && op.Op == "dial",
		strings.Contains(err.Error(), "client rate limiter"):
		return record.Outcome{Verdict: record.Refused, Refusal: record.RefusedBusy, Message: text}
	case errors.Is(err, context.Canceled):
		text = "interrupted before the answer"
	case transport.IsTimeout(err):
		text = "no answer in time"
	}
	return record.Outcome{Verdict: record.Unknown, Message: text}
}

// IsAdmission reports whether an admission webhook (or policy) said no, or could
// not be asked. Either comes with any code, often 403 or 500, and always before
// anything is stored.
func IsAdmission(text string) bool {
	return strings.Contains(text, "admission webhook") ||
		strings.Contains(text, "failed calling webhook") ||
		strings.Contains(text, "failed to call webhook") ||
		strings.HasPrefix(text, "ValidatingAdmissionPolicy") ||
		strings.Contains(text, ": ValidatingAdmissionPolicy")
}

// IsTerminating reports whether a "forbidden" only says that the namespace is
// being deleted.
func IsTerminating(err error) bool {
	return apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause)
}

// budgetWords are the API's words on why a budget holds a pod: the general line
// and, better, the cause that names the budget and its counts.
func budgetWords(status metav1.Status) string {
	var all []string
	for _, c := range status.Details.Causes {
		if c.Type == policyv1.DisruptionBudgetCause && c.Message != "" {
			all = append(all, objects.Sentence(c.Message))
		}
	}
	if len(all) == 0 {
		return objects.Sentence(status.Message)
	}
	return strings.Join(all, "; ")
}

func hasCause(status metav1.Status, cause metav1.CauseType) bool {
	if status.Details == nil {
		return false
	}
	for _, c := range status.Details.Causes {
		if c.Type == cause {
			return true
		}
	}
	return false
}

func retryAfter(status metav1.Status) time.Duration {
	if status.Details == nil {
		return 0
	}
	return time.Duration(max(0, status.Details.RetryAfterSeconds)) * time.Second
}
