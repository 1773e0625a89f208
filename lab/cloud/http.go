package cloud

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/drainboard/drainboard/lab/cloud/access"
	"github.com/drainboard/drainboard/lab/cloud/s3"
	"github.com/drainboard/drainboard/lab/cloud/wire"
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

// api is a service of the query protocols: how it is spoken, and its actions.
type api struct {
	wire.Protocol
	handlers map[string]handler
}

// handler answers a call; it is called with mu held. The nodes are the content
// of the answer.
type handler func(c *Cloud, r *wire.Request) ([]wire.Node, *wire.Error)

// protocols tells the services apart: each query API has its own Version.
var protocols = map[string]api{
	"2011-01-01": {wire.Protocol{Service: "autoscaling", Namespace: "http://autoscaling.amazonaws.com/doc/2011-01-01/"}, autoscalingHandlers},
	"2016-11-15": {wire.Protocol{Service: "ec2", Namespace: "http://ec2.amazonaws.com/doc/2016-11-15/", EC2: true}, ec2Handlers},
	"2015-12-01": {wire.Protocol{Service: balancing, Namespace: "http://elasticloadbalancing.amazonaws.com/doc/2015-12-01/"}, targetGroupHandlers},
	"2012-06-01": {wire.Protocol{Service: balancing, Namespace: "http://elasticloadbalancing.amazonaws.com/doc/2012-06-01/"}, classicHandlers},
	"2010-05-08": {wire.Protocol{Service: "iam", Namespace: "https://iam.amazonaws.com/doc/2010-05-08/"}, ruled(access.IAM)},
	"2011-06-15": {wire.Protocol{Service: "sts", Namespace: "https://sts.amazonaws.com/doc/2011-06-15/"}, ruled(access.STS)},
}

// ruled are the handlers of a service that only knows the rules.
func ruled(handlers map[string]func(*access.Rules, *wire.Request) ([]wire.Node, *wire.Error)) map[string]handler {
	all := map[string]handler{}
	for action, h := range handlers {
		all[action] = func(c *Cloud, r *wire.Request) ([]wire.Node, *wire.Error) { return h(c.Rules, r) }
	}
	return all
}

// ServeHTTP answers a call of any of the services.
func (c *Cloud) ServeHTTP(w http.ResponseWriter, h *http.Request) {
	if s3.Is(h) {
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
	r := &wire.Request{Service: p.Service, Action: h.Form.Get("Action"), Form: h.Form, Key: wire.AccessKey(h.Header), PageSize: c.o.PageSize}
	var content []wire.Node
	id, failed := c.carryOut(r, h.UserAgent(), func() (err *wire.Error) {
		content, err = c.answer(p, r)
		return err
	})
	w.Header().Set("Content-Type", "text/xml;charset=UTF-8")
	w.Header().Set("X-Amzn-Requestid", id)
	if failed != nil {
		w.WriteHeader(failed.Status)
		p.Failure(failed, id).Write(w)
		return
	}
	p.Success(r.Action, content, id).Write(w)
}

// serveS3 answers a call of S3.
func (c *Cloud) serveS3(w http.ResponseWriter, h *http.Request) {
	body, err := io.ReadAll(h.Body)
	if err != nil {
		panic(http.ErrAbortHandler) // the client is gone
	}
	r := s3.Decode(h, body)
	r.PageSize = c.o.PageSize
	var answer s3.Answer
	id, failed := c.carryOut(&r.Request, h.UserAgent(), func() (err *wire.Error) {
		answer, err = c.store.Answer(r)
		return err
	})
	answer.Write(w, h, failed, id)
}

// carryOut does what a call asks, and notes it. If its answer is to be lost, the
// connection breaks.
func (c *Cloud) carryOut(r *wire.Request, userAgent string, do func() *wire.Error) (id string, failed *wire.Error) {
	c.mu.Lock()
	id = c.uuid()
	failed = do()
	call := Call{Time: time.Now(), Service: r.Service, Action: r.Action, Params: r.Form, UserAgent: userAgent, AccessKey: r.Key, Lost: c.Loses(r)}
	if failed != nil {
		call.Code = failed.Code
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
func (c *Cloud) answer(p api, r *wire.Request) ([]wire.Node, *wire.Error) {
	h, ok := p.handlers[r.Action]
	if !ok {
		return nil, wire.NewError("InvalidAction", fmt.Sprintf("The action %s is not valid for this web service.", r.Action), http.StatusBadRequest)
	}
	if r.Key == "" {
		return nil, wire.NoCredentials(r.Service)
	}
	if err := c.Refuse(r, c.resource(r)); err != nil {
		return nil, err
	}
	if p.EC2 && r.Bool("DryRun") {
		return nil, wire.NewError("DryRunOperation", "Request would have succeeded, but DryRun flag is set.", http.StatusPreconditionFailed)
	}
	return h(c, r)
}

// resource is what an access error names, as far as the call has one thing it
// acts on; "*" otherwise.
func (c *Cloud) resource(r *wire.Request) string {
	if g := c.state.groups[r.Str("AutoScalingGroupName")]; g != nil {
		return g.arn
	}
	if i := c.state.instances[r.Str("InstanceId")]; i != nil {
		if g := c.state.groups[i.Group]; g != nil && r.Service == "autoscaling" {
			return g.arn
		}
		return fmt.Sprintf("arn:aws:ec2:%s:%s:instance/%s", c.o.Region, access.Account, i.ID)
	}
	if t := c.state.template(r.Str("LaunchTemplateId")); t != nil {
		return fmt.Sprintf("arn:aws:ec2:%s:%s:launch-template/%s", c.o.Region, access.Account, t.id)
	}
	if b := c.state.balancers[r.Str("TargetGroupArn")]; b != nil {
		return b.id
	}
	if b := c.state.balancers[r.Str("LoadBalancerName")]; b != nil {
		return fmt.Sprintf("arn:aws:elasticloadbalancing:%s:%s:loadbalancer/%s", c.o.Region, access.Account, b.Name)
	}
	return "*"
}
