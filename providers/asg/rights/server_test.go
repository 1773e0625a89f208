package rights

import (
	"testing"

	"github.com/drainboard/drainboard/providers/asg"
	"github.com/drainboard/drainboard/providers/asg/awstest"
)

// connect starts a service and a client of it.
func connect(t *testing.T) (*awstest.Service, *asg.Client) {
	t.Helper()
	s := awstest.Start(t)
	c, err := asg.Connect(t.Context(), asg.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s, c
}
