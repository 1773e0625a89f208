package e2e

import (
	"io"
	"net/http"
	"net/url"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// aws makes a call to Auto Scaling as another user. Parameters are name, value,
// name, value.
func (s *scene) aws(action string, parameters ...string) {
	s.t.Helper()
	s.askAWS("autoscaling", "2011-01-01", action, parameters...)
}

// ec2 makes a call to EC2 as another user.
func (s *scene) ec2(action string, parameters ...string) {
	s.t.Helper()
	s.askAWS("ec2", "2016-11-15", action, parameters...)
}

func (s *scene) askAWS(service, version, action string, parameters ...string) {
	s.t.Helper()
	form := url.Values{"Action": {action}, "Version": {version}}
	for i := 0; i < len(parameters); i += 2 {
		form.Set(parameters[i], parameters[i+1])
	}
	request, err := http.NewRequestWithContext(s.ctx, http.MethodPost, shared.Cloud().URL(), strings.NewReader(form.Encode()))
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=user/20250101/eu-west-1/"+service+"/aws4_request, SignedHeaders=host, Signature=0")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(response.Body)
		s.t.Fatalf("%s: %s\n%s", action, response.Status, body)
	}
}

// isDaemonSet reports whether an owner is a DaemonSet.
func isDaemonSet(o metav1.OwnerReference) bool { return o.Kind == "DaemonSet" }
