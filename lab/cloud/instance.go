package cloud

import (
	"fmt"
	"hash/fnv"
	"strings"
	"time"
)

// Instance is a machine, as EC2 and its group know it.
type Instance struct {
	ID, Group, Zone, Type    string
	PrivateIP, PrivateDNS    string
	ImageID                  string
	TemplateID, TemplateName string // empty where a launch configuration was used
	TemplateVersion          int64  // as resolved at the launch, never $Latest or $Default
	Tags                     map[string]string
	UserData                 string // base64, as in the launch template
	State                    string // see the constants below
	LaunchTime               time.Time
	Spot                     bool // EC2 may take it back; see Cloud.Interrupt
}

// The lifecycle states of an instance in its group. Terminated and Detached ones
// are no members any more; a detached instance runs on. The states of a warm
// pool's instances start with Warmed, such as Warmed:Stopped.
const (
	Pending            = "Pending"
	PendingWait        = "Pending:Wait" // for lifecycle hooks
	PendingProceed     = "Pending:Proceed"
	InService          = "InService"
	Standby            = "Standby"
	Terminating        = "Terminating"
	TerminatingWait    = "Terminating:Wait" // for lifecycle hooks
	TerminatingProceed = "Terminating:Proceed"
	Detaching          = "Detaching" // until its connections have drained
	Terminated         = "Terminated"
	Detached           = "Detached"

	Warmed = "Warmed:"
)

// instance is the full record. Records are replaced, never changed: see Cloud.edit.
type instance struct {
	Instance
	seq          uint64 // order of launch
	subnet       string
	launchConfig string
	ec2          string // pending, running, stopped, shutting-down, terminated
	unhealthy    bool
	protected    bool // from scale-in
	told         bool // Machines knows it
	started      time.Time
	ended        time.Time // told to shut down
	activity     string    // the one to complete when its transition ends
	boot         time.Duration
	waits        []wait      // for lifecycle hooks
	failing      bool        // it never joins; see Cloud.Fail
	impaired     bool        // its status checks fail
	console      string      // empty: the usual
	dies         time.Time   // when it ends by itself; zero: never
	reason       stateReason // why it ends, or did
}

// stateReason is why EC2 says that an instance ended.
type stateReason struct{ code, message string }

var userInitiated = stateReason{"Client.UserInitiatedShutdown", "User initiated shutdown"}

func (r stateReason) String() string { return r.code + ": " + r.message }

// phase is the state without the warm pool's prefix and a hook's suffix.
func (i *instance) phase() string {
	phase, _, _ := strings.Cut(strings.TrimPrefix(i.State, Warmed), ":")
	return phase
}

// warm says whether the instance is in a warm pool.
func (i *instance) warm() bool { return strings.HasPrefix(i.State, Warmed) }

// in is a state as the instance has it where it is: in its group or the warm pool.
func (i *instance) in(state string) string {
	if i.warm() {
		return Warmed + state
	}
	return state
}

// member says whether its group still lists the instance.
func (i *instance) member() bool {
	return !i.warm() && i.State != Terminated && i.State != Detached
}

// counts says whether the instance counts towards the group's desired capacity.
func (i *instance) counts() bool {
	return !i.warm() && (i.phase() == Pending || i.State == InService)
}

// alive says whether EC2 has it still: running, about to, or stopped.
func (i *instance) alive() bool { return i.ec2 != "shutting-down" && i.ec2 != "terminated" }

// id makes an identifier like AWS's: the prefix and 17 hexadecimal digits that
// look random, but are the same in every run. The caller holds mu.
func (c *Cloud) id(prefix string) string {
	c.seq++
	h := fnv.New64a()
	fmt.Fprintf(h, "%s %d", prefix, c.seq)
	return fmt.Sprintf("%s-0%016x", prefix, h.Sum64())
}

// uuid is an identifier in the form that activities have. The caller holds mu.
func (c *Cloud) uuid() string {
	s := c.id("x")[2:] + c.id("x")[2:]
	return s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[17:21] + "-" + s[21:33]
}

// zoneID is the name of a zone that is the same in all accounts, such as lab1-az1.
func (c *Cloud) zoneID(zone string) string {
	for n, z := range c.o.Zones {
		if z == zone {
			return fmt.Sprintf("lab1-az%d", n+1)
		}
	}
	return ""
}

// subnet is the one subnet of a zone.
func (c *Cloud) subnet(zone string) string {
	h := fnv.New64a()
	h.Write([]byte(zone))
	return fmt.Sprintf("subnet-0%016x", h.Sum64())
}

// zoneOf is the zone of a subnet, "" for an unknown one.
func (c *Cloud) zoneOf(subnet string) string {
	for _, z := range c.o.Zones {
		if c.subnet(z) == subnet {
			return z
		}
	}
	return ""
}

// Each zone has a /19 of 192.168.0.0/16; AWS keeps five addresses of a subnet.
const (
	vpc             = "vpc-0a1b2c3d4e5f60718"
	subnetAddresses = 1<<13 - 5
)

func (c *Cloud) cidr(zone string) string {
	for n, z := range c.o.Zones {
		if z == zone {
			return fmt.Sprintf("192.168.%d.0/19", n*32)
		}
	}
	return ""
}

// address picks an address of the zone that no living instance has, going round,
// so that an address is not used again soon. The caller holds mu.
func (c *Cloud) address(zone string) string {
	used := map[string]bool{}
	for _, i := range c.state.instances {
		if i.ec2 != "terminated" {
			used[i.PrivateIP] = true
		}
	}
	first := 0
	for n, z := range c.o.Zones {
		if z == zone {
			first = n << 13
		}
	}
	for {
		n := first + 4 + c.addresses[zone]%subnetAddresses
		c.addresses[zone]++
		if ip := fmt.Sprintf("192.168.%d.%d", n>>8, n&255); !used[ip] {
			return ip
		}
	}
}
