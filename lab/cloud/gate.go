package cloud

import (
	"net/http"
	"net/url"

	"github.com/drainboard/drainboard/lab/gate"
)

// Gate stands before the endpoint, so that single calls can go wrong.
func (c *Cloud) Gate() *gate.Gate { return c.gate }

// Asks is the calls with an access key: of an action, or of any if it is empty.
func Asks(key, action string) func(gate.Request) bool {
	return func(r gate.Request) bool {
		m := credential.FindStringSubmatch(r.Header.Get("Authorization"))
		if m == nil || m[1] != key {
			return false
		}
		return action == "" || asked(r) == action
	}
}

// asked is the action of a call.
func asked(r gate.Request) string {
	if isS3(r.Request) {
		return decodeS3(r.Request, r.Body).action
	}
	if name := jsonService(r.Request); name != "" {
		action, _ := decoders[name](r.Request, r.Body)
		return action
	}
	form, err := url.ParseQuery(string(r.Body))
	if err != nil {
		return ""
	}
	return form.Get("Action")
}

// Troubles are the failures of a busy endpoint: a call is throttled, one ends in an
// error of the service's own before anything is done, one after it was done, and one
// is never answered.
var Troubles = []gate.Failure{Throttling, failing(errInternal, false), failing(errInternal, true), gate.Silence}

// Throttling refuses a call as Throttle does.
func Throttling(w http.ResponseWriter, r *http.Request, server http.Handler) {
	failing(errThrottled, false)(w, r, server)
}

// failing answers with an error, once the call was carried out or in its place.
func failing(why func(service string) *apiError, done bool) gate.Failure {
	return func(w http.ResponseWriter, r *http.Request, server http.Handler) {
		name := jsonService(r)
		if !isS3(r) && name == "" { // before the server has it, which would use the body up
			if err := r.ParseForm(); err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
		}
		if done {
			gate.Unheard(r, server)
		}
		if isS3(r) {
			writeS3Error(w, r, why(s3Service), "trouble")
			return
		}
		if name != "" {
			jsonFailure(name, why(name)).write(w, "trouble")
			return
		}
		p := protocols[r.Form.Get("Version")]
		failed := why(p.service)
		w.Header().Set("Content-Type", "text/xml;charset=UTF-8")
		w.WriteHeader(failed.status)
		p.failure(failed, "trouble").write(w)
	}
}
