package wire

import (
	"fmt"
	"net/http"
	"strings"
)

// Error is an error as a service answers it.
type Error struct {
	Code, Message string
	Status        int // of HTTP
}

// NewError is an error with its HTTP status.
func NewError(code, message string, status int) *Error {
	return &Error{code, message, status}
}

// Invalid is Auto Scaling's answer to nearly everything that cannot be.
func Invalid(format string, args ...any) *Error {
	return NewError("ValidationError", fmt.Sprintf(format, args...), http.StatusBadRequest)
}

// EC2Error is an error of EC2, which has a code for each case.
func EC2Error(code, format string, args ...any) *Error {
	return NewError(code, fmt.Sprintf(format, args...), http.StatusBadRequest)
}

// Denied is the error of a call that the caller, an ARN, has no right to, about a resource, an ARN or *.
func Denied(caller string, r *Request, resource string) *Error {
	action := r.Service + ":" + r.Action
	on := ""
	if resource != "*" && !strings.HasPrefix(r.Action, "Describe") {
		on = " on resource: " + resource
	}
	message := fmt.Sprintf("User: %s is not authorized to perform: %s%s because no identity-based policy allows the %s action", caller, action, on, action)
	if r.Service == "ec2" {
		return NewError("UnauthorizedOperation", "You are not authorized to perform this operation. "+message, http.StatusForbidden)
	}
	return NewError("AccessDenied", message, http.StatusForbidden)
}

// Throttled is the error of a service that has too many calls; like those below it has the code and the
// status of each service's own.
func Throttled(service string) *Error {
	switch service {
	case "ec2":
		return NewError("RequestLimitExceeded", "Request limit exceeded.", http.StatusServiceUnavailable)
	case S3:
		return NewError("SlowDown", "Please reduce your request rate.", http.StatusServiceUnavailable)
	}
	return NewError("Throttling", "Rate exceeded", http.StatusBadRequest)
}

// Internal is the error of a service that failed by itself.
func Internal(service string) *Error {
	switch service {
	case "ec2":
		return NewError("InternalError", "An internal error has occurred", http.StatusInternalServerError)
	case S3:
		return NewError("InternalError", "We encountered an internal error. Please try again.", http.StatusInternalServerError)
	}
	return NewError("InternalFailure", "The request processing has failed because of an unknown error, exception or failure.", http.StatusInternalServerError)
}

// Expired is the error of a call whose credentials have expired.
func Expired(service string) *Error {
	switch service {
	case "ec2":
		return NewError("RequestExpired", "Request has expired.", http.StatusBadRequest)
	case S3:
		return NewError("ExpiredToken", "The provided token has expired.", http.StatusBadRequest)
	}
	return NewError("ExpiredToken", "The security token included in the request is expired", http.StatusForbidden)
}

// NoCredentials is the error of a call that is not signed.
func NoCredentials(service string) *Error {
	if service == "ec2" {
		return NewError("AuthFailure", "AWS was not able to validate the provided access credentials", http.StatusUnauthorized)
	}
	return NewError("MissingAuthenticationToken", "Request is missing Authentication Token", http.StatusForbidden)
}
