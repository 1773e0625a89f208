package lab

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/drainboard/drainboard/lab/apigate"
	"github.com/drainboard/drainboard/lab/cloud"
	"github.com/drainboard/drainboard/lab/gate"
)

// Faults are all that can be switched on by name, those of the cloud first, those of a
// Gardener cluster last.
var Faults = slices.Concat(commonFaults, shootFaults)

// commonFaults are those that every lab has.
var commonFaults = []Fault{
	{"no-capacity", "a zone starts no more instances", "Cloud.SetCapacity",
		[]FaultFlag{zoneFlag, {"after", "0", "launches that still succeed"}}, noCapacity},
	{"no-addresses", "the subnet of a zone has no free address", "Cloud.SetAddresses",
		[]FaultFlag{zoneFlag}, noAddresses},
	{"slow-boot", "new instances take long to get in service", "Cloud.SetBoot",
		[]FaultFlag{groupFlag, {"by", "1m", "from Pending to InService"}}, slowBoot},
	{"never-join", "new instances run, but their nodes never come", "Cloud.NeverJoin",
		[]FaultFlag{groupFlag, launchesFlag}, neverJoin},
	{"never-ready", "nodes of new instances stay NotReady", "Lab.NeverReady",
		[]FaultFlag{groupFlag, launchesFlag}, neverReady},
	{"kill", "the machine of a node ends by itself, once", "Cloud.Kill",
		[]FaultFlag{nodeFlag}, kill},
	{"slow-draining", "connections through load balancers take long to end", "Cloud.SetDraining",
		[]FaultFlag{{"balancer", "", "the name of a target group or classic load balancer (default all)"}, {"by", "1m", "from deregistration to the end"}}, slowDraining},
	{"throttle", "AWS refuses a part of the calls", "Cloud.Throttle",
		[]FaultFlag{partFlag}, throttle},
	{"lose-answers", "AWS does what a call asks and then breaks the connection", "Cloud.LoseAnswers",
		[]FaultFlag{actionFlag, {"answers", "1", "how many"}}, loseAnswers},
	{"deny", "AWS does not allow an action", "Cloud.Deny",
		[]FaultFlag{actionFlag}, deny},
	{"expire-credentials", "AWS takes all credentials for expired", "Cloud.ExpireCredentials",
		nil, expireCredentials},
	{"break-calls", "AWS throttles a part of the calls, answers with an error of its own or not at all", "Cloud.Gate",
		[]FaultFlag{partFlag}, breakCalls},

	{"cut", "all connections of a user to the API server break, once", "Line.Cut",
		[]FaultFlag{userFlag}, cut},
	{"refuse", "connections of a user to the API server break, new ones too", "Line.Refuse",
		[]FaultFlag{userFlag}, refuse},
	{"hold", "connections of a user to the API server stay open, and nothing passes", "Line.Hold",
		[]FaultFlag{userFlag}, hold},
	{"delay", "what a user and the API server say to each other takes longer", "Line.Delay",
		[]FaultFlag{userFlag, {"by", "500ms", "in each direction"}}, delay},
	{"break-requests", "a part of a user's requests to the API server gets 429, 500 or no answer", "Lab.Gate",
		[]FaultFlag{userFlag, partFlag}, breakRequests},
	{"restart", "a component of the control plane ends and starts again, once", "Lab.Restart",
		[]FaultFlag{{"component", APIServer, "which"}}, restart},
	{"freeze", "a component of the control plane stands still: nothing answers", "Process.Freeze",
		[]FaultFlag{{"component", Etcd, "which"}}, freeze},
	{"stop", "a component of the control plane is not there", "Process.Stop",
		[]FaultFlag{{"component", Etcd, "which"}}, stop},

	{"webhook", "an admission webhook denies evictions", "Lab.DenyEvictions",
		[]FaultFlag{
			{"namespace", "", "where (default everywhere)"}, {"message", "", "what it says"},
			{"hang", "false", "it does not answer; true or false"},
			{"ignore", "false", "failure policy Ignore: one that hangs lets evictions through; true or false"},
		}, webhook},
	{"unready-pods", "pods are not ready", "Lab.Unready",
		[]FaultFlag{{"namespace", "kube-system", "where"}, {"pods", "", "the beginning of their names"}}, unreadyPods},
	{"crash-loop", "pods crash-loop", "Lab.CrashLoop",
		[]FaultFlag{{"namespace", "default", "where"}, {"pods", "", "the beginning of their names"}}, crashLoop},
	{"unready-node", "a node is NotReady, though its kubelet shows signs of life", "Lab.UnreadyNode",
		[]FaultFlag{nodeFlag}, unreadyNode},
	{"silence", "the kubelet of a node gives no sign of life any more", "Lab.Silence",
		[]FaultFlag{nodeFlag}, silence},
}

var (
	zoneFlag     = FaultFlag{"zone", "", "the zone, or its letter"}
	groupFlag    = FaultFlag{"group", "", "the Auto Scaling group (default all)"}
	launchesFlag = FaultFlag{"launches", "", "how many of the next ones (default all)"}
	nodeFlag     = FaultFlag{"node", "", "the node, or the beginning of its name"}
	actionFlag   = FaultFlag{"action", "", "as IAM names it, such as autoscaling:UpdateAutoScalingGroup"}
	partFlag     = FaultFlag{"part", "0.5", "0 to 1; 1 is all of them"}
	userFlag     = FaultFlag{"user", "admin", "whose kubeconfig"}
)

// allLaunches is more than a lab ever launches.
const allLaunches = 10000

// values are those of a fault's flags, by name.
type values map[string]string

// count is a number from 0 on; otherwise if it is not given.
func (v values) count(name string, otherwise int) (int, error) {
	if v[name] == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(v[name])
	if err != nil || n < 0 {
		return 0, fmt.Errorf("--%s must be a number, not %q", name, v[name])
	}
	return n, nil
}

// part is a share above 0 and at most 1.
func (v values) part() (float64, error) {
	part, err := strconv.ParseFloat(v["part"], 64)
	if err != nil || part <= 0 || part > 1 {
		return 0, fmt.Errorf("--part must be above 0 and at most 1, not %q", v["part"])
	}
	return part, nil
}

func (v values) duration(name string) (time.Duration, error) {
	d, err := time.ParseDuration(v[name])
	if err != nil || d < 0 {
		return 0, fmt.Errorf("--%s must be a time such as 2s, not %q", name, v[name])
	}
	return d, nil
}

func (v values) yes(name string) (bool, error) {
	yes, err := strconv.ParseBool(v[name])
	if err != nil {
		return false, fmt.Errorf("--%s must be true or false, not %q", name, v[name])
	}
	return yes, nil
}

func (v values) action() (string, error) {
	if v["action"] == "" {
		return "", errors.New("--action is missing: " + actionFlag.Usage)
	}
	return v["action"], nil
}

// ending turns what cannot fail into the end of a fault.
func ending(do func()) func(context.Context) error {
	return func(context.Context) error {
		do()
		return nil
	}
}

type off = func(context.Context) error

func noCapacity(_ context.Context, l *Lab, v values) (off, error) {
	zone, err := l.zone(v)
	if err != nil {
		return nil, err
	}
	n, err := v.count("after", 0)
	if err != nil {
		return nil, err
	}
	l.cloud.SetCapacity(zone, n)
	return ending(func() { l.cloud.SetCapacity(zone, -1) }), nil
}

func noAddresses(_ context.Context, l *Lab, v values) (off, error) {
	zone, err := l.zone(v)
	if err != nil {
		return nil, err
	}
	l.cloud.SetAddresses(zone, 0)
	return ending(func() { l.cloud.SetAddresses(zone, -1) }), nil
}

func slowBoot(_ context.Context, l *Lab, v values) (off, error) {
	d, err := v.duration("by")
	if err != nil {
		return nil, err
	}
	return l.eachGroup(v, func(group string) { l.cloud.SetBoot(group, d) }, func(group string) { l.cloud.SetBoot(group, -1) })
}

func neverJoin(_ context.Context, l *Lab, v values) (off, error) {
	n, err := v.count("launches", allLaunches)
	if err != nil {
		return nil, err
	}
	return l.eachGroup(v, func(group string) { l.cloud.NeverJoin(group, n) }, func(group string) { l.cloud.NeverJoin(group, 0) })
}

func neverReady(_ context.Context, l *Lab, v values) (off, error) {
	n, err := v.count("launches", allLaunches)
	if err != nil {
		return nil, err
	}
	return l.eachGroup(v, func(group string) { l.NeverReady(group, n) }, func(group string) { l.NeverReady(group, 0) })
}

// eachGroup switches something on for the groups that are meant.
func (l *Lab) eachGroup(v values, on, off func(group string)) (off, error) {
	groups, err := l.groups(v)
	if err != nil {
		return nil, err
	}
	for _, group := range groups {
		on(group)
	}
	return ending(func() {
		for _, group := range groups {
			off(group)
		}
	}), nil
}

func kill(ctx context.Context, l *Lab, v values) (off, error) {
	node, err := l.node(ctx, v)
	if err != nil {
		return nil, err
	}
	for _, s := range l.Shoots() {
		if s.Kill(node) {
			return nil, nil
		}
	}
	id, err := l.Instance(ctx, node)
	if err != nil {
		return nil, err
	}
	l.cloud.Kill(id)
	return nil, nil
}

func slowDraining(_ context.Context, l *Lab, v values) (off, error) {
	d, err := v.duration("by")
	if err != nil {
		return nil, err
	}
	before := map[string]time.Duration{}
	for id, b := range l.cloud.Balancers() {
		if v["balancer"] == "" || v["balancer"] == b.Name {
			before[id] = b.Draining
			l.cloud.SetDraining(id, d)
		}
	}
	if len(before) == 0 {
		return nil, fmt.Errorf("no load balancer %q", v["balancer"])
	}
	return ending(func() {
		for id, d := range before {
			l.cloud.SetDraining(id, d)
		}
	}), nil
}

func throttle(_ context.Context, l *Lab, v values) (off, error) {
	part, err := v.part()
	if err != nil {
		return nil, err
	}
	l.cloud.Throttle(part)
	return ending(func() { l.cloud.Throttle(0) }), nil
}

func loseAnswers(_ context.Context, l *Lab, v values) (off, error) {
	action, err := v.action()
	if err != nil {
		return nil, err
	}
	n, err := v.count("answers", 1)
	if err != nil {
		return nil, err
	}
	l.cloud.LoseAnswers(action, n)
	return ending(func() { l.cloud.LoseAnswers(action, 0) }), nil
}

func deny(_ context.Context, l *Lab, v values) (off, error) {
	action, err := v.action()
	if err != nil {
		return nil, err
	}
	l.cloud.Deny(action)
	return ending(func() { l.cloud.Allow(action) }), nil
}

func expireCredentials(_ context.Context, l *Lab, _ values) (off, error) {
	l.cloud.ExpireCredentials(true)
	return ending(func() { l.cloud.ExpireCredentials(false) }), nil
}

func breakCalls(_ context.Context, l *Lab, v values) (off, error) {
	part, err := v.part()
	if err != nil {
		return nil, err
	}
	return ending(l.cloud.Gate().Fail(part, gate.Any, cloud.Troubles...)), nil
}

func breakRequests(_ context.Context, l *Lab, v values) (off, error) {
	part, err := v.part()
	if err != nil {
		return nil, err
	}
	if _, err := l.line(v); err != nil {
		return nil, err
	}
	g, err := l.Gate(v["user"])
	if err != nil {
		return nil, err
	}
	return ending(g.Fail(part, gate.Any, apigate.Troubles...)), nil
}

func cut(_ context.Context, l *Lab, v values) (off, error) {
	line, err := l.line(v)
	if err != nil {
		return nil, err
	}
	line.Cut()
	return nil, nil
}

func refuse(_ context.Context, l *Lab, v values) (off, error) {
	line, err := l.line(v)
	if err != nil {
		return nil, err
	}
	line.Refuse(true)
	return ending(func() { line.Refuse(false) }), nil
}

func hold(_ context.Context, l *Lab, v values) (off, error) {
	line, err := l.line(v)
	if err != nil {
		return nil, err
	}
	line.Hold(true)
	return ending(func() { line.Hold(false) }), nil
}

func delay(_ context.Context, l *Lab, v values) (off, error) {
	line, err := l.line(v)
	if err != nil {
		return nil, err
	}
	d, err := v.duration("by")
	if err != nil {
		return nil, err
	}
	line.Delay(d)
	return ending(func() { line.Delay(0) }), nil
}

func restart(ctx context.Context, l *Lab, v values) (off, error) {
	process, err := l.component(v)
	if err != nil {
		return nil, err
	}
	return nil, l.Restart(ctx, process.Name)
}

func freeze(_ context.Context, l *Lab, v values) (off, error) {
	process, err := l.component(v)
	if err != nil {
		return nil, err
	}
	return func(context.Context) error { return process.Thaw() }, process.Freeze()
}

func stop(_ context.Context, l *Lab, v values) (off, error) {
	process, err := l.component(v)
	if err != nil {
		return nil, err
	}
	process.Stop()
	if process.Name == Kwok {
		return func(ctx context.Context) error { return l.Restart(ctx, Kwok) }, nil
	}
	return func(context.Context) error { return process.Start() }, nil
}

func webhook(ctx context.Context, l *Lab, v values) (off, error) {
	hang, err := v.yes("hang")
	if err != nil {
		return nil, err
	}
	ignore, err := v.yes("ignore")
	if err != nil {
		return nil, err
	}
	w := Webhook{Namespace: v["namespace"], Message: v["message"], Hang: hang, Ignore: ignore}
	return func(ctx context.Context) error { return l.AllowEvictions(ctx, w.Name) }, l.DenyEvictions(ctx, w)
}

func silence(ctx context.Context, l *Lab, v values) (off, error) {
	node, err := l.node(ctx, v)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) error { return l.Revive(ctx, node) }, l.Silence(ctx, node)
}

func unreadyPods(ctx context.Context, l *Lab, v values) (off, error) {
	if v["pods"] == "" {
		return nil, errors.New("--pods is missing: the beginning of their names")
	}
	return func(ctx context.Context) error { return l.ReadyAgain(ctx, v["namespace"], v["pods"]) }, l.Unready(ctx, v["namespace"], v["pods"])
}

func crashLoop(ctx context.Context, l *Lab, v values) (off, error) {
	if v["pods"] == "" {
		return nil, errors.New("--pods is missing: the beginning of their names")
	}
	return func(ctx context.Context) error { return l.ReadyAgain(ctx, v["namespace"], v["pods"]) }, l.CrashLoop(ctx, v["namespace"], v["pods"])
}

func unreadyNode(ctx context.Context, l *Lab, v values) (off, error) {
	node, err := l.node(ctx, v)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) error { return l.ReadyNode(ctx, node) }, l.UnreadyNode(ctx, node)
}
