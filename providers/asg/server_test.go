package asg

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
)

// service is a small AWS: answers by action, for the real SDK clients. An answer
// is the inside of the result (Auto Scaling) or of the response (EC2), or made
// with fail, or drop.
type service struct {
	mu      sync.Mutex
	answers map[string]func(url.Values) string
	calls   []url.Values
}

const drop = "\x00drop" // close the connection instead of answering

// fail is an answer that is an error.
func fail(status int, code, message string) string {
	return fmt.Sprintf("\x00%d\x00%s\x00%s", status, code, message)
}

// connect starts a service and a client of it.
func connect(t *testing.T) (*service, *Client) {
	t.Helper()
	s := &service{answers: map[string]func(url.Values) string{}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	environment(t, map[string]string{
		"AWS_ENDPOINT_URL": server.URL, "AWS_REGION": "eu-west-1",
		"AWS_ACCESS_KEY_ID": "AKID", "AWS_SECRET_ACCESS_KEY": "secret",
	})
	c, err := Connect(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s, c
}

// environment is the AWS environment of a test: nothing but what is given.
func environment(t *testing.T, env map[string]string) {
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

// on sets the answer to an action.
func (s *service) on(action, answer string) {
	s.onCall(action, func(url.Values) string { return answer })
}

func (s *service) onCall(action string, answer func(url.Values) string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers[action] = answer
}

// sent are the calls of an action so far.
func (s *service) sent(action string) []url.Values {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []url.Values
	for _, c := range s.calls {
		if c.Get("Action") == action {
			out = append(out, c)
		}
	}
	return out
}

// actions are the names of all actions that were called, sorted.
func (s *service) actions() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	names := map[string]bool{}
	for _, c := range s.calls {
		names[c.Get("Action")] = true
	}
	return slices.Sorted(maps.Keys(names))
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r.ParseForm()
	form := r.PostForm
	action, scaling := form.Get("Action"), form.Get("Version") == "2011-01-01"
	s.mu.Lock()
	s.calls = append(s.calls, form)
	form.Set("agent", r.UserAgent())
	form.Set("auth", r.Header.Get("Authorization"))
	answer := s.answers[action]
	s.mu.Unlock()
	body := fail(400, "InvalidAction", "no such action here: "+action)
	if answer != nil {
		body = answer(form)
	}
	switch {
	case body == drop:
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			conn.Close()
		}
	case strings.HasPrefix(body, "\x00"):
		parts := strings.SplitN(body, "\x00", 4)
		var status int
		fmt.Sscan(parts[1], &status)
		w.WriteHeader(status)
		if scaling {
			fmt.Fprintf(w, "<ErrorResponse><Error><Type>Sender</Type><Code>%s</Code><Message>%s</Message></Error></ErrorResponse>", parts[2], parts[3])
		} else {
			fmt.Fprintf(w, "<Response><Errors><Error><Code>%s</Code><Message>%s</Message></Error></Errors></Response>", parts[2], parts[3])
		}
	case scaling:
		fmt.Fprintf(w, "<%[1]sResponse><%[1]sResult>%[2]s</%[1]sResult></%[1]sResponse>", action, body)
	default:
		fmt.Fprintf(w, "<%[1]sResponse>%[2]s</%[1]sResponse>", action, body)
	}
}

// members is a list in Auto Scaling's XML, items one in EC2's.
func members(list string, of ...string) string {
	return "<" + list + "><member>" + strings.Join(of, "</member><member>") + "</member></" + list + ">"
}

func items(list string, of ...string) string {
	return "<" + list + "><item>" + strings.Join(of, "</item><item>") + "</item></" + list + ">"
}

// e is an element, or several: e("a", "1", "b", "2").
func e(pairs ...string) string {
	var b strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		b.WriteString("<" + pairs[i] + ">" + pairs[i+1] + "</" + pairs[i] + ">")
	}
	return b.String()
}

// spec is a launch template specification as descriptions have it.
func spec(id, version string) string {
	return e("LaunchTemplateId", id, "LaunchTemplateName", "name-of-"+id, "Version", version)
}

// group is a described group with sizes 1, 5, 3 and whatever else is given.
func group(name string, more ...string) string {
	return e("AutoScalingGroupName", name, "MinSize", "1", "MaxSize", "5", "DesiredCapacity", "3") + strings.Join(more, "")
}

// groups is the answer to DescribeAutoScalingGroups.
func groups(of ...string) string { return members("AutoScalingGroups", of...) }

// instance is a member of a group.
func instance(id, zone, state, version string) string {
	return e("InstanceId", id, "AvailabilityZone", zone, "LifecycleState", state, "HealthStatus", "Healthy",
		"InstanceType", "m5.large", "ProtectedFromScaleIn", "false", "LaunchTemplate", spec("lt-1", version))
}

// templateVersion is a described version of lt-1.
func templateVersion(number, image, userData string) string {
	return e("launchTemplateId", "lt-1", "launchTemplateName", "web", "versionNumber", number,
		"launchTemplateData", e("imageId", image, "instanceType", "m5.large", "userData", userData))
}

// withTemplate answers for template lt-1 with versions 1 to 3, of which 2 is the
// default.
func (s *service) withTemplate() {
	all := map[string]string{
		"1": templateVersion("1", "ami-1", "x"), "2": templateVersion("2", "ami-2", "x"), "3": templateVersion("3", "ami-3", "other"),
	}
	all["$Latest"], all["$Default"] = all["3"], all["2"]
	s.onCall("DescribeLaunchTemplateVersions", func(f url.Values) string {
		if v := f.Get("LaunchTemplateVersion.1"); v != "" {
			if all[v] == "" {
				return fail(400, "InvalidLaunchTemplateId.VersionNotFound", "Could not find the specified version "+v+" for the launch template with ID lt-1.")
			}
			return items("launchTemplateVersionSet", all[v])
		}
		if f.Get("NextToken") == "" {
			return items("launchTemplateVersionSet", all["3"]) + e("nextToken", "more")
		}
		return items("launchTemplateVersionSet", all["2"], all["1"])
	})
}
