package cloud

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/drainboard/drainboard/lab/cloud/wire"
)

// A Service is an API with JSON on the wire that another package serves behind the
// cloud's endpoint. Faults, rights, Calls and Gate hold for it as for the cloud's own.
type Service interface {
	// Answer carries out a call of a known action. It is called without any lock held
	// and may call the Cloud.
	Answer(r *http.Request, body []byte) Answer
}

// Answer is what a Service answers.
type Answer struct {
	Status int
	Code   string // of the error, "" for success
	Body   []byte // JSON
}

// A Decoder reads a call of a Service: its action as IAM names it, "" for one that the
// service does not know, and its parameters.
type Decoder func(r *http.Request, body []byte) (action string, params url.Values)

// decoders are those of the services, by the name in the scope of a signature. They are
// set before anything is served.
var decoders = map[string]Decoder{}

// Speak makes the protocol of a service known. It is for init functions.
func Speak(service string, d Decoder) { decoders[service] = d }

// Mount lets a service, whose protocol Speak made known, answer the calls that are signed
// for it.
func (c *Cloud) Mount(name string, s Service) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.services[name] = s
}

// jsonService is the service with JSON on the wire that a call was signed for, "" for
// any other.
func jsonService(h *http.Request) string {
	_, service, _ := wire.SignedFor(h.Header)
	if decoders[service] == nil {
		return ""
	}
	return service
}

// serveJSON answers a call of a Service.
func (c *Cloud) serveJSON(w http.ResponseWriter, h *http.Request, name string) {
	body, err := io.ReadAll(h.Body)
	if err != nil {
		panic(http.ErrAbortHandler) // the client is gone
	}
	h.Body = io.NopCloser(bytes.NewReader(body))
	r := &wire.Request{Service: name, Key: wire.AccessKey(h.Header)}
	r.Action, r.Form = decoders[name](h, body)
	c.mu.Lock()
	service, id := c.services[name], c.uuid()
	failed, lost := c.refuseJSON(service, r), c.Loses(r)
	c.mu.Unlock()

	var answer Answer
	if failed == nil {
		answer = service.Answer(h, body)
	} else {
		answer = jsonFailure(name, failed)
	}
	c.mu.Lock()
	c.calls = append(c.calls, Call{Time: time.Now(), Service: r.Service, Action: r.Action, Params: r.Form,
		Code: answer.Code, UserAgent: h.UserAgent(), AccessKey: r.Key, Lost: lost})
	c.mu.Unlock()
	if lost {
		panic(http.ErrAbortHandler) // breaks the connection
	}
	answer.write(w, id)
}

// refuseJSON is why a call does not reach its service, nil if it does. The caller holds
// mu.
func (c *Cloud) refuseJSON(s Service, r *wire.Request) *wire.Error {
	switch {
	case s == nil || r.Action == "":
		return wire.NewError("UnknownOperationException", "The lab does not know this operation.", http.StatusNotFound)
	case r.Key == "":
		return wire.NoCredentials(r.Service)
	}
	return c.Refuse(r, "*")
}

// jsonCodes are the names that services with JSON on the wire have for common errors,
// and their status; "Common errors" in the API references of EKS and Systems Manager.
var jsonCodes = map[string]wire.Error{
	"Throttling":                 {Code: "ThrottlingException", Status: http.StatusTooManyRequests},
	"InternalFailure":            {Code: "ServerException", Status: http.StatusInternalServerError},
	"ExpiredToken":               {Code: "ExpiredTokenException", Status: http.StatusForbidden},
	"AccessDenied":               {Code: "AccessDeniedException", Status: http.StatusForbidden},
	"MissingAuthenticationToken": {Code: "MissingAuthenticationTokenException", Status: http.StatusForbidden},
}

// jsonFailure is an error as a service with JSON on the wire answers it. Systems Manager,
// whose protocol is the older one, has 400 for what the caller did and another name for
// what it did itself.
func jsonFailure(service string, e *wire.Error) Answer {
	code, status := e.Code, e.Status
	if as, known := jsonCodes[e.Code]; known {
		code, status = as.Code, as.Status
	}
	if service != "eks" {
		switch {
		case status < http.StatusInternalServerError:
			status = http.StatusBadRequest
		default:
			code = "InternalServerError"
		}
	}
	return Refused(status, code, map[string]any{"message": e.Message})
}

// Refused is the answer with an error: its code and the members of its shape.
func Refused(status int, code string, members map[string]any) Answer {
	body, _ := json.Marshal(members) // strings and lists of them
	return Answer{Status: status, Code: code, Body: body}
}

func (a Answer) write(w http.ResponseWriter, id string) {
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("X-Amzn-Requestid", id)
	if a.Code != "" {
		header.Set("X-Amzn-ErrorType", a.Code)
	}
	w.WriteHeader(a.Status)
	_, _ = w.Write(a.Body)
}
