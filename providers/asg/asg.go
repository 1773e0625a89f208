// Package asg brings EC2 Auto Scaling groups and their launch templates into the
// world and carries out actions on them and on their load balancers.
//
// Connect makes a Client. Groups and Group tell what is there, Target works out
// what the machines are to become, Feed keeps a world up to date with one group,
// Executor changes it. Only the Executor sends anything but Describe calls. A
// provider whose groups are Auto Scaling groups of a special make builds on these:
// a Whole says what makes them so. Packages rights and taglock ask by its Client.
//
// The package knows Auto Scaling and EC2 and nothing of Kubernetes; a machine is
// matched with its node by the instance id, which the node's provider id ends in.
package asg

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/smithy-go/logging"

	"github.com/drainboard/drainboard/providers/asg/transport"
	"github.com/drainboard/drainboard/providers/clock"
)

// Provider is the provider's name, as in world.Group.Provider.
const Provider = "asg"

const (
	// appID is added to the user agent, so that CloudTrail tells who asked.
	appID = "drainboard"
	// callTimeout bounds one call, with the SDK's own retries of it.
	callTimeout = 15 * time.Second
	// launchTimeout bounds LaunchInstances, which answers when EC2 has started
	// the machine.
	launchTimeout = 90 * time.Second
)

// Options say how to reach AWS. The zero value takes everything from where the
// aws command line does: environment, shared configuration, instance role.
// AWS_ENDPOINT_URL is honoured.
type Options struct {
	// Region overrides the configured region.
	Region string
	// Fallback is the region where none is configured, such as the one that the
	// nodes are in (RegionOf).
	Fallback string
	// Profile of the shared configuration; empty: AWS_PROFILE or the default.
	Profile string
	// ReadOnly is for read-only commands: whatever is asked of the client, no call
	// leaves this process but those that read.
	ReadOnly bool
}

// Client reads Auto Scaling and EC2 in one region. It is safe for concurrent use.
type Client struct {
	config    aws.Config
	region    string
	scaling   *autoscaling.Client
	compute   *ec2.Client
	balancers *elasticloadbalancing.Client   // classic ones
	targets   *elasticloadbalancingv2.Client // the target groups of the others
	login     *aws.CredentialsCache
	clock     *clock.Remote
	templates templates
}

// Connect finds region and credentials and makes a client. It sends no request
// to Auto Scaling or EC2: whether the rights suffice shows with the first one.
// Errors are one sentence and wrap ErrNoRegion, ErrNoCredentials or ErrExpired
// where one of these is why.
func Connect(ctx context.Context, o Options) (*Client, error) {
	load := func(ctx context.Context) (aws.Config, error) {
		return config.LoadDefaultConfig(ctx, o.load()...)
	}
	cfg, err := load(ctx)
	if err != nil {
		return nil, transport.ExplainConfig(err)
	}
	if cfg.Region == "" {
		cfg.Region = o.Fallback
	}
	if cfg.Region == "" {
		return nil, &transport.Problem{Kind: transport.ErrNoRegion, Words: "no AWS region configured: set AWS_REGION or a region in the AWS profile"}
	}
	login := aws.NewCredentialsCache(fresh{load})
	if _, err := login.Retrieve(ctx); err != nil {
		return nil, transport.Explain(err)
	}
	cfg.Credentials = login
	gate := transport.OnlyWhileSure
	if o.ReadOnly {
		gate = transport.OnlyReads
	}
	cloud := &clock.Remote{}
	cfg.APIOptions = append(slices.Clip(cfg.APIOptions), gate, transport.ListenTo(cloud), transport.AskAgain)
	return &Client{
		config:    cfg,
		region:    cfg.Region,
		scaling:   autoscaling.NewFromConfig(cfg),
		compute:   ec2.NewFromConfig(cfg),
		balancers: elasticloadbalancing.NewFromConfig(cfg),
		targets:   elasticloadbalancingv2.NewFromConfig(cfg),
		login:     login,
		clock:     cloud,
		templates: templates{known: map[string]version{}},
	}, nil
}

// load is what Options ask of the SDK. The adaptive retry mode slows down by
// itself while the service throttles; it holds for reads and for changes that
// may be repeated, see transport.Once.
func (o Options) load() []func(*config.LoadOptions) error {
	load := []func(*config.LoadOptions) error{
		config.WithAppID(appID),
		config.WithRetryMode(aws.RetryModeAdaptive),
		config.WithLogger(logging.Nop{}), // it would write over the dashboard
	}
	if o.Region != "" {
		load = append(load, config.WithRegion(o.Region))
	}
	if o.Profile != "" {
		load = append(load, config.WithSharedConfigProfile(o.Profile))
	}
	return load
}

// Clock is the cloud's clock, kept right by every answer of AWS.
func (c *Client) Clock() *clock.Remote { return c.clock }

// Region is the region that the client talks to.
func (c *Client) Region() string { return c.region }

// Config is for clients of other services: they log in as this one does, and send
// nothing that this one may not send.
func (c *Client) Config() aws.Config { return c.config.Copy() }

// AutoScaling and EC2 are the clients that this one asks by, for packages that ask the same
// services: their requests count against the same limits.
func (c *Client) AutoScaling() *autoscaling.Client { return c.scaling }

// EC2 is described with AutoScaling.
func (c *Client) EC2() *ec2.Client { return c.compute }

// Explain puts an error of such a client into words, as those of this package are.
func (c *Client) Explain(err error) error { return c.explain(err) }

// fresh reads the AWS configuration again each time credentials are asked for,
// so that keys renewed on disk are found without a restart. The cache around it
// asks when the old ones expire or were refused.
type fresh struct {
	load func(context.Context) (aws.Config, error)
}

func (f fresh) Retrieve(ctx context.Context) (aws.Credentials, error) {
	cfg, err := f.load(ctx)
	if err != nil {
		return aws.Credentials{}, &transport.LoginError{Cause: err}
	}
	creds, err := cfg.Credentials.Retrieve(ctx)
	if err != nil {
		return aws.Credentials{}, &transport.LoginError{Cause: err}
	}
	return creds, nil
}

// explain puts an error of a call into words. Credentials that were refused are
// dropped, so that the next call obtains new ones.
func (c *Client) explain(err error) error {
	err = transport.Explain(err)
	if errors.Is(err, transport.ErrExpired) {
		c.login.Invalidate()
	}
	return err
}

var regionOfZone = regexp.MustCompile(`^[a-z]{2,}(-[a-z]+)+-[0-9]+`)

// RegionOf is the region of an availability zone, a local zone or a Wavelength
// zone: eu-west-1 for eu-west-1b, us-west-2 for us-west-2-lax-1a. It is "" for a
// name that is none of these.
func RegionOf(zone string) string { return regionOfZone.FindString(zone) }
