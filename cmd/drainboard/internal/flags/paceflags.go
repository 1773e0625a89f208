package flags

import (
	"fmt"
	"strings"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// pace sets how many nodes the group's own controller is to replace at once while the run lasts.
func (f *Roll) pace(s *record.Settings) error {
	if f.maxSurge == "" && f.maxUnavailable == "" {
		return nil
	}
	set := world.Pace{}
	for _, v := range []struct {
		flag, given string
		into        *string
	}{{"max-surge", f.maxSurge, &set.MaxSurge}, {"max-unavailable", f.maxUnavailable, &set.MaxUnavailable}} {
		if strings.TrimSpace(v.given) == "" {
			continue
		}
		a, err := record.ParseAmount(v.given)
		if err != nil {
			return fmt.Errorf("--%s: %w", v.flag, err)
		}
		*v.into = a.String()
	}
	s.Pace = &set
	return nil
}
