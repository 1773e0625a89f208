package cloud

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/drainboard/drainboard/lab/cloud/access"
	"github.com/drainboard/drainboard/lab/cloud/wire"
)

func describeSubnets(c *Cloud, r *wire.Request) ([]wire.Node, *wire.Error) {
	s := c.seen()
	ids := r.List("SubnetId")
	for _, id := range ids {
		if c.zoneOf(id) == "" {
			return nil, wire.EC2Error("InvalidSubnetID.NotFound", "The subnet ID '%s' does not exist", id)
		}
	}
	fs := r.Filters("Filter", "Value")
	var zones []string
	for _, z := range c.o.Zones {
		has := map[string]string{"subnet-id": c.subnet(z), "availability-zone": z, "vpc-id": vpc, "state": "available"}
		if (len(ids) == 0 || slices.Contains(ids, c.subnet(z))) && !slices.ContainsFunc(fs, func(f wire.Filter) bool { return !f.Matches(has[f.Name]) }) {
			zones = append(zones, z)
		}
	}
	from, to, token, err := r.Page(len(zones), func(n int) string { return order(uint64(slices.Index(c.o.Zones, zones[n]))) }, "MaxResults", 1000, 1000)
	if err != nil {
		return nil, err
	}
	return []wire.Node{
		wire.Each("subnetSet", "item", zones[from:to], func(z string) []wire.Node {
			return []wire.Node{
				wire.Text("subnetId", c.subnet(z)),
				wire.Text("subnetArn", fmt.Sprintf("arn:aws:ec2:%s:%s:subnet/%s", c.o.Region, access.Account, c.subnet(z))),
				wire.Text("state", "available"),
				wire.Text("vpcId", vpc),
				wire.Text("cidrBlock", c.cidr(z)),
				wire.Text("availableIpAddressCount", c.freeAddresses(s, z)),
				wire.Text("availabilityZone", z),
				wire.Text("availabilityZoneId", c.zoneID(z)),
				wire.Text("ownerId", access.Account),
			}
		}),
		wire.Text("nextToken", token),
	}, nil
}

func describeZones(c *Cloud, r *wire.Request) ([]wire.Node, *wire.Error) {
	names := r.List("ZoneName")
	for _, z := range names {
		if !slices.Contains(c.o.Zones, z) {
			return nil, wire.EC2Error("InvalidParameterValue", "Invalid availability zone: [%s]", z)
		}
	}
	zones := slices.DeleteFunc(slices.Clone(c.o.Zones), func(z string) bool { return len(names) > 0 && !slices.Contains(names, z) })
	return []wire.Node{wire.Each("availabilityZoneInfo", "item", zones, func(z string) []wire.Node {
		return []wire.Node{
			wire.Text("zoneName", z),
			wire.Text("zoneId", c.zoneID(z)),
			wire.Text("zoneState", "available"),
			wire.Text("zoneType", "availability-zone"),
			wire.Text("regionName", c.o.Region),
			wire.Text("optInStatus", "opt-in-not-required"),
		}
	})}, nil
}

// describeImages tells of the named images, or of those that SetImage made.
func describeImages(c *Cloud, r *wire.Request) ([]wire.Node, *wire.Error) {
	ids := r.List("ImageId")
	for _, id := range ids {
		if _, exists := c.faults.imageName(id); !exists {
			return nil, wire.EC2Error("InvalidAMIID.NotFound", "The image id '[%s]' does not exist", id)
		}
	}
	if len(ids) == 0 {
		ids = slices.Sorted(maps.Keys(c.faults.images))
	}
	fs := r.Filters("Filter", "Value")
	ids = slices.DeleteFunc(ids, func(id string) bool {
		name, exists := c.faults.imageName(id)
		has := map[string]string{"image-id": id, "name": name, "state": "available"}
		return !exists || slices.ContainsFunc(fs, func(f wire.Filter) bool { return !f.Matches(has[f.Name]) })
	})
	return []wire.Node{wire.Each("imagesSet", "item", ids, func(id string) []wire.Node {
		name, _ := c.faults.imageName(id)
		return []wire.Node{
			wire.Text("imageId", id),
			wire.Text("name", name),
			wire.Text("imageState", "available"),
			wire.Text("architecture", "x86_64"),
			wire.Text("imageOwnerId", access.Account),
			wire.Text("imageType", "machine"),
			wire.Text("creationDate", time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)),
		}
	})}, nil
}
