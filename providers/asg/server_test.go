package asg

import (
	"net/url"
	"testing"

	"github.com/drainboard/drainboard/providers/asg/awstest"
)

// service is a small AWS, see awstest; tests here add to it what they describe.
type service struct{ *awstest.Service }

// connect starts a service and a client of it.
func connect(t *testing.T) (*service, *Client) {
	t.Helper()
	s := &service{awstest.Start(t)}
	c, err := Connect(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s, c
}

func (s *service) on(action, answer string)                             { s.On(action, answer) }
func (s *service) onCall(action string, answer func(url.Values) string) { s.OnCall(action, answer) }
func (s *service) sent(action string) []url.Values                      { return s.Sent(action) }
func (s *service) actions() []string                                    { return s.Actions() }
func (s *service) withTemplate()                                        { s.WithTemplate() }

const drop = awstest.Drop

var (
	fail            = awstest.Fail
	environment     = awstest.Environment
	members         = awstest.Members
	items           = awstest.Items
	e               = awstest.E
	spec            = awstest.Spec
	group           = awstest.Group
	groups          = awstest.Groups
	instance        = awstest.Instance
	reservation     = awstest.Reservation
	machine         = awstest.Machine
	templateVersion = awstest.TemplateVersion
)
