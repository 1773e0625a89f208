package cloud

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

func TestInstanceTags(t *testing.T) {
	o := quick
	o.PageSize = 2
	b := serve(t, o, nil)
	b.group("workers", 0, 2, 2)
	id := b.Instances("workers")[0].ID
	set := func(key, value string) ec2types.Tag { return ec2types.Tag{Key: &key, Value: &value} }
	b.must(b.ec2.CreateTags(b.ctx, &ec2.CreateTagsInput{Resources: []string{id}, Tags: []ec2types.Tag{set("a", "1"), set("b", ""), set("c", "3"), set("a", "2")}}))
	tags := func(filters ...ec2types.Filter) map[string]string {
		t.Helper()
		has := map[string]string{}
		pages := 0
		for p := ec2.NewDescribeTagsPaginator(b.ec2, &ec2.DescribeTagsInput{Filters: filters}); p.HasMorePages(); pages++ {
			out, err := p.NextPage(b.ctx)
			b.must(out, err)
			if len(out.Tags) > 2 {
				t.Errorf("%d tags on a page", len(out.Tags))
			}
			for _, tag := range out.Tags {
				if tag.ResourceType != ec2types.ResourceTypeInstance {
					t.Errorf("tag of a %s", tag.ResourceType)
				}
				has[*tag.ResourceId+" "+*tag.Key] = *tag.Value
			}
		}
		return has
	}
	mine := ec2types.Filter{Name: aws.String("resource-id"), Values: []string{id}}
	has := tags(mine)
	if len(has) != 7 || has[id+" a"] != "2" || has[id+" b"] != "" || has[id+" "+groupTag] != "workers" || has[id+" kind"] != "node" {
		t.Errorf("tags %v", has)
	}
	if has := tags(ec2types.Filter{Name: aws.String("key"), Values: []string{"a", "c"}}, ec2types.Filter{Name: aws.String("resource-type"), Values: []string{"instance"}}); len(has) != 2 {
		t.Errorf("by key: %v", has)
	}
	if has := tags(ec2types.Filter{Name: aws.String("resource-id"), Values: []string{"i-0"}}); len(has) != 0 {
		t.Errorf("of an unknown instance: %v", has)
	}

	// One value, any value, another value.
	b.must(b.ec2.DeleteTags(b.ctx, &ec2.DeleteTagsInput{Resources: []string{id}, Tags: []ec2types.Tag{set("a", "2"), {Key: aws.String("b")}, set("c", "4"), {Key: aws.String("d")}}}))
	if i, _ := b.Instance(id); i.Tags["a"] != "" || i.Tags["c"] != "3" || len(i.Tags) != 5 {
		t.Errorf("left: %v", i.Tags)
	}
	_, err := b.ec2.DeleteTags(b.ctx, &ec2.DeleteTagsInput{Resources: []string{"i-0"}, Tags: []ec2types.Tag{set("a", "2")}})
	b.fails(err, "InvalidInstanceID.NotFound", "'i-0' does not exist")
	_, err = b.ec2.CreateTags(b.ctx, &ec2.CreateTagsInput{Resources: []string{id}, Tags: []ec2types.Tag{set("aws:own", "2")}})
	b.fails(err, "InvalidParameterValue", "reserved for internal use")

	b.DenyKey("AKIALAB", "ec2:DeleteTags", true)
	_, err = b.ec2.DeleteTags(b.ctx, &ec2.DeleteTagsInput{Resources: []string{id}, Tags: []ec2types.Tag{set("c", "3")}})
	b.fails(err, "UnauthorizedOperation", "ec2:DeleteTags")
}
