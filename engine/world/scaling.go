package world

import (
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/text"
)

// Refresh is a roll of the group by the cloud itself (an EC2 instance refresh). The
// zero value is none.
type Refresh struct {
	ID string
	// Status is the cloud's own word: Pending, InProgress, Cancelling, ...
	Status string
	// Percent is how far it says that it has come.
	Percent int
	// Since is when it began, zero while it has not.
	Since time.Time
}

// Sentence says of a group's refresh that it is at work, and how to stop it; "" if none
// is.
func (r Refresh) Sentence(group string) string {
	if r.ID == "" {
		return ""
	}
	return text.RefreshAtWork(r.ID, r.Status, r.Percent, group)
}

// Scaling is what changes the size of a group by itself.
type Scaling struct {
	Policies []Policy
	Schedule []Scheduled
	// Unread is why these are not known, or only as they were long ago; "" if they are.
	Unread string
}

// Policy is a scaling policy: it changes the desired size when its alarm, target or
// forecast says so.
type Policy struct {
	Name string
	// Kind is the cloud's own word: TargetTrackingScaling, StepScaling, ...
	Kind string
}

// Scheduled is a change of a group's sizes at a time.
type Scheduled struct {
	Name string
	// At is when it happens next; Recurs its cron expression, "" for once.
	At     time.Time
	Recurs string
	// Min, Max and Desired are what it sets, nil for what it leaves.
	Min     *int
	Max     *int
	Desired *int
}

// Sets says what it sets, like Sizes.String.
func (s Scheduled) Sets() string {
	var parts []string
	for _, p := range []struct {
		name string
		n    *int
	}{{"min", s.Min}, {"max", s.Max}, {"desired", s.Desired}} {
		if p.n != nil {
			parts = append(parts, text.SizeTo(p.name, *p.n))
		}
	}
	return strings.Join(parts, ", ")
}

// Clean is the refresh with all its strings clean.
func (r Refresh) Clean() Refresh {
	r.ID, r.Status = Clean(r.ID), Clean(r.Status)
	return r
}

// Clean is the scaling with all its strings clean. The lists of the one given are left
// as they are.
func (s Scaling) Clean() Scaling {
	s.Unread = Clean(s.Unread)
	s.Policies, s.Schedule = slices.Clone(s.Policies), slices.Clone(s.Schedule)
	for i, p := range s.Policies {
		s.Policies[i] = Policy{Name: Clean(p.Name), Kind: Clean(p.Kind)}
	}
	for i := range s.Schedule {
		c := &s.Schedule[i]
		c.Name, c.Recurs = Clean(c.Name), Clean(c.Recurs)
	}
	return s
}
