package status

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/session"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/providers/asg/taglock"
)

// cloudOnly shows runs without Kubernetes: those recorded on this machine, and others as far
// as the tags of their groups have them.
func (a *Status) cloudOnly(ctx context.Context) error {
	s, disk, err := a.Options.OpenCloudOnly(ctx, a.Where, true)
	if err != nil {
		return err
	}
	groups, err := s.Groups.List(ctx, nil)
	if err != nil {
		return exitcode.Usage(err)
	}
	records, err := disk.Records()
	if err != nil {
		return exitcode.Usage(err)
	}
	if a.Group != "" {
		groups = slices.DeleteFunc(groups, func(g present.GroupRow) bool { return a.Group != g.Name && a.Group != g.InstanceGroup })
		if len(groups) == 0 {
			return exitcode.Usage(fmt.Errorf("no group %s created by kops in cluster %s (drainboard groups --cloudonly lists them)", a.Group, s.Cluster()))
		}
	}
	list, trouble, err := a.listOnDisk(s, disk, groups, records)
	if err != nil {
		return err
	}
	if a.JSON {
		return cmp.Or(a.writeJSON(groups, list, trouble), errors.Join(trouble...))
	}
	if len(list) == 0 && len(trouble) == 0 {
		fmt.Fprintln(a.Out, "No runs without Kubernetes.")
	}
	for _, of := range list {
		if of.RecordAt == "" {
			present.WriteStatus(a.Out, of, s.Clock().Now())
		} else {
			present.WriteElsewhere(a.Out, of, s.Cluster())
		}
	}
	return errors.Join(trouble...)
}

// listOnDisk returns the runs of these groups, and what of records and tags could not be read.
func (a *Status) listOnDisk(s *session.Session, disk *session.OnDisk, groups []present.GroupRow, records []live.Stored) (list []present.Status, trouble []error, err error) {
	list = []present.Status{}
	for _, g := range groups {
		rec, err := disk.RecordOf(g.Name, records)
		if err != nil && a.Group != "" {
			return nil, nil, session.Unreadable(err, present.UpgradeCloudOnly(a.Group, s.Cluster()))
		}
		tag, strange := taglock.Read(g.Name, g.Tags)
		for _, err := range []error{err, strange} {
			if err != nil {
				trouble = append(trouble, err)
			}
		}
		switch {
		case tag.Run != "" && !tag.Of(rec.Run.ID):
			list = append(list, present.Status{Run: tag.Run, Group: g.Name, Alias: g.InstanceGroup, Stages: map[record.Stage]int{}, Driver: driverBy(tag, s.Clock().Now()), RecordAt: cmp.Or(tag.At, "another machine")})
		case rec.Run.ID != "":
			of, err := a.statusOnDisk(disk, g, rec.Run, tag)
			if err != nil {
				return nil, nil, err
			}
			list = append(list, of)
		}
	}
	return list, trouble, nil
}

// statusOnDisk returns the state of a run recorded on this machine; for a single group with its
// earlier runs.
func (a *Status) statusOnDisk(disk *session.OnDisk, g present.GroupRow, run record.Run, tag taglock.Tag) (present.Status, error) {
	of := present.StatusOf(run)
	if of.State != record.Finished {
		of.Driver = driverBy(tag, disk.Clock().Now())
	}
	if a.Group == "" {
		return of, nil
	}
	past, err := disk.Past(g.Name, g.ID)
	of.Past = present.PastOf(past)
	return of, exitcode.Usage(err)
}

// writeJSON writes the runs, or the state of the named group.
func (a *Status) writeJSON(groups []present.GroupRow, list []present.Status, trouble []error) error {
	switch {
	case a.Group == "":
		return present.JSON(a.Out, present.StatusList(list, trouble))
	case len(list) == 0:
		return present.JSON(a.Out, present.NoRunOf(groups[0]))
	}
	return present.JSON(a.Out, list[0].JSON())
}

// driverBy returns the driver of a run by the tag of its group, "" if there is none.
func driverBy(tag taglock.Tag, now time.Time) string {
	if tag.Held(now) {
		return tag.Holder
	}
	return ""
}
