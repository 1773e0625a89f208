package cloud

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// faults are the switches that tests turn while the cloud runs. An action is
// named as in IAM policies, such as autoscaling:UpdateAutoScalingGroup; the
// service may be left out.
type faults struct {
	capacity  map[string]int           // zone: launches left, absent: no limit
	quota     int                      // vCPUs that may run, 0: defaultQuota
	addresses map[string]int           // zone: addresses of its subnet, absent: all
	boot      map[string]time.Duration // by group
	failures  map[string][]Failure     // by group, of its next launches
	images    map[string]string        // image: name, "" for one that does not exist
	denied    map[string]bool
	granted   map[string]map[string]bool // by access key: all that it may do, absent: everything
	lose      map[string]int             // action: answers left to lose
	throttle  throttle
	slow      map[string]*throttle // by access key
	expired   bool
	oldKeys   map[string]bool // access keys that have expired
	roles     map[string]role // by access key: the role that it is a session of
	broken    map[string]bool // access keys that only get internal errors
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

func newFaults() faults {
	return faults{
		capacity:  map[string]int{},
		addresses: map[string]int{},
		boot:      map[string]time.Duration{},
		failures:  map[string][]Failure{},
		images:    map[string]string{},
		denied:    map[string]bool{},
		granted:   map[string]map[string]bool{},
		lose:      map[string]int{},
		slow:      map[string]*throttle{},
		oldKeys:   map[string]bool{},
		roles:     map[string]role{},
		broken:    map[string]bool{},
	}
}

func (c *Cloud) set(change func(f *faults)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change(&c.faults)
}

// SetCapacity lets a zone start n more instances, after which launches there fail
// with InsufficientInstanceCapacity; -1 is no limit.
func (c *Cloud) SetCapacity(zone string, n int) {
	c.set(func(f *faults) {
		setOrDelete(f.capacity, zone, n, n < 0)
		c.backoffs = map[string]backoff{}
		c.changed()
	})
}

// defaultQuota is how many vCPUs the account may run.
const defaultQuota = 20000

// SetQuota limits the vCPUs of running On-Demand instances to n, after which launches fail with
// VcpuLimitExceeded; 0 is the default.
func (c *Cloud) SetQuota(n int) {
	c.set(func(f *faults) {
		f.quota = n
		c.backoffs = map[string]backoff{}
		c.changed()
	})
}

// Quota is how many vCPUs of On-Demand instances may run.
func (c *Cloud) Quota() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return cmp.Or(c.faults.quota, defaultQuota)
}

// SetAddresses limits the subnet of a zone to n addresses in use, after which
// launches there fail with InsufficientFreeAddressesInSubnet; -1 is the whole subnet.
func (c *Cloud) SetAddresses(zone string, n int) {
	c.set(func(f *faults) {
		setOrDelete(f.addresses, zone, n, n < 0)
		c.backoffs = map[string]backoff{}
		c.changed()
	})
}

// SetBoot sets how long new instances of a group take from Pending to InService;
// a negative time is Options.Boot again.
func (c *Cloud) SetBoot(group string, d time.Duration) {
	c.set(func(f *faults) { setOrDelete(f.boot, group, d, d < 0) })
}

// NeverJoin makes the next n instances of a group run without Machines being
// told: they get InService, but no Node comes.
func (c *Cloud) NeverJoin(group string, n int) { c.Fail(group, n, Failure{}) }

// Failure is what is wrong with an instance that was launched. Machines is not
// told of it: no Node comes.
type Failure struct {
	// Code and Message are the state reason that the instance ends with, After its
	// launch, such as Client.InstanceInitiatedShutdown and "Instance initiated
	// shutdown". Without a Code it runs on.
	Code, Message string
	After         time.Duration
	// Console is what its console shows; empty: a kubelet that may not register.
	Console string
	// Impaired: its instance status check fails.
	Impaired bool
}

// Fail makes the next n instances of a group, from now on, fail in the same way.
func (c *Cloud) Fail(group string, n int, f Failure) {
	c.set(func(fs *faults) { fs.failures[group] = slices.Repeat([]Failure{f}, n) })
}

// fail lets a new instance have the failure that its group has next.
func (f *faults) fail(i *instance, now time.Time) {
	next := f.failures[i.Group]
	if len(next) == 0 {
		return
	}
	f.failures[i.Group] = next[1:]
	i.failing, i.console, i.impaired = true, next[0].Console, next[0].Impaired
	if next[0].Code != "" {
		i.dies, i.reason = now.Add(next[0].After), stateReason{next[0].Code, next[0].Message}
	}
}

// SetConsole sets what the console of an instance shows; an empty text is the
// usual again.
func (c *Cloud) SetConsole(id, text string) {
	c.change(id, func(i *instance) { i.console = text })
}

// SetImpaired makes the instance status check of an instance fail, or pass again.
func (c *Cloud) SetImpaired(id string, impaired bool) {
	c.change(id, func(i *instance) { i.impaired = impaired })
}

// change edits an instance if there is one.
func (c *Cloud) change(id string, change func(*instance)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := c.state.instances[id]; i != nil {
		c.edit(i, change)
	}
}

// SetImage gives an image a name for DescribeImages; an empty name makes the
// image one that does not exist, from which launches fail. Images that were never
// set exist and have a name made from their id.
func (c *Cloud) SetImage(id, name string) {
	c.set(func(f *faults) { f.images[id] = name })
}

// Deny refuses an action until Allow: AccessDenied, of EC2 UnauthorizedOperation.
func (c *Cloud) Deny(action string) { c.set(func(f *faults) { f.denied[action] = true }) }

// Allow undoes Deny.
func (c *Cloud) Allow(action string) { c.set(func(f *faults) { delete(f.denied, action) }) }

// DenyKey refuses an action to one access key, or grants it again, so that tests
// side by side do not see each other's missing rights.
func (c *Cloud) DenyKey(key, action string, denied bool) {
	c.set(func(f *faults) { f.denied[key+" "+action] = denied })
}

// Grant lets an access key do just these actions, as IAM names them, and whatever
// needs no right.
func (c *Cloud) Grant(key string, actions ...string) {
	granted := map[string]bool{}
	for _, action := range actions {
		granted[action] = true
	}
	c.set(func(f *faults) { f.granted[key] = granted })
}

// Throttle refuses this part of all calls, spread evenly: Throttling, of EC2
// RequestLimitExceeded. 0 is none, 1 is all.
func (c *Cloud) Throttle(fraction float64) {
	c.set(func(f *faults) { f.throttle = throttle{part: fraction} })
}

// ThrottleKey is Throttle for the calls with one access key.
func (c *Cloud) ThrottleKey(key string, fraction float64) {
	c.set(func(f *faults) { f.slow[key] = &throttle{part: fraction} })
}

// ExpireCredentials makes all credentials count as expired, or valid again.
func (c *Cloud) ExpireCredentials(expired bool) {
	c.set(func(f *faults) { f.expired = expired })
}

// ExpireKey makes the credentials of one access key count as expired, or valid
// again.
func (c *Cloud) ExpireKey(key string, expired bool) {
	c.set(func(f *faults) { f.oldKeys[key] = expired })
}

// BreakKey makes all calls with one access key end with an internal error (500), or work again.
func (c *Cloud) BreakKey(key string, broken bool) {
	c.set(func(f *faults) { f.broken[key] = broken })
}

// LoseAnswers carries out the next n calls of an action and then breaks the
// connection instead of answering.
func (c *Cloud) LoseAnswers(action string, n int) { c.set(func(f *faults) { f.lose[action] = n }) }

// LoseAnswersTo is LoseAnswers for the calls with one access key.
func (c *Cloud) LoseAnswersTo(key, action string, n int) {
	c.set(func(f *faults) { f.lose[key+" "+action] = n })
}

// internalError is EC2's word for an instance that it lost (EC2 user guide,
// "Troubleshoot instance termination").
var internalError = stateReason{"Server.InternalError", "Internal error"}

// Kill ends an instance as EC2 does when it loses one: its group hears of it with
// the next health check.
func (c *Cloud) Kill(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := c.state.instances[id]; i != nil {
		c.shutDown(i, internalError, time.Now())
	}
}

func setOrDelete[V any](m map[string]V, key string, v V, remove bool) {
	if remove {
		delete(m, key)
	} else {
		m[key] = v
	}
}

// refuse is the error that a call gets because of a fault, nil for none. The
// caller holds mu.
func (f *faults) refuse(r *request, resource string) *apiError {
	if f.expired || f.oldKeys[r.key] {
		return errExpired(r.service)
	}
	if f.broken[r.key] {
		return errInternal(r.service)
	}
	if f.throttle.refuses() || f.slow[r.key].refuses() {
		return errThrottled(r.service)
	}
	if f.forbids(r) {
		return errDenied(f.caller(r.key), r, resource)
	}
	return nil
}

// forbids says whether the caller has no right to the action.
func (f *faults) forbids(r *request) bool {
	for _, name := range []string{r.service + ":" + r.action, r.action} {
		if f.denied[name] || f.denied[r.key+" "+name] {
			return true
		}
	}
	granted, limited := f.granted[r.key]
	return limited && r.service != "sts" && !granted[r.service+":"+r.action]
}

// loses says whether the answer to this call gets lost, and counts it. The
// caller holds mu.
func (f *faults) loses(r *request) bool {
	for _, name := range []string{r.service + ":" + r.action, r.action} {
		for _, name := range []string{name, r.key + " " + name} {
			if f.lose[name] > 0 {
				f.lose[name]--
				return true
			}
		}
	}
	return false
}

// imageName is the name of an image, false if it does not exist.
func (f *faults) imageName(id string) (string, bool) {
	if name, set := f.images[id]; set {
		return name, name != ""
	}
	return "lab-node-" + strings.TrimPrefix(id, "ami-"), id != ""
}
