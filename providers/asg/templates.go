package asg

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	autoscalingtypes "github.com/aws/aws-sdk-go-v2/service/autoscaling/types"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg/transport"
)

// movingFor is how long $Latest and $Default are taken for what they were. A
// number never changes.
const movingFor = 5 * time.Second

// version is a launch template version, resolved to its number.
type version struct {
	world.Template
	// Name is the template's, Image what the version launches. Spot: it asks for
	// Spot machines.
	Name, Image string
	Spot        bool

	read   time.Time
	moving bool
}

// templates remembers versions that were resolved, by template and version.
type templates struct {
	mu    sync.Mutex
	known map[string]version
}

func (t *templates) find(key string) (version, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	v, ok := t.known[key]
	return v, ok && (!v.moving || time.Since(v.read) < movingFor)
}

func (t *templates) keep(key string, v version) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.known[key] = v
}

// resolve finds the number and the image of a template version, which may be
// given as $Latest or $Default; an empty one is $Default, as for Auto Scaling.
func (c *Client) resolve(ctx context.Context, id, spec string) (version, error) {
	if spec == "" {
		spec = "$Default"
	}
	key := id + ":" + spec
	if v, ok := c.templates.find(key); ok {
		return v, nil
	}
	data, err := c.templateVersion(ctx, id, spec)
	if err != nil {
		return version{}, err
	}
	v := version{
		Template: world.Template{ID: id, Version: aws.ToInt64(data.VersionNumber)},
		Name:     transport.Text(data.LaunchTemplateName),
		read:     time.Now(),
		moving:   strings.HasPrefix(spec, "$"),
	}
	if data.LaunchTemplateData != nil {
		v.Image = transport.Text(data.LaunchTemplateData.ImageId)
		market := data.LaunchTemplateData.InstanceMarketOptions
		v.Spot = market != nil && market.MarketType == ec2types.MarketTypeSpot
	}
	c.templates.keep(key, v)
	return v, nil
}

// resolveSpec is resolve for what a group names. Groups always have the id in
// their description, however they were made.
func (c *Client) resolveSpec(ctx context.Context, s *autoscalingtypes.LaunchTemplateSpecification) (version, error) {
	return c.resolve(ctx, transport.Text(s.LaunchTemplateId), transport.Text(s.Version))
}

// TemplateExists reads whether a launch template has a version.
func (c *Client) TemplateExists(ctx context.Context, t world.Template) (bool, error) {
	_, err := c.templateVersion(ctx, t.ID, strconv.FormatInt(t.Version, 10))
	if errors.Is(err, transport.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// templateVersion reads one version; an error wraps ErrNotFound if there is no
// such template or version.
func (c *Client) templateVersion(ctx context.Context, id, spec string) (ec2types.LaunchTemplateVersion, error) {
	ctx, cancel := transport.Bounded(ctx, callTimeout)
	defer cancel()
	out, err := c.compute.DescribeLaunchTemplateVersions(ctx, &ec2.DescribeLaunchTemplateVersionsInput{
		LaunchTemplateId: &id,
		Versions:         []string{spec},
	})
	if err != nil {
		return ec2types.LaunchTemplateVersion{}, c.explain(err)
	}
	if len(out.LaunchTemplateVersions) == 0 {
		return ec2types.LaunchTemplateVersion{}, &transport.Problem{Kind: transport.ErrNotFound, Words: fmt.Sprintf("launch template %s has no version %s", id, transport.Clean(spec))}
	}
	return out.LaunchTemplateVersions[0], nil
}

// searched bounds how many versions are searched for an equal one. A
// template can have thousands; not finding an equal one only makes one more.
const searched = 1000

// equalVersion finds a version that is the source with another image, the
// newest of several. It is false if there is none.
func (c *Client) equalVersion(ctx context.Context, source world.Template, image string) (world.Template, bool, error) {
	from, err := c.templateVersion(ctx, source.ID, strconv.FormatInt(source.Version, 10))
	if err != nil {
		return world.Template{}, false, err
	}
	if from.LaunchTemplateData == nil {
		return world.Template{}, false, nil
	}
	want := *from.LaunchTemplateData
	want.ImageId = &image

	ctx, cancel := transport.Bounded(ctx, callTimeout)
	defer cancel()
	pages := ec2.NewDescribeLaunchTemplateVersionsPaginator(c.compute, &ec2.DescribeLaunchTemplateVersionsInput{
		LaunchTemplateId: &source.ID,
		MaxResults:       aws.Int32(200),
	})
	best, found := world.Template{ID: source.ID}, false
	for seen := 0; pages.HasMorePages() && seen < searched; {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return world.Template{}, false, c.explain(err)
		}
		seen += len(page.LaunchTemplateVersions)
		for _, v := range page.LaunchTemplateVersions {
			if n := aws.ToInt64(v.VersionNumber); n > best.Version && v.LaunchTemplateData != nil && reflect.DeepEqual(*v.LaunchTemplateData, want) {
				best.Version, found = n, true
			}
		}
	}
	return best, found, nil
}
