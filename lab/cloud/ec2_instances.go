package cloud

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/lab/cloud/access"
	"github.com/drainboard/drainboard/lab/cloud/wire"
)

var ec2Handlers = map[string]handler{
	"DescribeInstances":      describeInstances,
	"DescribeInstanceStatus": describeInstanceStatus,
	"TerminateInstances":     terminateInstances,
	"GetConsoleOutput":       consoleOutput,

	"CreateTags":   createResourceTags,
	"DeleteTags":   deleteResourceTags,
	"DescribeTags": describeResourceTags,

	"DescribeLaunchTemplates":        describeTemplates,
	"DescribeLaunchTemplateVersions": describeVersions,
	"CreateLaunchTemplateVersion":    createVersion,
	"ModifyLaunchTemplate":           modifyTemplate,

	"DescribeAvailabilityZones": describeZones,
	"DescribeImages":            describeImages,
	"DescribeSubnets":           describeSubnets,
}

// stateCodes are the numbers that EC2 gives with an instance's state.
var stateCodes = map[string]int{"pending": 0, "running": 16, "shutting-down": 32, "terminated": 48, "stopped": 80}

func stateNode(name, state string) wire.Node {
	return wire.El(name, wire.Text("code", stateCodes[state]), wire.Text("name", state))
}

// instancesNamed are those of InstanceId.N, or all if there is none, that pass
// the filters of the call.
func instancesNamed(s *state, r *wire.Request) ([]*instance, *wire.Error) {
	ids := r.List("InstanceId")
	for _, id := range ids {
		if s.instances[id] == nil {
			return nil, errNoInstance(id)
		}
	}
	fs := r.Filters("Filter", "Value")
	var is []*instance
	for _, i := range s.all() {
		if (len(ids) == 0 || slices.Contains(ids, i.ID)) && !slices.ContainsFunc(fs, func(f wire.Filter) bool { return !i.passes(f) }) {
			is = append(is, i)
		}
	}
	return is, nil
}

func errNoInstance(id string) *wire.Error {
	return wire.EC2Error("InvalidInstanceID.NotFound", "The instance ID '%s' does not exist", id)
}

// passes checks one of the filters that DescribeInstances knows.
func (i *instance) passes(f wire.Filter) bool {
	if key, ok := strings.CutPrefix(f.Name, "tag:"); ok {
		v, has := i.Tags[key]
		return has && f.Matches(v)
	}
	switch f.Name {
	case "tag-key":
		return f.Matches(slices.Collect(maps.Keys(i.Tags))...)
	case "instance-state-name":
		return f.Matches(i.ec2)
	case "availability-zone":
		return f.Matches(i.Zone)
	case "instance-id":
		return f.Matches(i.ID)
	case "instance-lifecycle":
		return i.Spot && f.Matches("spot")
	case "instance-type":
		return f.Matches(i.Type)
	case "image-id":
		return f.Matches(i.ImageID)
	case "private-dns-name":
		return f.Matches(i.PrivateDNS)
	case "private-ip-address":
		return f.Matches(i.PrivateIP)
	case "subnet-id":
		return f.Matches(i.subnet)
	case "vpc-id":
		return f.Matches(vpc)
	}
	return false
}

func describeInstances(c *Cloud, r *wire.Request) ([]wire.Node, *wire.Error) {
	is, err := instancesNamed(c.seen(), r)
	if err != nil {
		return nil, err
	}
	from, to, token := 0, len(is), ""
	if !r.Has("InstanceId.1") {
		if from, to, token, err = r.Page(len(is), func(n int) string { return order(is[n].seq) }, "MaxResults", 1000, 1000); err != nil {
			return nil, err
		}
	}
	return []wire.Node{
		wire.Each("reservationSet", "item", is[from:to], func(i *instance) []wire.Node {
			return []wire.Node{
				wire.Text("reservationId", "r"+i.ID[1:]),
				wire.Text("ownerId", access.Account),
				wire.El("instancesSet", wire.El("item", c.instanceNodes(i)...)),
			}
		}),
		wire.Text("nextToken", token),
	}, nil
}

func (c *Cloud) instanceNodes(i *instance) []wire.Node {
	nodes := []wire.Node{
		wire.Text("instanceId", i.ID),
		wire.Text("imageId", i.ImageID),
		stateNode("instanceState", i.ec2),
		wire.Text("privateDnsName", i.PrivateDNS),
		wire.Text("privateIpAddress", i.PrivateIP),
		wire.Text("instanceType", i.Type),
		wire.Text("launchTime", i.LaunchTime),
		wire.El("placement", wire.Text("availabilityZone", i.Zone), wire.Text("tenancy", "default")),
		wire.Text("subnetId", i.subnet),
		wire.Text("vpcId", vpc),
		wire.Text("architecture", "x86_64"),
		wire.El("cpuOptions", wire.Text("coreCount", i.vCPUs()/2), wire.Text("threadsPerCore", 2)),
		tagSet(i.Tags),
	}
	if i.Spot {
		nodes = append(nodes, wire.Text("instanceLifecycle", "spot"))
	}
	why, at := i.reason, i.ended
	if i.ec2 == "stopped" { // by its warm pool
		why, at = userInitiated, i.started
	}
	if !i.alive() || i.ec2 == "stopped" {
		transition := why.code
		if why == userInitiated {
			transition = "User initiated (" + at.UTC().Format("2006-01-02 15:04:05 MST") + ")"
		}
		nodes = append(nodes, wire.Text("reason", transition),
			wire.El("stateReason", wire.Text("code", why.code), wire.Text("message", why.String())))
	}
	return nodes
}

// describeInstanceStatus tells of running instances, or with IncludeAllInstances
// of all.
func describeInstanceStatus(c *Cloud, r *wire.Request) ([]wire.Node, *wire.Error) {
	is, err := instancesNamed(c.seen(), r)
	if err != nil {
		return nil, err
	}
	if !r.Bool("IncludeAllInstances") {
		is = slices.DeleteFunc(is, func(i *instance) bool { return i.ec2 != "running" })
	}
	from, to, token, err := r.Page(len(is), func(n int) string { return order(is[n].seq) }, "MaxResults", 1000, 1000)
	if err != nil {
		return nil, err
	}
	return []wire.Node{
		wire.Each("instanceStatusSet", "item", is[from:to], func(i *instance) []wire.Node {
			status, check := "ok", "passed"
			switch {
			case i.ec2 != "running":
				status, check = "not-applicable", ""
			case i.impaired:
				status, check = "impaired", "failed"
			case i.phase() == Pending:
				status, check = "initializing", "initializing"
			}
			var reachability wire.Node
			if check != "" {
				reachability = wire.Each("details", "item", []string{check}, func(check string) []wire.Node {
					return []wire.Node{wire.Text("name", "reachability"), wire.Text("status", check)}
				})
			}
			return []wire.Node{
				wire.Text("instanceId", i.ID),
				wire.Text("availabilityZone", i.Zone),
				stateNode("instanceState", i.ec2),
				wire.El("systemStatus", wire.Text("status", cmp.Or(map[string]string{"impaired": "ok"}[status], status))),
				wire.El("instanceStatus", wire.Text("status", status), reachability),
			}
		}),
		wire.Text("nextToken", token),
	}, nil
}

// terminateInstances shuts instances down past their group, which notices at its
// next health check and replaces them.
func terminateInstances(c *Cloud, r *wire.Request) ([]wire.Node, *wire.Error) {
	var is []*instance
	for _, id := range r.List("InstanceId") {
		i := c.state.instances[id]
		if i == nil {
			return nil, errNoInstance(id)
		}
		is = append(is, i)
	}
	now := time.Now()
	return []wire.Node{wire.Each("instancesSet", "item", is, func(i *instance) []wire.Node {
		c.shutDown(i, userInitiated, now)
		return []wire.Node{
			wire.Text("instanceId", i.ID),
			stateNode("currentState", c.state.instances[i.ID].ec2),
			stateNode("previousState", i.ec2),
		}
	})}, nil
}

// consoleOutput tells the end of a boot, other for an instance that never joined,
// or what Fail or SetConsole say. The latest output can be had of Nitro types only.
func consoleOutput(c *Cloud, r *wire.Request) ([]wire.Node, *wire.Error) {
	i := c.seen().instances[r.Str("InstanceId")]
	if i == nil {
		return nil, errNoInstance(r.Str("InstanceId"))
	}
	family, _, _ := strings.Cut(i.Type, ".")
	if r.Bool("Latest") && slices.Contains([]string{"t2", "m4", "c4", "r4"}, family) {
		return nil, wire.EC2Error("UnsupportedOperation", "This instance type does not support retrieving the latest console logs. For supported instance types, see documentation.")
	}
	output := i.console
	if output == "" {
		output = fmt.Sprintf("[    0.000000] Linux version 6.12.0 (lab)\n[    4.200000] cloud-init: instance %s booted from %s\n", i.ID, i.ImageID)
		if i.told {
			output += "[    6.100000] kubelet: Started kubelet\n"
		} else {
			output += "[    6.100000] kubelet: failed to run Kubelet: unable to register node with API server: Unauthorized\n"
		}
	}
	return []wire.Node{
		wire.Text("instanceId", i.ID),
		wire.Text("timestamp", time.Now()),
		wire.Text("output", base64.StdEncoding.EncodeToString([]byte(output))),
	}, nil
}
