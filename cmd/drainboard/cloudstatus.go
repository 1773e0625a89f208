package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/providers/asg"
)

// statusCloudOnly is status of runs without Kubernetes: of those whose records are on this
// machine, and of others as far as the tags of their groups tell.
func (a *app) statusCloudOnly(ctx context.Context, where backend.Where, group string, asJSON bool) error {
	s, err := a.openCloudOnly(ctx, where, true)
	if err != nil {
		return err
	}
	groups, err := s.groups.List(ctx, nil)
	if err != nil {
		return exitcode.Usage(err)
	}
	records, err := s.records.Records()
	if err != nil {
		return exitcode.Usage(err)
	}
	list, known := []present.Status{}, group == ""
	var named present.GroupRow // the group that is asked for
	var trouble error
	for _, g := range groups {
		if group != "" && group != g.Name && group != g.InstanceGroup {
			continue
		}
		known, named = true, g
		rec, err := s.recordOf(g.Name, records)
		if err != nil && group != "" {
			return unreadable(err, present.UpgradeCloudOnly(group, s.Cluster()))
		}
		tag, strange := asg.RunTagOf(g.Name, g.Tags)
		trouble = errors.Join(trouble, err, strange)
		switch {
		case tag.Run != "" && !tag.Of(rec.Run.ID):
			list = append(list, present.Status{Run: tag.Run, Group: g.Name, Alias: g.InstanceGroup, Stages: map[record.Stage]int{}, Driver: driverBy(tag, s), RecordAt: cmp.Or(tag.At, "another machine")})
		case rec.Run.ID != "":
			of := present.StatusOf(rec.Run)
			if of.State != record.Finished {
				of.Driver = driverBy(tag, s)
			}
			if group != "" {
				past, err := s.records.Past(g.Name, g.ID)
				if err != nil {
					return exitcode.Usage(err)
				}
				of.Past = present.PastOf(past)
			}
			list = append(list, of)
		}
	}
	switch {
	case !known:
		return exitcode.Usage(fmt.Errorf("kops has made no group %s in cluster %s; drainboard groups --cloudonly lists them", group, s.Cluster()))
	case asJSON:
		switch {
		case group == "":
			return present.JSON(a.Out, present.StatusList(list))
		case len(list) == 0:
			return present.JSON(a.Out, present.NoRunOf(named))
		}
		return present.JSON(a.Out, list[0].JSON())
	case len(list) == 0:
		fmt.Fprintln(a.Out, "No run without Kubernetes yet.")
	}
	for _, of := range list {
		if of.RecordAt == "" {
			present.WriteStatus(a.Out, of, s.Clock().Now())
			continue
		}
		fmt.Fprintf(a.Out, "%s  %s  not ended; its record is on another machine: %s\n", of.Group, of.Run, of.RecordAt)
		if of.Driver != "" {
			fmt.Fprintf(a.Out, "  driven by %s\n", of.Driver)
		} else {
			fmt.Fprintf(a.Out, "  nobody drives it; %s goes on with it there\n", present.UpgradeCloudOnly(of.Group, s.Cluster()))
		}
	}
	return exitcode.Usage(trouble)
}

// driverBy is who drives a run by the tag of its group, "" if nobody does.
func driverBy(tag asg.RunTag, s *onDisk) string {
	if tag.Held(s.Clock().Now()) {
		return tag.Holder
	}
	return ""
}

// recordOf is the record of a group among those there are, the zero value if it has none.
func (h *onDisk) recordOf(group string, records []live.Stored) (live.Stored, error) {
	path := h.record(group).Path()
	i := slices.IndexFunc(records, func(r live.Stored) bool { return r.Name == path })
	if i < 0 {
		return live.Stored{}, nil
	}
	return records[i], records[i].Err
}
