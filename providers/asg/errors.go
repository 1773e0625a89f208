package asg

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

// problem is an error in words, and its kind.
type problem struct {
	kind  error
	words string
}

func (p *problem) Error() string { return p.words }
func (p *problem) Unwrap() error { return p.kind }

// loginError is why there are no credentials: nothing was sent.
type loginError struct{ cause error }

func (e *loginError) Error() string { return e.cause.Error() }
func (e *loginError) Unwrap() error { return e.cause }

// Error codes by what they mean. The services have different words for the same;
// all are here.
var (
	expiredCodes   = set("ExpiredToken", "ExpiredTokenException", "RequestExpired", "TokenRefreshRequired")
	badLoginCodes  = set("InvalidClientTokenId", "UnrecognizedClientException", "AuthFailure", "SignatureDoesNotMatch", "InvalidAccessKeyId", "InvalidSignatureException", "MissingAuthenticationToken", "MissingAuthenticationTokenException", "IncompleteSignature")
	forbiddenCodes = set("AccessDenied", "AccessDeniedException", "UnauthorizedOperation", "OptInRequired", "Blocked")
	throttleCodes  = set("Throttling", "ThrottlingException", "ThrottledException", "RequestLimitExceeded", "RequestThrottled", "TooManyRequestsException", "RequestThrottledException", "SlowDown", "EC2ThrottledException")
)

func set(words ...string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}

// answered is the error code and message that a service answered, "" if the
// error is none of the service's.
func answered(err error) (code, message string) {
	var api smithy.APIError
	if !errors.As(err, &api) {
		return "", ""
	}
	return clean(api.ErrorCode()), short(api.ErrorMessage())
}

// explain puts an error of the SDK into one sentence.
func explain(err error) error {
	var said *problem
	if err == nil || errors.As(err, &said) {
		return err
	}
	var login *loginError
	if errors.As(err, &login) {
		return explainLogin(login.cause)
	}
	if page := webPage(err); page != "" {
		return &problem{ErrUnreachable, fmt.Sprintf("a web page came in place of AWS's answer (%s): check HTTPS_PROXY, and whether a login is needed", page)}
	}
	code, message := answered(err)
	var host *net.DNSError
	switch {
	case errors.As(err, &host) && host.IsNotFound:
		return &problem{ErrUnreachable, fmt.Sprintf("AWS does not answer: there is no host %s: check the region (--region, AWS_REGION) and the network", clean(host.Name))}
	case expiredCodes[code]:
		return &problem{ErrExpired, fmt.Sprintf("AWS credentials expired (%s): %s", code, message)}
	case badLoginCodes[code]:
		return &problem{ErrExpired, fmt.Sprintf("AWS credentials are not valid (%s): %s", code, message)}
	case isForbidden(code, message):
		return &problem{ErrForbidden, forbidden(err, code, message)}
	case throttleCodes[code]:
		return &problem{ErrThrottled, fmt.Sprintf("AWS throttles our requests (%s): %s", code, message)}
	case isNotFound(code, message):
		return &problem{ErrNotFound, message}
	case code != "":
		kind := errRefused
		if inTrouble(err) {
			kind = errInTrouble
		}
		return &problem{kind, fmt.Sprintf("%s: %s (%s)", action(err), message, code)}
	case errors.Is(err, context.Canceled):
		return &problem{ErrUnreachable, "interrupted before AWS answered"}
	case errors.Is(err, context.DeadlineExceeded):
		return &problem{ErrUnreachable, "AWS did not answer in time"}
	}
	return &problem{ErrUnreachable, "AWS does not answer: " + short(innermost(err))}
}

// webPage is the HTTP status of an answer that is a web page, "" of all others: AWS answers in XML
// and JSON.
func webPage(err error) string {
	var answer *awshttp.ResponseError
	if !errors.As(err, &answer) || answer.Response == nil || !strings.HasPrefix(answer.Response.Header.Get("Content-Type"), "text/html") {
		return ""
	}
	return clean(answer.Response.Status)
}

// inTrouble reports whether a service answered that the fault is its own.
func inTrouble(err error) bool {
	var answer *awshttp.ResponseError
	return errors.As(err, &answer) && answer.HTTPStatusCode() >= http.StatusInternalServerError
}

// explainConfig puts into words why the AWS configuration is of no use.
func explainConfig(err error) error {
	var profile config.SharedConfigProfileNotExistError
	if errors.As(err, &profile) {
		return &problem{ErrNoCredentials, fmt.Sprintf("no AWS profile %q", clean(profile.Profile))}
	}
	return &problem{ErrNoCredentials, "the AWS configuration cannot be used: " + short(err.Error())}
}

// explainLogin puts into words why there are no credentials.
func explainLogin(err error) error {
	words := short(innermost(err))
	all := err.Error()
	switch {
	case strings.Contains(all, "no EC2 IMDS role found"), strings.Contains(all, "static credentials are empty"):
		return &problem{ErrNoCredentials, "no AWS credentials: log in (aws sso login), or set AWS_PROFILE or the AWS_ACCESS_KEY_ID variables"}
	case strings.Contains(strings.ToLower(all), "expired"):
		return &problem{ErrExpired, "AWS credentials expired: " + words}
	}
	var sent net.Error // by a provider of credentials that is asked for them, such as STS
	if errors.As(err, &sent) || inTrouble(err) {
		return &problem{ErrUnreachable, "AWS credentials cannot be had now: " + words}
	}
	return &problem{ErrNoCredentials, "no AWS credentials: " + words}
}

// isForbidden knows also the ValidationError that Auto Scaling gives when the
// caller lacks rights to what the launch template uses.
func isForbidden(code, message string) bool {
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
