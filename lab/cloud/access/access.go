// Package access is who calls the lab's AWS and what comes of a call before anything is done: rights,
// throttling, expired credentials, and answers that get lost (Rules); and the actions of IAM and STS,
// which tell of that (iam.go).
package access

import (
	"sync"

	"github.com/drainboard/drainboard/lab/cloud/wire"
)

// Account is the AWS account that everything belongs to.
const Account = "123456789012"

// User is who every caller is but those of Assume.
const User = "arn:aws:iam::" + Account + ":user/lab"

// Rules say which calls are refused, and whose answers are lost, while the cloud runs. An action is
// named as in IAM policies, such as autoscaling:UpdateAutoScalingGroup; the service may be left out.
type Rules struct {
	mu       sync.Mutex
	denied   map[string]bool
	granted  map[string]map[string]bool // by access key: all that it may do, absent: everything
	lose     map[string]int             // action: answers left to lose
	throttle throttle
	slow     map[string]*throttle // by access key
	expired  bool
	oldKeys  map[string]bool // access keys that have expired
	roles    map[string]role // by access key: the role that it is a session of
	broken   map[string]bool // access keys that only get internal errors
}

// New are rules that let everything through.
func New() *Rules {
	return &Rules{
		denied:  map[string]bool{},
		granted: map[string]map[string]bool{},
		lose:    map[string]int{},
		slow:    map[string]*throttle{},
		oldKeys: map[string]bool{},
		roles:   map[string]role{},
		broken:  map[string]bool{},
	}
}

// set changes the rules.
func (rs *Rules) set(change func()) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	change()
}

// throttle refuses a part of the calls.
type throttle struct {
	part float64
	owed float64 // what rounding left
}

// refuses says whether this call is refused, and counts it.
func (t *throttle) refuses() bool {
	if t == nil || t.part <= 0 {
		return false
	}
	if t.owed += t.part; t.owed < 1 {
		return false
	}
	t.owed--
	return true
}

// Deny refuses an action until Allow: AccessDenied, of EC2 UnauthorizedOperation.
func (rs *Rules) Deny(action string) { rs.set(func() { rs.denied[action] = true }) }

// Allow undoes Deny.
func (rs *Rules) Allow(action string) { rs.set(func() { delete(rs.denied, action) }) }

// DenyKey refuses an action to one access key, or grants it again, so that tests
// side by side do not see each other's missing rights.
func (rs *Rules) DenyKey(key, action string, denied bool) {
	rs.set(func() { rs.denied[key+" "+action] = denied })
}

// Grant lets an access key do just these actions, as IAM names them, and whatever
// needs no right.
func (rs *Rules) Grant(key string, actions ...string) {
	granted := map[string]bool{}
	for _, action := range actions {
		granted[action] = true
	}
	rs.set(func() { rs.granted[key] = granted })
}

// Throttle refuses this part of all calls, spread evenly: Throttling, of EC2
// RequestLimitExceeded. 0 is none, 1 is all.
func (rs *Rules) Throttle(fraction float64) {
	rs.set(func() { rs.throttle = throttle{part: fraction} })
}

// ThrottleKey is Throttle for the calls with one access key.
func (rs *Rules) ThrottleKey(key string, fraction float64) {
	rs.set(func() { rs.slow[key] = &throttle{part: fraction} })
}

// ExpireCredentials makes all credentials count as expired, or valid again.
func (rs *Rules) ExpireCredentials(expired bool) {
	rs.set(func() { rs.expired = expired })
}

// ExpireKey makes the credentials of one access key count as expired, or valid
// again.
func (rs *Rules) ExpireKey(key string, expired bool) {
	rs.set(func() { rs.oldKeys[key] = expired })
}

// BreakKey makes all calls with one access key end with an internal error (500), or work again.
func (rs *Rules) BreakKey(key string, broken bool) {
	rs.set(func() { rs.broken[key] = broken })
}

// LoseAnswers carries out the next n calls of an action and then breaks the
// connection instead of answering.
func (rs *Rules) LoseAnswers(action string, n int) { rs.set(func() { rs.lose[action] = n }) }

// LoseAnswersTo is LoseAnswers for the calls with one access key.
func (rs *Rules) LoseAnswersTo(key, action string, n int) {
	rs.set(func() { rs.lose[key+" "+action] = n })
}

// Refuse is the error that a call about a resource, by its ARN or *, gets because of a rule, nil for
// none. It counts the call.
func (rs *Rules) Refuse(r *wire.Request, resource string) *wire.Error {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if rs.expired || rs.oldKeys[r.Key] {
		return wire.Expired(r.Service)
	}
	if rs.broken[r.Key] {
		return wire.Internal(r.Service)
	}
	if rs.throttle.refuses() || rs.slow[r.Key].refuses() {
		return wire.Throttled(r.Service)
	}
	if rs.forbids(r) {
		return wire.Denied(rs.caller(r.Key), r, resource)
	}
	return nil
}

// Forbids says whether the caller has no right to the action.
func (rs *Rules) Forbids(r *wire.Request) bool {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	return rs.forbids(r)
}

func (rs *Rules) forbids(r *wire.Request) bool {
	for _, name := range []string{r.Service + ":" + r.Action, r.Action} {
		if rs.denied[name] || rs.denied[r.Key+" "+name] {
			return true
		}
	}
	granted, limited := rs.granted[r.Key]
	return limited && r.Service != "sts" && !granted[r.Service+":"+r.Action]
}

// Loses says whether the answer to this call gets lost, and counts it.
func (rs *Rules) Loses(r *wire.Request) bool {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for _, name := range []string{r.Service + ":" + r.Action, r.Action} {
		for _, name := range []string{name, r.Key + " " + name} {
			if rs.lose[name] > 0 {
				rs.lose[name]--
				return true
			}
		}
	}
	return false
}

// role is one whose session an access key is of.
type role struct{ path, name string }

// arn is the role's own, with its path; session that of who has assumed it, without.
func (r role) arn() string { return "arn:aws:iam::" + Account + ":role" + r.path + r.name }

func (r role) session() string { return "arn:aws:sts::" + Account + ":assumed-role/" + r.name + "/lab" }

// Assume makes an access key one of a session of a role, whose path begins and ends with a
// slash. Keys are the user lab's otherwise.
func (rs *Rules) Assume(key, path, name string) {
	rs.set(func() { rs.roles[key] = role{path, name} })
}

// Denied is the error of a call that the caller has no right to, about a resource.
func (rs *Rules) Denied(r *wire.Request, resource string) *wire.Error {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	return wire.Denied(rs.caller(r.Key), r, resource)
}

// caller is who an access key is of, as STS and refusals name them; principal is whose policies
// that is.
func (rs *Rules) caller(key string) string {
	if r, assumed := rs.roles[key]; assumed {
		return r.session()
	}
	return User
}

func (rs *Rules) principal(key string) string {
	if r, assumed := rs.roles[key]; assumed {
		return r.arn()
	}
	return User
}
