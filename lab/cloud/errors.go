package cloud

import (
	"fmt"
	"net/http"
	"strings"
)

// apiError is an error as a service answers it.
type apiError struct {
	code, message string
	status        int
}

// invalid is Auto Scaling's answer to nearly everything that cannot be.
func invalid(format string, args ...any) *apiError {
	return &apiError{"ValidationError", fmt.Sprintf(format, args...), http.StatusBadRequest}
}

// ec2Error is an error of EC2, which has a code for each case.
func ec2Error(code, format string, args ...any) *apiError {
	return &apiError{code, fmt.Sprintf(format, args...), http.StatusBadRequest}
}

// identity is who every caller is but those of Assume.
const identity = "arn:aws:iam::" + Account + ":user/lab"

func errDenied(caller string, r *request, resource string) *apiError {
	action := r.service + ":" + r.action
	on := ""
	if resource != "*" && !strings.HasPrefix(r.action, "Describe") {
		on = " on resource: " + resource
	}
	message := fmt.Sprintf("User: %s is not authorized to perform: %s%s because no identity-based policy allows the %s action", caller, action, on, action)
	if r.service == "ec2" {
		return &apiError{"UnauthorizedOperation", "You are not authorized to perform this operation. " + message, http.StatusForbidden}
	}
	return &apiError{"AccessDenied", message, http.StatusForbidden}
}

func errThrottled(service string) *apiError {
	switch service {
	case "ec2":
		return &apiError{"RequestLimitExceeded", "Request limit exceeded.", http.StatusServiceUnavailable}
	case s3Service:
		return &apiError{"SlowDown", "Please reduce your request rate.", http.StatusServiceUnavailable}
	}
	return &apiError{"Throttling", "Rate exceeded", http.StatusBadRequest}
}

func errInternal(service string) *apiError {
	switch service {
	case "ec2":
		return &apiError{"InternalError", "An internal error has occurred", http.StatusInternalServerError}
	case s3Service:
		return &apiError{"InternalError", "We encountered an internal error. Please try again.", http.StatusInternalServerError}
	}
	return &apiError{"InternalFailure", "The request processing has failed because of an unknown error, exception or failure.", http.StatusInternalServerError}
}

func errExpired(service string) *apiError {
	switch service {
	case "ec2":
		return &apiError{"RequestExpired", "Request has expired.", http.StatusBadRequest}
	case s3Service:
		return &apiError{"ExpiredToken", "The provided token has expired.", http.StatusBadRequest}
	}
	return &apiError{"ExpiredToken", "The security token included in the request is expired", http.StatusForbidden}
}

func errNoCredentials(service string) *apiError {
	if service == "ec2" {
		return &apiError{"AuthFailure", "AWS was not able to validate the provided access credentials", http.StatusUnauthorized}
	}
	return &apiError{"MissingAuthenticationToken", "Request is missing Authentication Token", http.StatusForbidden}
}
