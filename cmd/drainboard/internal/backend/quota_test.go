package backend

import (
	"strings"
	"testing"

	"github.com/drainboard/drainboard/providers/asg"
	"github.com/drainboard/drainboard/providers/asg/awstest"
	"github.com/drainboard/drainboard/providers/eks"
)

// The quota is asked for through the backend that waits for AWS, as any command has it.
func TestQuotaOfAPatientGroup(t *testing.T) {
	awstest.Environment(t, map[string]string{"AWS_ENDPOINT_URL": "http://127.0.0.1:1", "AWS_REGION": "eu-west-1", "AWS_ACCESS_KEY_ID": "AKID", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_MAX_ATTEMPTS": "1"})
	c, err := asg.Connect(t.Context(), asg.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	_, err = QuotaOf(t.Context(), patientGroup{&managedGroup{eks: eks.New(c)}}, nil)
	if err == nil || strings.Contains(err.Error(), "no managed node group") {
		t.Error(err)
	}
	if _, err := QuotaOf(t.Context(), patientGroup{&autoScalingGroup{}}, nil); err == nil || !strings.Contains(err.Error(), "no managed node group") {
		t.Error(err)
	}
}
