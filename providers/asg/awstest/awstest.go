// Package awstest is a small AWS for tests: it answers the real SDK clients, over
// HTTP, with what a test says, and remembers what it was asked.
package awstest

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Service answers by action. An answer is the inside of the response (EC2) or of the
// result in it (Auto Scaling, load balancers), the object (S3's GetObject, whose form
// has Path: /bucket/key), or made with Fail, or Drop.
type Service struct {
	mu      sync.Mutex
	answers map[string]func(url.Values) string
	calls   []url.Values
	region  string // that S3 has its buckets in; "": whichever is asked
}

// Drop closes the connection instead of answering.
const Drop = "\x00drop"

// Fail is an answer that is an error.
func Fail(status int, code, message string) string {
	return fmt.Sprintf("\x00%d\x00%s\x00%s", status, code, message)
}

// Start starts a service in region eu-west-1, and makes it the AWS of the test.
func Start(t *testing.T) *Service {
	t.Helper()
	s := &Service{answers: map[string]func(url.Values) string{}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	Environment(t, map[string]string{
		"AWS_ENDPOINT_URL": server.URL, "AWS_REGION": "eu-west-1",
		"AWS_ACCESS_KEY_ID": "AKID", "AWS_SECRET_ACCESS_KEY": "secret",
	})
	return s
}

// Environment is the AWS environment of a test: nothing but what is given.
func Environment(t *testing.T, env map[string]string) {
	t.Helper()
	for _, name := range []string{"AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL", "AWS_SDK_UA_APP_ID"} {
		t.Setenv(name, env[name])
	}
	none := t.TempDir() + "/none"
	t.Setenv("AWS_CONFIG_FILE", none)
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", none)
	if f := env["AWS_SHARED_CREDENTIALS_FILE"]; f != "" {
		t.Setenv("AWS_SHARED_CREDENTIALS_FILE", f)
	}
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
}

// On sets the answer to an action.
func (s *Service) On(action, answer string) {
	s.OnCall(action, func(url.Values) string { return answer })
}

// OnCall sets what makes the answers to an action.
func (s *Service) OnCall(action string, answer func(url.Values) string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers[action] = answer
}

// BucketsIn has S3 send clients on that ask in another region.
func (s *Service) BucketsIn(region string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.region = region
}

// Calls are all calls so far.
func (s *Service) Calls() []url.Values {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// Sent are the calls of an action so far.
func (s *Service) Sent(action string) []url.Values {
	var out []url.Values
	for _, c := range s.Calls() {
		if c.Get("Action") == action {
			out = append(out, c)
		}
	}
	return out
}

// Actions are the names of all actions that were called, sorted.
func (s *Service) Actions() []string {
	names := map[string]bool{}
	for _, c := range s.Calls() {
		names[c.Get("Action")] = true
	}
	return slices.Sorted(maps.Keys(names))
}

var scope = regexp.MustCompile(`Credential=[^/]+/[0-9]+/([^/]+)/`)

func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r.ParseForm()
	form := r.PostForm
	if r.Method == http.MethodGet {
		form = url.Values{"Action": {"GetObject"}, "Path": {r.URL.Path}}
		if r.Form.Get("list-type") == "2" {
			form = url.Values{"Action": {"ListObjectsV2"}, "Path": {r.URL.Path}, "Prefix": {r.Form.Get("prefix")}, "Token": {r.Form.Get("continuation-token")}}
		}
	}
	action := form.Get("Action")
	s.mu.Lock()
	s.calls = append(s.calls, form)
	form.Set("agent", r.UserAgent())
	form.Set("auth", r.Header.Get("Authorization"))
	answer, region := s.answers[action], s.region
	s.mu.Unlock()
	body := Fail(http.StatusBadRequest, "InvalidAction", "no such action here: "+action)
	if answer != nil {
		body = answer(form)
	}
	if asked := scope.FindStringSubmatch(form.Get("auth")); (action == "GetObject" || action == "ListObjectsV2") && region != "" && asked != nil && asked[1] != region {
		w.Header().Set("X-Amz-Bucket-Region", region)
		body = Fail(http.StatusMovedPermanently, "PermanentRedirect", "The bucket you are attempting to access must be addressed using the specified endpoint.")
	}
	if body == Drop {
		if conn, _, err := w.(http.Hijacker).Hijack(); err == nil {
			conn.Close()
		}
		return
	}
	if failed, ok := strings.CutPrefix(body, "\x00"); ok {
		parts := strings.SplitN(failed, "\x00", 3)
		var status int
		fmt.Sscan(parts[0], &status)
		w.WriteHeader(status)
		fmt.Fprintf(w, failures[shape(form)], parts[1], parts[2])
		return
	}
	switch shape(form) {
	case ec2:
		fmt.Fprintf(w, "<%[1]sResponse>%[2]s</%[1]sResponse>", action, body)
	case query:
		fmt.Fprintf(w, "<%[1]sResponse><%[1]sResult>%[2]s</%[1]sResult></%[1]sResponse>", action, body)
	default:
		fmt.Fprint(w, body)
	}
}

// The services' ways to answer.
const (
	query = iota
	ec2
	s3
)

func shape(form url.Values) int {
	switch form.Get("Version") {
	case "":
		return s3
	case "2016-11-15":
		return ec2
	}
	return query
}

var failures = [...]string{
	query: "<ErrorResponse><Error><Type>Sender</Type><Code>%s</Code><Message>%s</Message></Error></ErrorResponse>",
	ec2:   "<Response><Errors><Error><Code>%s</Code><Message>%s</Message></Error></Errors></Response>",
	s3:    "<Error><Code>%s</Code><Message>%s</Message></Error>",
}
