package asg

import (
	"errors"
	"github.com/drainboard/drainboard/providers/asg/transport"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestRegionOf(t *testing.T) {
	for zone, want := range map[string]string{
		"eu-west-1b":              "eu-west-1",
		"us-gov-west-1a":          "us-gov-west-1",
		"us-west-2-lax-1a":        "us-west-2",
		"us-east-1-wl1-bos-wlz-1": "us-east-1",
		"europe":                  "",
		"":                        "",
	} {
		if got := RegionOf(zone); got != want {
			t.Errorf("RegionOf(%q) = %q, want %q", zone, got, want)
		}
	}
}

func TestConnectErrors(t *testing.T) {
	file := func(text string) map[string]string {
		name := filepath.Join(t.TempDir(), "credentials")
		os.WriteFile(name, []byte("[default]\n"+text+"\n"), 0o600)
		return map[string]string{"AWS_REGION": "eu-west-1", "AWS_SHARED_CREDENTIALS_FILE": name}
	}
	tests := []struct {
		name  string
		env   map[string]string
		o     Options
		kind  error
		words string
	}{
		{"no region", map[string]string{"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"}, Options{}, transport.ErrNoRegion, "no AWS region configured"},
		{"no credentials", map[string]string{"AWS_REGION": "eu-west-1"}, Options{}, transport.ErrNoCredentials, "no AWS credentials: log in"},
		{"no profile", map[string]string{"AWS_REGION": "eu-west-1"}, Options{Profile: "nosuch"}, transport.ErrNoCredentials, `no AWS profile "nosuch"`},
		{"no source profile", file("role_arn = arn:aws:iam::1:role/x\nsource_profile = missing"), Options{}, transport.ErrNoCredentials, `no AWS profile "missing"`},
		{"no source", file("role_arn = arn:aws:iam::1:role/x\ncredential_source = Nowhere"), Options{}, transport.ErrNoCredentials, "the AWS configuration cannot be used: "},
		{"helper fails", file("credential_process = /bin/false"), Options{}, transport.ErrNoCredentials, "no AWS credentials: "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			environment(t, tt.env)
			_, err := Connect(t.Context(), tt.o)
			if !errors.Is(err, tt.kind) || !strings.Contains(err.Error(), tt.words) {
				t.Errorf("got %v, want %v: %s", err, tt.kind, tt.words)
			}
		})
	}
}

func TestRegion(t *testing.T) {
	login := map[string]string{"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"}
	for _, tt := range []struct {
		configured string
		o          Options
		want       string
	}{
		{"eu-west-1", Options{Fallback: "eu-west-3"}, "eu-west-1"},
		{"eu-west-1", Options{Region: "eu-west-2", Fallback: "eu-west-3"}, "eu-west-2"},
		{"", Options{Fallback: "eu-west-3"}, "eu-west-3"},
	} {
		login["AWS_REGION"] = tt.configured
		environment(t, login)
		c, err := Connect(t.Context(), tt.o)
		if err != nil || c.Region() != tt.want {
			t.Errorf("%+v: got %v, %v, want %s", tt, c, err, tt.want)
		}
	}
}

func TestUserAgent(t *testing.T) {
	s, c := connect(t)
	s.on("DescribeAutoScalingGroups", groups())
	c.describeAll(t.Context())
	if got := s.sent("DescribeAutoScalingGroups")[0].Get("agent"); !strings.Contains(got, "app/drainboard") {
		t.Errorf("user agent %q does not name drainboard", got)
	}
}

// Keys that were renewed on disk are used after the old ones were refused.
func TestRenewedCredentials(t *testing.T) {
	file := t.TempDir() + "/credentials"
	write := func(key string) {
		os.WriteFile(file, []byte("[default]\naws_access_key_id = "+key+"\naws_secret_access_key = b\n"), 0o600)
	}
	s, c := connect(t)
	write("OLD")
	environment(t, map[string]string{"AWS_REGION": "eu-west-1", "AWS_SHARED_CREDENTIALS_FILE": file, "AWS_ENDPOINT_URL": *c.scaling.Options().BaseEndpoint})
	c, err := Connect(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.on("DescribeAutoScalingGroups", fail(403, "ExpiredToken", "The security token included in the request is expired"))
	_, err = c.describe(t.Context(), "web")
	if want := "AWS credentials expired (ExpiredToken): The security token included in the request is expired"; !errors.Is(err, transport.ErrExpired) || err.Error() != want {
		t.Fatalf("got %v, want %s", err, want)
	}
	write("NEW")
	s.on("DescribeAutoScalingGroups", groups(group("web")))
	if _, err := c.describe(t.Context(), "web"); err != nil {
		t.Fatal(err)
	}
	calls := s.sent("DescribeAutoScalingGroups")
	if auth := calls[len(calls)-1].Get("auth"); !strings.Contains(auth, "Credential=NEW/") {
		t.Errorf("the last call used %q", auth)
	}
}

func TestActionLists(t *testing.T) {
	seen := map[string]bool{}
	for _, list := range [][]string{ReadActions, UpgradeActions, CloudOnlyActions, PassedActions} {
		if !slices.IsSorted(list) {
			t.Errorf("not sorted: %v", list)
		}
		for _, a := range list {
			if seen[a] {
				t.Errorf("%s is listed twice", a)
			}
			seen[a] = true
		}
	}
}
