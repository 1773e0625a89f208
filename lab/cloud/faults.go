package cloud

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/lab/cloud/s3"
	"github.com/drainboard/drainboard/lab/cloud/wire"
	"github.com/drainboard/drainboard/lab/gate"
)

// faults are the switches that tests turn while the cloud runs, but for those of package access.
type faults struct {
	capacity  map[string]int           // zone: launches left, absent: no limit
	quota     int                      // vCPUs that may run, 0: defaultQuota
	addresses map[string]int           // zone: addresses of its subnet, absent: all
	boot      map[string]time.Duration // by group
	failures  map[string][]Failure     // by group, of its next launches
	images    map[string]string        // image: name, "" for one that does not exist
}

func newFaults() faults {
	return faults{
		capacity:  map[string]int{},
		addresses: map[string]int{},
		boot:      map[string]time.Duration{},
		failures:  map[string][]Failure{},
		images:    map[string]string{},
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

// imageName is the name of an image, false if it does not exist.
func (f *faults) imageName(id string) (string, bool) {
	if name, set := f.images[id]; set {
		return name, name != ""
	}
	return "lab-node-" + strings.TrimPrefix(id, "ami-"), id != ""
}

// Gate stands before the endpoint, so that single calls can go wrong.
func (c *Cloud) Gate() *gate.Gate { return c.gate }

// Asks is the calls with an access key: of an action, or of any if it is empty.
func Asks(key, action string) func(gate.Request) bool {
	return func(r gate.Request) bool {
		if of := wire.AccessKey(r.Header); of == "" || of != key {
			return false
		}
		return action == "" || asked(r) == action
	}
}

// asked is the action of a call.
func asked(r gate.Request) string {
	if s3.Is(r.Request) {
		return s3.Decode(r.Request, r.Body).Action
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
var Troubles = []gate.Failure{Throttling, failing(wire.Internal, false), failing(wire.Internal, true), gate.Silence}

// Throttling refuses a call as Throttle does.
func Throttling(w http.ResponseWriter, r *http.Request, server http.Handler) {
	failing(wire.Throttled, false)(w, r, server)
}

// failing answers with an error, once the call was carried out or in its place.
func failing(why func(service string) *wire.Error, done bool) gate.Failure {
	return func(w http.ResponseWriter, r *http.Request, server http.Handler) {
		name := jsonService(r)
		if !s3.Is(r) && name == "" { // before the server has it, which would use the body up
			if err := r.ParseForm(); err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
		}
		if done {
			gate.Unheard(r, server)
		}
		if s3.Is(r) {
			s3.WriteError(w, r, why(wire.S3), "trouble")
			return
		}
		if name != "" {
			jsonFailure(name, why(name)).write(w, "trouble")
			return
		}
		p := protocols[r.Form.Get("Version")]
		failed := why(p.Service)
		w.Header().Set("Content-Type", "text/xml;charset=UTF-8")
		w.WriteHeader(failed.Status)
		p.Failure(failed, "trouble").Write(w)
	}
}
