package asg

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/autoscaling/types"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg/transport"
)

// TargetOptions are what the user asked the machines to become. The zero value
// asks for what the group launches now.
type TargetOptions struct {
	// TemplateVersion of the group's launch template: a number, $Latest or $Default.
	TemplateVersion string
	// AMI is an image that a new version of the template gets.
	AMI string
}

// Target works out what the machines of a group are to become, and checks that
// it exists. The zero engine.Target means: what the group launches when the run
// starts. Versions are numbers from here on, since $Latest can move during the run.
func (c *Client) Target(ctx context.Context, group string, o TargetOptions) (record.Target, error) {
	if o.TemplateVersion == "" && o.AMI == "" {
		return record.Target{}, nil
	}
	if o.TemplateVersion != "" && o.AMI != "" {
		return record.Target{}, errors.New("give either a launch template version or an AMI: an AMI creates its own version")
	}
	g, err := c.describe(ctx, group)
	if errors.Is(err, transport.ErrNotFound) {
		return record.Target{}, c.Unknown(ctx, err, group)
	}
	if err != nil {
		return record.Target{}, err
	}
	spec := specOf(g)
	if spec == nil {
		return record.Target{}, fmt.Errorf("group %s: %s", transport.Clean(group), refusal(g))
	}
	if o.AMI != "" {
		for _, override := range overridesOf(g) {
			if override.ImageId != nil {
				return record.Target{}, fmt.Errorf("group %s: its mixed instances policy overrides the image for %[3]s with %[2]s, so an AMI in the launch template has no effect: change the policy first",
					transport.Clean(group), transport.Text(override.ImageId), transport.Text(override.InstanceType))
			}
		}
		if err := c.imageExists(ctx, o.AMI); err != nil {
			return record.Target{}, err
		}
		if err := c.overridesHave(ctx, group, g, o.AMI); err != nil {
			return record.Target{}, err
		}
		return record.Target{Image: o.AMI}, nil
	}
	if n, err := strconv.ParseInt(o.TemplateVersion, 10, 64); o.TemplateVersion != "$Latest" && o.TemplateVersion != "$Default" && (err != nil || n < 1) {
		return record.Target{}, fmt.Errorf("%q is not a launch template version: give a number, $Latest or $Default", transport.Clean(o.TemplateVersion))
	}
	want, err := c.resolve(ctx, transport.Text(spec.LaunchTemplateId), o.TemplateVersion)
	if errors.Is(err, transport.ErrNotFound) {
		return record.Target{}, &transport.Problem{Kind: transport.ErrNotFound, Words: fmt.Sprintf("launch template %s of group %s has no version %s%s", transport.Text(spec.LaunchTemplateName), transport.Clean(group), o.TemplateVersion, c.newest(ctx, transport.Text(spec.LaunchTemplateId)))}
	}
	if err != nil {
		return record.Target{}, err
	}
	now, err := c.group(ctx, g)
	if err != nil {
		return record.Target{}, err
	}
	return record.Target{Templates: append([]world.Template{want.Template}, now.Overrides...)}, nil
}

// overridesHave refuses an image for a mixed instances policy with overrides that launch from
// templates of their own with another image: these are there because their instance types need
// another one (arm64), so no single image is right for all, and their machines would be left.
func (c *Client) overridesHave(ctx context.Context, group string, g types.AutoScalingGroup, image string) error {
	for _, o := range overridesOf(g) {
		own := o.LaunchTemplateSpecification
		if own == nil {
			continue
		}
		v, err := c.resolveSpec(ctx, own)
		if err != nil {
			return err
		}
		if v.Image != image {
			return fmt.Errorf("group %s: %s in its mixed instances policy launches from a template of its own, %s with image %s, which --ami would not change: "+
				"create a version of each template with the image for its instance types (aws ec2 create-launch-template-version --launch-template-id %s --source-version %d --launch-template-data ImageId=AMI), set the policy to them, and roll the group without --ami",
				transport.Clean(group), overrideName(o), v.Template, transport.Clean(v.Image), v.ID, v.Version)
		}
	}
	return nil
}

// overrideName is the instance type of an override, or what stands for it.
func overrideName(o types.LaunchTemplateOverrides) string {
	if o.InstanceType == nil {
		return "an override by instance requirements"
	}
	return transport.Clean(transport.Text(o.InstanceType))
}

// newest says which version a template has last, as a help in an error.
func (c *Client) newest(ctx context.Context, id string) string {
	v, err := c.resolve(ctx, id, "$Latest")
	if err != nil {
		return ""
	}
	return fmt.Sprintf(" (newest: %d)", v.Version)
}

// imageExists checks an image, if IAM allows that. Names that EC2 resolves itself
// (resolve:ssm:...) are left to it.
func (c *Client) imageExists(ctx context.Context, ami string) error {
	if strings.HasPrefix(ami, "resolve:") {
		return nil
	}
	ctx, cancel := transport.Bounded(ctx, callTimeout)
	defer cancel()
	out, err := c.compute.DescribeImages(ctx, &ec2.DescribeImagesInput{ImageIds: []string{ami}})
	err = c.explain(err)
	switch {
	case errors.Is(err, transport.ErrForbidden):
		return nil
	case errors.Is(err, transport.ErrNotFound), err == nil && len(out.Images) == 0:
		return &transport.Problem{Kind: transport.ErrNotFound, Words: fmt.Sprintf("no AMI %s in %s, or it is not shared with this account", transport.Clean(ami), c.region)}
	case err != nil:
		return err
	}
	if state := out.Images[0].State; state != ec2types.ImageStateAvailable && state != "" {
		return fmt.Errorf("AMI %s is %s, not available", transport.Clean(ami), transport.Clean(string(state)))
	}
	return nil
}
