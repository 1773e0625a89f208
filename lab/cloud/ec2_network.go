package cloud

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

func describeSubnets(c *Cloud, r *request) ([]node, *apiError) {
	s := c.seen()
	ids := r.list("SubnetId")
	for _, id := range ids {
		if c.zoneOf(id) == "" {
			return nil, ec2Error("InvalidSubnetID.NotFound", "The subnet ID '%s' does not exist", id)
		}
	}
	fs := r.filters("Filter", "Value")
	var zones []string
	for _, z := range c.o.Zones {
		has := map[string]string{"subnet-id": c.subnet(z), "availability-zone": z, "vpc-id": vpc, "state": "available"}
		if (len(ids) == 0 || slices.Contains(ids, c.subnet(z))) && !slices.ContainsFunc(fs, func(f filter) bool { return !f.matches(has[f.name]) }) {
			zones = append(zones, z)
		}
	}
	from, to, token, err := c.page(r, len(zones), func(n int) string { return order(uint64(slices.Index(c.o.Zones, zones[n]))) }, "MaxResults", 1000, 1000)
	if err != nil {
		return nil, err
	}
	return []node{
		each("subnetSet", "item", zones[from:to], func(z string) []node {
			return []node{
				text("subnetId", c.subnet(z)),
				text("subnetArn", fmt.Sprintf("arn:aws:ec2:%s:%s:subnet/%s", c.o.Region, Account, c.subnet(z))),
				text("state", "available"),
				text("vpcId", vpc),
				text("cidrBlock", c.cidr(z)),
				text("availableIpAddressCount", c.freeAddresses(s, z)),
				text("availabilityZone", z),
				text("availabilityZoneId", c.zoneID(z)),
				text("ownerId", Account),
			}
		}),
		text("nextToken", token),
	}, nil
}

func describeZones(c *Cloud, r *request) ([]node, *apiError) {
	names := r.list("ZoneName")
	for _, z := range names {
		if !slices.Contains(c.o.Zones, z) {
			return nil, ec2Error("InvalidParameterValue", "Invalid availability zone: [%s]", z)
		}
	}
	zones := slices.DeleteFunc(slices.Clone(c.o.Zones), func(z string) bool { return len(names) > 0 && !slices.Contains(names, z) })
	return []node{each("availabilityZoneInfo", "item", zones, func(z string) []node {
		return []node{
			text("zoneName", z),
			text("zoneId", c.zoneID(z)),
			text("zoneState", "available"),
			text("zoneType", "availability-zone"),
			text("regionName", c.o.Region),
			text("optInStatus", "opt-in-not-required"),
		}
	})}, nil
}

// describeImages tells of the named images, or of those that SetImage made.
func describeImages(c *Cloud, r *request) ([]node, *apiError) {
	ids := r.list("ImageId")
	for _, id := range ids {
		if _, exists := c.faults.imageName(id); !exists {
			return nil, ec2Error("InvalidAMIID.NotFound", "The image id '[%s]' does not exist", id)
		}
	}
	if len(ids) == 0 {
		ids = slices.Sorted(maps.Keys(c.faults.images))
	}
	fs := r.filters("Filter", "Value")
	ids = slices.DeleteFunc(ids, func(id string) bool {
		name, exists := c.faults.imageName(id)
		has := map[string]string{"image-id": id, "name": name, "state": "available"}
		return !exists || slices.ContainsFunc(fs, func(f filter) bool { return !f.matches(has[f.name]) })
	})
	return []node{each("imagesSet", "item", ids, func(id string) []node {
		name, _ := c.faults.imageName(id)
		return []node{
			text("imageId", id),
			text("name", name),
			text("imageState", "available"),
			text("architecture", "x86_64"),
			text("imageOwnerId", Account),
			text("imageType", "machine"),
			text("creationDate", time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)),
		}
	})}, nil
}
