package awstest

import "strings"

// Members is a list in the XML of Auto Scaling and load balancers, Items one in EC2's.
func Members(list string, of ...string) string { return E(list, each("member", of)) }

func Items(list string, of ...string) string { return E(list, each("item", of)) }

func each(name string, of []string) string {
	var b strings.Builder
	for _, inside := range of {
		b.WriteString(E(name, inside))
	}
	return b.String()
}

// E is an element, or several: E("a", "1", "b", "2").
func E(pairs ...string) string {
	var b strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		b.WriteString("<" + pairs[i] + ">" + pairs[i+1] + "</" + pairs[i] + ">")
	}
	return b.String()
}

// Spec is a launch template specification as descriptions have it.
func Spec(id, version string) string {
	return E("LaunchTemplateId", id, "LaunchTemplateName", "name-of-"+id, "Version", version)
}

// Group is a described group with sizes 1, 5, 3 and whatever else is given.
func Group(name string, more ...string) string {
	return E("AutoScalingGroupName", name, "MinSize", "1", "MaxSize", "5", "DesiredCapacity", "3") + strings.Join(more, "")
}

// Groups is the answer to DescribeAutoScalingGroups.
func Groups(of ...string) string { return Members("AutoScalingGroups", of...) }

// Tags are those of a group, in pairs of key and value.
func Tags(pairs ...string) string {
	var all []string
	for i := 0; i < len(pairs); i += 2 {
		all = append(all, E("Key", pairs[i], "Value", pairs[i+1]))
	}
	return Members("Tags", all...)
}

// Instance is a member of a group, from the launch template lt-1.
func Instance(id, zone, state, version string) string {
	return E("InstanceId", id, "AvailabilityZone", zone, "LifecycleState", state, "HealthStatus", "Healthy",
		"InstanceType", "m5.large", "ProtectedFromScaleIn", "false", "LaunchTemplate", Spec("lt-1", version))
}

// Reservation is the answer to DescribeInstances: these machines.
func Reservation(machines ...string) string {
	return Items("reservationSet", Items("instancesSet", machines...))
}

// Machine is an instance as EC2 describes it, in zone eu-west-1a, with tags in pairs of
// key and value.
func Machine(id, state string, tags ...string) string {
	m := E("instanceId", id, "instanceState", E("name", state), "instanceType", "m5.large", "placement", E("availabilityZone", "eu-west-1a"))
	var set []string
	for i := 0; i < len(tags); i += 2 {
		set = append(set, E("key", tags[i], "value", tags[i+1]))
	}
	if len(set) > 0 {
		m += Items("tagSet", set...)
	}
	return m
}

// TemplateVersion is a described version of lt-1.
func TemplateVersion(number, image, userData string) string {
	return E("launchTemplateId", "lt-1", "launchTemplateName", "web", "versionNumber", number,
		"launchTemplateData", E("imageId", image, "instanceType", "m5.large", "userData", userData))
}
