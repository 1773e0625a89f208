package cloud

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
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

func stateNode(name, state string) node {
	return el(name, text("code", stateCodes[state]), text("name", state))
}

// instancesNamed are those of InstanceId.N, or all if there is none, that pass
// the filters of the call.
func instancesNamed(s *state, r *request) ([]*instance, *apiError) {
	ids := r.list("InstanceId")
	for _, id := range ids {
		if s.instances[id] == nil {
			return nil, errNoInstance(id)
		}
	}
	fs := r.filters("Filter", "Value")
	var is []*instance
	for _, i := range s.all() {
		if (len(ids) == 0 || slices.Contains(ids, i.ID)) && !slices.ContainsFunc(fs, func(f filter) bool { return !i.passes(f) }) {
			is = append(is, i)
		}
	}
	return is, nil
}

func errNoInstance(id string) *apiError {
	return ec2Error("InvalidInstanceID.NotFound", "The instance ID '%s' does not exist", id)
}

// passes checks one of the filters that DescribeInstances knows.
func (i *instance) passes(f filter) bool {
	if key, ok := strings.CutPrefix(f.name, "tag:"); ok {
		v, has := i.Tags[key]
		return has && f.matches(v)
	}
	switch f.name {
	case "tag-key":
		return f.matches(slices.Collect(maps.Keys(i.Tags))...)
	case "instance-state-name":
		return f.matches(i.ec2)
	case "availability-zone":
		return f.matches(i.Zone)
	case "instance-id":
		return f.matches(i.ID)
	case "instance-lifecycle":
		return i.Spot && f.matches("spot")
	case "instance-type":
		return f.matches(i.Type)
	case "image-id":
		return f.matches(i.ImageID)
	case "private-dns-name":
		return f.matches(i.PrivateDNS)
	case "private-ip-address":
		return f.matches(i.PrivateIP)
	case "subnet-id":
		return f.matches(i.subnet)
	case "vpc-id":
		return f.matches(vpc)
	}
	return false
}

func describeInstances(c *Cloud, r *request) ([]node, *apiError) {
	is, err := instancesNamed(c.seen(), r)
	if err != nil {
		return nil, err
	}
	from, to, token := 0, len(is), ""
	if !r.has("InstanceId.1") {
		if from, to, token, err = c.page(r, len(is), func(n int) string { return order(is[n].seq) }, "MaxResults", 1000, 1000); err != nil {
			return nil, err
		}
	}
	return []node{
		each("reservationSet", "item", is[from:to], func(i *instance) []node {
			return []node{
				text("reservationId", "r"+i.ID[1:]),
				text("ownerId", Account),
				el("instancesSet", el("item", c.instanceNodes(i)...)),
			}
		}),
		text("nextToken", token),
	}, nil
}

func (c *Cloud) instanceNodes(i *instance) []node {
	nodes := []node{
		text("instanceId", i.ID),
		text("imageId", i.ImageID),
		stateNode("instanceState", i.ec2),
		text("privateDnsName", i.PrivateDNS),
		text("privateIpAddress", i.PrivateIP),
		text("instanceType", i.Type),
		text("launchTime", i.LaunchTime),
		el("placement", text("availabilityZone", i.Zone), text("tenancy", "default")),
		text("subnetId", i.subnet),
		text("vpcId", vpc),
		text("architecture", "x86_64"),
		el("cpuOptions", text("coreCount", i.vCPUs()/2), text("threadsPerCore", 2)),
		tagSet(i.Tags),
	}
	if i.Spot {
		nodes = append(nodes, text("instanceLifecycle", "spot"))
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
		nodes = append(nodes, text("reason", transition),
			el("stateReason", text("code", why.code), text("message", why.String())))
	}
	return nodes
}

// describeInstanceStatus tells of running instances, or with IncludeAllInstances
// of all.
func describeInstanceStatus(c *Cloud, r *request) ([]node, *apiError) {
	is, err := instancesNamed(c.seen(), r)
	if err != nil {
		return nil, err
	}
	if !r.bool("IncludeAllInstances") {
		is = slices.DeleteFunc(is, func(i *instance) bool { return i.ec2 != "running" })
	}
	from, to, token, err := c.page(r, len(is), func(n int) string { return order(is[n].seq) }, "MaxResults", 1000, 1000)
	if err != nil {
		return nil, err
	}
	return []node{
		each("instanceStatusSet", "item", is[from:to], func(i *instance) []node {
			status, check := "ok", "passed"
			switch {
			case i.ec2 != "running":
				status, check = "not-applicable", ""
			case i.impaired:
				status, check = "impaired", "failed"
			case i.phase() == Pending:
				status, check = "initializing", "initializing"
			}
			var reachability node
			if check != "" {
				reachability = each("details", "item", []string{check}, func(check string) []node {
					return []node{text("name", "reachability"), text("status", check)}
				})
			}
			return []node{
				text("instanceId", i.ID),
				text("availabilityZone", i.Zone),
				stateNode("instanceState", i.ec2),
				el("systemStatus", text("status", cmp.Or(map[string]string{"impaired": "ok"}[status], status))),
				el("instanceStatus", text("status", status), reachability),
			}
		}),
		text("nextToken", token),
	}, nil
}

// terminateInstances shuts instances down past their group, which notices at its
// next health check and replaces them.
func terminateInstances(c *Cloud, r *request) ([]node, *apiError) {
	var is []*instance
	for _, id := range r.list("InstanceId") {
		i := c.state.instances[id]
		if i == nil {
			return nil, errNoInstance(id)
		}
		is = append(is, i)
	}
	now := time.Now()
	return []node{each("instancesSet", "item", is, func(i *instance) []node {
		c.shutDown(i, userInitiated, now)
		return []node{
			text("instanceId", i.ID),
			stateNode("currentState", c.state.instances[i.ID].ec2),
			stateNode("previousState", i.ec2),
		}
	})}, nil
}

// consoleOutput tells the end of a boot, other for an instance that never joined,
// or what Fail or SetConsole say. The latest output can be had of Nitro types only.
func consoleOutput(c *Cloud, r *request) ([]node, *apiError) {
	i := c.seen().instances[r.str("InstanceId")]
	if i == nil {
		return nil, errNoInstance(r.str("InstanceId"))
	}
	family, _, _ := strings.Cut(i.Type, ".")
	if r.bool("Latest") && slices.Contains([]string{"t2", "m4", "c4", "r4"}, family) {
		return nil, ec2Error("UnsupportedOperation", "This instance type does not support retrieving the latest console logs. For supported instance types, see documentation.")
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
	return []node{
		text("instanceId", i.ID),
		text("timestamp", time.Now()),
		text("output", base64.StdEncoding.EncodeToString([]byte(output))),
	}, nil
}
