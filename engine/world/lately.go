package world

import (
	"slices"
	"strings"
	"time"
)

// Lately is what a cloud tells of a group's time before it was looked at.
type Lately struct {
	// Launched is when machines that are there were launched, by their ids.
	Launched map[string]time.Time
	// Ends are how long machines took to end, from the request on.
	Ends []time.Duration
	// Launches are the last ones in each zone, those that failed and those that did not.
	Launches []Activity
}

// Clean is the same with all its strings clean: itself if they are.
func (l *Lately) Clean() *Lately {
	if l == nil {
		return nil
	}
	clean := true
	for id := range l.Launched {
		clean = clean && plain(id)
	}
	for i := range l.Launches {
		a := &l.Launches[i]
		clean = clean && plain(a.ID, a.Cause, a.Message, a.Launches, a.Ends, a.Zone)
	}
	if clean {
		return l
	}
	c := *l
	c.Launches = slices.Clone(l.Launches)
	CleanAll(&c)
	return &c
}

// Lack is why the cloud launches no machine of a group.
type Lack struct {
	// Zone is where it lacks room; "": the account may have no more machines, wherever.
	Zone string
	// Message is the cloud's own words, At when it said so last.
	Message string
	At      time.Time
}

// lacks is for how long a launch that failed tells of the next one.
const lacks = time.Hour

// Lacks are why the next launches of the group fail, as far as its last ones tell: in each zone
// where the newest one failed for want of room, or anywhere for want of quota.
func (g *Group) Lacks(now time.Time) (out []Lack) {
	list := g.Activities
	if g.Lately != nil {
		list = slices.Concat(list, g.Lately.Launches) // those are from before
	}
	known := map[string]bool{}
	quota := true
	for _, a := range list { // the newest first
		switch {
		case a.Launched:
			known[a.Zone], quota = true, false
		case !a.Failed:
		case known[a.Zone] || now.Sub(a.At) > lacks:
		case overQuota(a.Message):
			if quota {
				out, quota = append(out, Lack{Message: a.Message, At: a.At}), false
			}
		case withoutRoom(a.Message) && a.Zone != "":
			known[a.Zone] = true
			out = append(out, Lack{Zone: a.Zone, Message: a.Message, At: a.At})
		}
	}
	return out
}

// overQuota and withoutRoom tell by EC2's words why a launch failed (VcpuLimitExceeded,
// InstanceLimitExceeded, MaxSpotInstanceCountExceeded; InsufficientInstanceCapacity,
// InsufficientFreeAddressesInSubnet).
func overQuota(message string) bool {
	return strings.Contains(message, "vCPU limit") || strings.Contains(message, "instance limit") || strings.Contains(message, "Max spot instance count exceeded")
}

func withoutRoom(message string) bool {
	return strings.Contains(message, "do not have sufficient") || strings.Contains(message, "no Spot capacity") || strings.Contains(message, "not enough free addresses")
}
