package eks

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/aws/aws-sdk-go-v2/service/servicequotas"
	quotas "github.com/aws/aws-sdk-go-v2/service/servicequotas/types"

	"github.com/drainboard/drainboard/engine/snapshot"
)

// instancePages bounds a read of the account's instances, a thousand each.
const instancePages = 10

// Quota is the account's limit on vCPUs of running instances in the region that counts those of the given ones,
// which are the group's, and how many it has. It is an error where this cannot be told, such as for a group
// without instances.
func (c *Client) Quota(ctx context.Context, group []string) (snapshot.Quota, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, callTimeout, fmt.Errorf("no answer within %s", callTimeout))
	defer cancel()
	all, err := c.running(ctx)
	if err != nil {
		return snapshot.Quota{}, c.asg.Explain(err)
	}
	var q snapshot.Quota
	own := slices.DeleteFunc(slices.Clone(all), func(i ec2types.Instance) bool { return !slices.Contains(group, aws.ToString(i.InstanceId)) })
	for _, i := range own {
		q.Family, q.Spot, q.Each = familyOf(i), spot(i), max(q.Each, vCPUs(i))
	}
	if q.Family == "" || q.Each == 0 {
		return snapshot.Quota{}, errors.New("the vCPUs of its instances are not known")
	}
	found, err := c.limit(ctx, q.Family, q.Spot)
	if err != nil {
		return snapshot.Quota{}, c.asg.Explain(err)
	}
	if found == nil {
		return snapshot.Quota{}, fmt.Errorf("no EC2 quota is known for instances of family %s", q.Family)
	}
	q.Name, q.Limit = aws.ToString(found.QuotaName), int(aws.ToFloat64(found.Value))
	for _, i := range own {
		if spot(i) != q.Spot || !counts(q.Name, familyOf(i)) {
			return snapshot.Quota{}, errors.New("its instances count for several quotas")
		}
	}
	for _, i := range all {
		if spot(i) == q.Spot && counts(q.Name, familyOf(i)) {
			q.Used += vCPUs(i)
		}
	}
	return q, nil
}

// running are the account's instances in the region that count for quotas.
func (c *Client) running(ctx context.Context) (all []ec2types.Instance, err error) {
	pages := ec2.NewDescribeInstancesPaginator(c.ec2, &ec2.DescribeInstancesInput{MaxResults: aws.Int32(1000),
		Filters: []ec2types.Filter{{Name: aws.String("instance-state-name"), Values: []string{"pending", "running"}}}})
	for n := 0; pages.HasMorePages(); n++ {
		if n == instancePages {
			return nil, fmt.Errorf("the account has more than %d instances in the region", instancePages*1000)
		}
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		for _, r := range page.Reservations {
			all = append(all, r.Instances...)
		}
	}
	return all, nil
}

// limit is the quota of a family of instances, nil where there is none.
func (c *Client) limit(ctx context.Context, family string, spot bool) (*quotas.ServiceQuota, error) {
	pages := servicequotas.NewListServiceQuotasPaginator(c.quotas, &servicequotas.ListServiceQuotasInput{ServiceCode: aws.String("ec2"), MaxResults: aws.Int32(100)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		for _, q := range page.Quotas {
			if name := aws.ToString(q.QuotaName); counts(name, family) && strings.Contains(name, "Spot") == spot {
				return &q, nil
			}
		}
	}
	return nil, nil
}

// familiesOf are the families of instance types in the name of a quota (EC2 user guide, "EC2 service quotas"):
// Running On-Demand Standard (A, C, D, H, I, M, R, T, Z) instances, Running On-Demand G and VT instances,
// All Standard (A, C, D, H, I, M, R, T, Z) Spot Instance Requests, All X Spot Instance Requests.
var familiesOf = regexp.MustCompile(`^(?:Running On-Demand|All) (?:Standard \(([^)]+)\)|([A-Z][A-Za-z]*(?: and [A-Z][A-Za-z]*)*)) (?:instances|Spot Instance Requests)$`)

// counts reports whether instances of a family count for the quota of a name.
func counts(name, family string) bool {
	m := familiesOf.FindStringSubmatch(name)
	if m == nil {
		return false
	}
	return slices.ContainsFunc(strings.FieldsFunc(strings.ReplaceAll(m[1]+m[2], " and ", ","), func(r rune) bool { return r == ',' || r == ' ' }),
		func(f string) bool { return strings.EqualFold(f, family) })
}

// familyOf is the family of an instance: the letters before the generation, where single ones are meant but for
// those of AWS's own chips and clusters (c7gn and c5: c; inf2: inf; trn1: trn).
func familyOf(i ec2types.Instance) string {
	kind := string(i.InstanceType)
	letters, _, _ := strings.Cut(kind, ".")
	if at := strings.IndexAny(letters, "0123456789-"); at > 0 {
		letters = letters[:at]
	}
	switch letters {
	case "inf", "trn", "dl", "vt", "hpc", "mac", "u":
		return letters
	case "":
		return ""
	}
	return letters[:1]
}

func spot(i ec2types.Instance) bool { return i.InstanceLifecycle == ec2types.InstanceLifecycleTypeSpot }

func vCPUs(i ec2types.Instance) int {
	if i.CpuOptions == nil {
		return 0
	}
	return int(aws.ToInt32(i.CpuOptions.CoreCount) * aws.ToInt32(i.CpuOptions.ThreadsPerCore))
}
