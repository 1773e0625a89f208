package transport

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"strings"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/smithy-go"

	"github.com/drainboard/drainboard/engine/live"
)

// What can be wrong with a call, for callers that decide on it. The errors of
// this package wrap one of these where it is why, and read as one sentence.
var (
	ErrNoRegion      = errors.New("no AWS region")
	ErrNoCredentials = fmt.Errorf("no AWS credentials: %w", live.ErrDenied)
	ErrExpired       = fmt.Errorf("AWS credentials are not valid (any more): %w", live.ErrDenied)
	ErrForbidden     = fmt.Errorf("not allowed by IAM: %w", live.ErrDenied)
	ErrNotFound      = errors.New("not found")
	ErrThrottled     = fmt.Errorf("throttled by AWS: %w", live.ErrUnreachable)
	ErrUnreachable   = fmt.Errorf("AWS does not answer: %w", live.ErrUnreachable)
	errInTrouble     = fmt.Errorf("AWS is in trouble: %w", live.ErrUnreachable)
	errRefused       = fmt.Errorf("AWS does not accept the request: %w", live.ErrRefused)
)

// Problem is an error in words, and its kind.
type Problem struct {
	Kind  error
	Words string
}

func (p *Problem) Error() string { return p.Words }
func (p *Problem) Unwrap() error { return p.Kind }

// LoginError is why there are no credentials: nothing was sent.
type LoginError struct{ Cause error }

func (e *LoginError) Error() string { return e.Cause.Error() }
func (e *LoginError) Unwrap() error { return e.Cause }

// Error codes by what they mean. The services have different words for the same;
// all are here.
var (
	ExpiredCodes   = set("ExpiredToken", "ExpiredTokenException", "RequestExpired", "TokenRefreshRequired")
	BadLoginCodes  = set("InvalidClientTokenId", "UnrecognizedClientException", "AuthFailure", "SignatureDoesNotMatch", "InvalidAccessKeyId", "InvalidSignatureException", "MissingAuthenticationToken", "MissingAuthenticationTokenException", "IncompleteSignature")
	forbiddenCodes = set("AccessDenied", "AccessDeniedException", "UnauthorizedOperation", "OptInRequired", "Blocked")
	ThrottleCodes  = set("Throttling", "ThrottlingException", "ThrottledException", "RequestLimitExceeded", "RequestThrottled", "TooManyRequestsException", "RequestThrottledException", "SlowDown", "EC2ThrottledException")
)

func set(words ...string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}

// Answered is the error code and message that a service answered, "" if the
// error is none of the service's.
func Answered(err error) (code, message string) {
	var api smithy.APIError
	if !errors.As(err, &api) {
		return "", ""
	}
	return Clean(api.ErrorCode()), Short(api.ErrorMessage())
}

// Explain puts an error of the SDK into one sentence.
func Explain(err error) error {
	var said *Problem
	if err == nil || errors.As(err, &said) {
		return err
	}
	var login *LoginError
	if errors.As(err, &login) {
		return explainLogin(login.Cause)
	}
	if page := webPage(err); page != "" {
		return &Problem{Kind: ErrUnreachable, Words: fmt.Sprintf("a web page came in place of AWS's answer (%s): check HTTPS_PROXY, and whether a login is needed", page)}
	}
	code, message := Answered(err)
	var host *net.DNSError
	switch {
	case errors.As(err, &host) && host.IsNotFound:
		return &Problem{Kind: ErrUnreachable, Words: fmt.Sprintf("AWS does not answer: there is no host %s: check the region (--region, AWS_REGION) and the network", Clean(host.Name))}
	case ExpiredCodes[code]:
		return &Problem{Kind: ErrExpired, Words: fmt.Sprintf("AWS credentials expired (%s): %s", code, message)}
	case BadLoginCodes[code]:
		return &Problem{Kind: ErrExpired, Words: fmt.Sprintf("AWS credentials are not valid (%s): %s", code, message)}
	case IsForbidden(code, message):
		return &Problem{Kind: ErrForbidden, Words: forbidden(err, code, message)}
	case ThrottleCodes[code]:
		return &Problem{Kind: ErrThrottled, Words: fmt.Sprintf("AWS throttles our requests (%s): %s", code, message)}
	case isNotFound(code, message):
		return &Problem{Kind: ErrNotFound, Words: message}
	case code != "":
		kind := errRefused
		if inTrouble(err) {
			kind = errInTrouble
		}
		return &Problem{kind, fmt.Sprintf("%s: %s (%s)", action(err), message, code)}
	case errors.Is(err, context.Canceled):
		return &Problem{Kind: ErrUnreachable, Words: "interrupted before AWS answered"}
	case errors.Is(err, context.DeadlineExceeded):
		return &Problem{Kind: ErrUnreachable, Words: "AWS did not answer in time"}
	}
	return &Problem{Kind: ErrUnreachable, Words: "AWS does not answer: " + Short(innermost(err))}
}

// webPage is the HTTP status of an answer that is a web page, "" of all others: AWS answers in XML
// and JSON.
func webPage(err error) string {
	var answer *awshttp.ResponseError
	if !errors.As(err, &answer) || answer.Response == nil || !strings.HasPrefix(answer.Response.Header.Get("Content-Type"), "text/html") {
		return ""
	}
	return Clean(answer.Response.Status)
}

// inTrouble reports whether a service answered that the fault is its own.
func inTrouble(err error) bool {
	var answer *awshttp.ResponseError
	return errors.As(err, &answer) && answer.HTTPStatusCode() >= http.StatusInternalServerError
}

// ExplainConfig puts into words why the AWS configuration is of no use.
func ExplainConfig(err error) error {
	var profile config.SharedConfigProfileNotExistError
	if errors.As(err, &profile) {
		return &Problem{Kind: ErrNoCredentials, Words: fmt.Sprintf("no AWS profile %q", Clean(profile.Profile))}
	}
	return &Problem{Kind: ErrNoCredentials, Words: "the AWS configuration cannot be used: " + Short(err.Error())}
}

// explainLogin puts into words why there are no credentials.
func explainLogin(err error) error {
	words := Short(innermost(err))
	all := err.Error()
	switch {
	case strings.Contains(all, "no EC2 IMDS role found"), strings.Contains(all, "static credentials are empty"):
		return &Problem{Kind: ErrNoCredentials, Words: "no AWS credentials: log in (aws sso login), or set AWS_PROFILE or the AWS_ACCESS_KEY_ID variables"}
	case strings.Contains(strings.ToLower(all), "expired"):
		return &Problem{Kind: ErrExpired, Words: "AWS credentials expired: " + words}
	}
	var sent net.Error // by a provider of credentials that is asked for them, such as STS
	if errors.As(err, &sent) || inTrouble(err) {
		return &Problem{Kind: ErrUnreachable, Words: "AWS credentials cannot be had now: " + words}
	}
	return &Problem{Kind: ErrNoCredentials, Words: "no AWS credentials: " + words}
}

// IsForbidden knows also the ValidationError that Auto Scaling gives when the
// caller lacks rights to what the launch template uses.
func IsForbidden(code, message string) bool {
	return forbiddenCodes[code] || code == "ValidationError" && strings.Contains(message, "not authorized")
}

func isNotFound(code, message string) bool {
	return strings.Contains(code, "NotFound") || strings.HasSuffix(code, ".Malformed") ||
		code == "ValidationError" && strings.Contains(message, "not found")
}

var (
	deniedAction = regexp.MustCompile(`perform: ([a-z0-9-]+:[A-Za-z*]+)`)
	deniedUser   = regexp.MustCompile(`User: (\S+) is not`)
)

// forbidden names the IAM action that was missing: as the service names it, else
// the one of the call itself.
func forbidden(err error, code, message string) string {
	what := action(err)
	if m := deniedAction.FindStringSubmatch(message); m != nil {
		what = m[1]
	} else if code == "ValidationError" {
		what = "ec2:RunInstances or iam:PassRole" // checked when a template is set
	}
	who := ""
	if m := deniedUser.FindStringSubmatch(message); m != nil {
		who = " to " + m[1]
	}
	return fmt.Sprintf("AWS does not allow the IAM action %s%s (%s)", what, who, code)
}

// action is the IAM action of the call that failed.
func action(err error) string {
	var op *smithy.OperationError
	if !errors.As(err, &op) {
		return "AWS"
	}
	service := strings.ToLower(strings.ReplaceAll(op.ServiceID, " ", ""))
	if op.OperationName == "ListObjectsV2" {
		return service + ":ListBucket"
	}
	return strings.TrimSuffix(service, "v2") + ":" + op.OperationName // IAM has one name for both kinds of load balancers
}

// innermost is the message of the deepest error: the SDK puts many layers
// around what happened.
func innermost(err error) string {
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Error()
	}
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}
