package record

import (
	"strconv"

	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// SizeChange is what a SetSizes sends: nil for a size that stays as it is. A size that is not
// sent cannot undo what another user or tool has made of it since it was read.
type SizeChange struct{ Min, Max, Desired *int }

// SizeChange is the difference between From and Sizes; without From it is all of Sizes.
func (a Action) SizeChange() SizeChange {
	to := *a.Sizes
	c := SizeChange{&to.Min, &to.Max, &to.Desired}
	if a.From == nil {
		return c
	}
	if a.From.Min == to.Min {
		c.Min = nil
	}
	if a.From.Max == to.Max {
		c.Max = nil
	}
	if a.From.Desired == to.Desired {
		c.Desired = nil
	}
	return c
}

// In lays the change over sizes.
func (c SizeChange) In(s world.Sizes) world.Sizes {
	for _, f := range c.fields() {
		if f.to != nil {
			*f.of(&s) = *f.to
		}
	}
	return s
}

// IsIn reports whether sizes have what the change sends, whatever the others are.
func (c SizeChange) IsIn(s world.Sizes) bool { return c.In(s) == s }

// named are the sizes that the change sends: "max 18, desired 18".
func (c SizeChange) named() string { return text.SizesTo(c.Min, c.Max, c.Desired) }

// flags are those of the AWS CLI that send the change.
func (c SizeChange) flags() (out string) {
	for _, f := range c.fields() {
		if f.to != nil {
			out += " " + f.flag + " " + strconv.Itoa(*f.to)
		}
	}
	return out
}

// sizeField is one of the sizes: its new value, its place, and its flag of the AWS CLI.
type sizeField struct {
	to   *int
	of   func(*world.Sizes) *int
	flag string
}

func (c SizeChange) fields() []sizeField {
	return []sizeField{
		{c.Min, func(s *world.Sizes) *int { return &s.Min }, "--min-size"},
		{c.Max, func(s *world.Sizes) *int { return &s.Max }, "--max-size"},
		{c.Desired, func(s *world.Sizes) *int { return &s.Desired }, "--desired-capacity"},
	}
}
