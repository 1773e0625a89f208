package cloud

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Call is one request that the cloud answered, for tests and for counting. Service
// and Action are those of IAM policies.
type Call struct {
	Time      time.Time
	Service   string // autoscaling, ec2, elasticloadbalancing, iam, sts, s3, eks, ssm
	Action    string
	Params    url.Values
	Code      string // error code, empty for success
	UserAgent string
	AccessKey string
	Lost      bool // the answer was not delivered; see LoseAnswers
}

// Reads says whether the call changes nothing, as far as its action's name tells, or that it
// is a dry run.
func (c Call) Reads() bool {
	for _, verb := range []string{"Describe", "Get", "List", "Simulate"} {
		if strings.HasPrefix(c.Action, verb) {
			return true
		}
	}
	return c.Params.Get("DryRun") == "true"
}

// Calls are all calls so far, oldest first.
func (c *Cloud) Calls() []Call {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Call(nil), c.calls...)
}

// request is a decoded call. Parameters are flat, as the query protocols have
// them: Filters.member.1.Name.
type request struct {
	service, action string
	form            url.Values
	key             string // access key id
}

// protocol is what differs between the services' wire formats.
type protocol struct {
	service, namespace string
	ec2                bool // ec2Query: answers without a Result element, errors in Errors
	handlers           map[string]handler
}

// handler answers a call; it is called with mu held. The nodes are the content
// of the answer.
type handler func(c *Cloud, r *request) ([]node, *apiError)

// protocols tells the services apart: each query API has its own Version.
var protocols = map[string]protocol{
	"2011-01-01": {"autoscaling", "http://autoscaling.amazonaws.com/doc/2011-01-01/", false, autoscalingHandlers},
	"2016-11-15": {"ec2", "http://ec2.amazonaws.com/doc/2016-11-15/", true, ec2Handlers},
	"2015-12-01": {balancing, "http://elasticloadbalancing.amazonaws.com/doc/2015-12-01/", false, targetGroupHandlers},
	"2012-06-01": {balancing, "http://elasticloadbalancing.amazonaws.com/doc/2012-06-01/", false, classicHandlers},
	"2010-05-08": {"iam", "https://iam.amazonaws.com/doc/2010-05-08/", false, iamHandlers},
	"2011-06-15": {"sts", "https://sts.amazonaws.com/doc/2011-06-15/", false, stsHandlers},
}

var credential = regexp.MustCompile(`Credential=([^/,]+)/`)

// ServeHTTP answers a call of any of the services.
func (c *Cloud) ServeHTTP(w http.ResponseWriter, h *http.Request) {
	if isS3(h) {
		c.serveS3(w, h)
		return
	}
	if name := jsonService(h); name != "" {
		c.serveJSON(w, h, name)
		return
	}
	if err := h.ParseForm(); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	p, ok := protocols[h.Form.Get("Version")]
	if !ok {
		http.Error(w, "the lab speaks the query protocols of Auto Scaling, EC2, Elastic Load Balancing, IAM and STS, and S3", http.StatusNotImplemented)
		return
	}
	r := &request{service: p.service, action: h.Form.Get("Action"), form: h.Form}
	if m := credential.FindStringSubmatch(h.Header.Get("Authorization")); m != nil {
		r.key = m[1]
	}
	var content []node
	id, failed := c.carryOut(r, h.UserAgent(), func() (err *apiError) {
		content, err = c.answer(p, r)
		return err
	})
	w.Header().Set("Content-Type", "text/xml;charset=UTF-8")
	w.Header().Set("X-Amzn-Requestid", id)
	if failed != nil {
		w.WriteHeader(failed.status)
		p.failure(failed, id).write(w)
		return
	}
	p.success(r.action, content, id).write(w)
}

// carryOut does what a call asks, and notes it. If its answer is to be lost, the
// connection breaks.
func (c *Cloud) carryOut(r *request, userAgent string, do func() *apiError) (id string, failed *apiError) {
	c.mu.Lock()
	id = c.uuid()
	failed = do()
	call := Call{Time: time.Now(), Service: r.service, Action: r.action, Params: r.form, UserAgent: userAgent, AccessKey: r.key, Lost: c.faults.loses(r)}
	if failed != nil {
		call.Code = failed.code
	}
	c.calls = append(c.calls, call)
	c.mu.Unlock()
	if call.Lost {
		panic(http.ErrAbortHandler) // breaks the connection
	}
	return id, failed
}

// answer runs the handler unless a fault or missing credentials forbid it. The
// caller holds mu.
func (c *Cloud) answer(p protocol, r *request) ([]node, *apiError) {
	h, ok := p.handlers[r.action]
	if !ok {
		return nil, &apiError{"InvalidAction", fmt.Sprintf("The action %s is not valid for this web service.", r.action), http.StatusBadRequest}
	}
	if r.key == "" {
		return nil, errNoCredentials(r.service)
	}
	if err := c.faults.refuse(r, c.resource(r)); err != nil {
		return nil, err
	}
	if p.ec2 && r.bool("DryRun") {
		return nil, &apiError{"DryRunOperation", "Request would have succeeded, but DryRun flag is set.", http.StatusPreconditionFailed}
	}
	return h(c, r)
}

// resource is what an access error names, as far as the call has one thing it
// acts on; "*" otherwise.
func (c *Cloud) resource(r *request) string {
	if g := c.state.groups[r.str("AutoScalingGroupName")]; g != nil {
		return g.arn
	}
	if i := c.state.instances[r.str("InstanceId")]; i != nil {
		if g := c.state.groups[i.Group]; g != nil && r.service == "autoscaling" {
			return g.arn
		}
		return fmt.Sprintf("arn:aws:ec2:%s:%s:instance/%s", c.o.Region, Account, i.ID)
	}
	if t := c.state.template(r.str("LaunchTemplateId")); t != nil {
		return fmt.Sprintf("arn:aws:ec2:%s:%s:launch-template/%s", c.o.Region, Account, t.id)
	}
	if b := c.state.balancers[r.str("TargetGroupArn")]; b != nil {
		return b.id
	}
	if b := c.state.balancers[r.str("LoadBalancerName")]; b != nil {
		return fmt.Sprintf("arn:aws:elasticloadbalancing:%s:%s:loadbalancer/%s", c.o.Region, Account, b.Name)
	}
	return "*"
}

func (r *request) str(name string) string { return r.form.Get(name) }

func (r *request) has(name string) bool { return r.form.Has(name) }

// int is a number, or otherwise if it is absent or none.
func (r *request) int(name string, otherwise int) int {
	if n, err := strconv.Atoi(r.str(name)); err == nil {
		return n
	}
	return otherwise
}

func (r *request) bool(name string) bool { return r.str(name) == "true" }

// list are the values of name.1, name.2 and so on.
func (r *request) list(name string) []string {
	var values []string
	for n := 1; r.has(fmt.Sprintf("%s.%d", name, n)); n++ {
		values = append(values, r.str(fmt.Sprintf("%s.%d", name, n)))
	}
	return values
}

// structs are the prefixes name.1, name.2 and so on that have parameters.
func (r *request) structs(name string) []string {
	var prefixes []string
	for n := 1; ; n++ {
		prefix := fmt.Sprintf("%s.%d", name, n)
		if !r.any(prefix + ".") {
			return prefixes
		}
		prefixes = append(prefixes, prefix)
	}
}

// any says whether a parameter starts with prefix.
func (r *request) any(prefix string) bool {
	for name := range r.form {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}
