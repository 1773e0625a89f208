package commands

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	authv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/util/flowcontrol"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/providers/kube"
	"github.com/drainboard/drainboard/providers/kube/kubetest"
)

const commandsPath = "/api/v1/namespaces/drainboard-commands/configmaps"

// store is the API server of a client.
type store struct {
	*kubetest.Store
	*kube.Client
	t *testing.T
}

func newStore(t *testing.T) *store {
	s := kubetest.NewStore(t)
	return &store{s, kubetest.Client(t, kube.Open, s.Serve), t}
}

// exchange is an API with the namespace for commands, and an ear that notes what it hears.
type exchange struct {
	*store
	noting   sync.Mutex
	heard    []record.Command
	deaf     []string
	requests []string
	lacks    string    // a verb that this user may not do there
	user     string    // of the API; "" where it does not tell
	policy   bool      // that by is the user
	fails    bool      // dry runs in another name end in an error of the API's own
	tried    time.Time // when dry runs are said to be
}

func newExchange(t *testing.T) *exchange {
	x := &exchange{store: newStore(t)}
	x.Put("/api/v1/namespaces/drainboard-commands", `{"metadata":{"name":"drainboard-commands"}}`)
	x.Intercept(x.review)
	return x
}

// review notes a request, and answers those for this user's rights.
func (x *exchange) review(w http.ResponseWriter, r *http.Request) bool {
	x.noting.Lock()
	defer x.noting.Unlock()
	x.requests = append(x.requests, r.Method+" "+r.URL.Path+" "+r.URL.Query().Get("labelSelector"))
	switch {
	case strings.HasSuffix(r.URL.Path, "/selfsubjectreviews") && x.user != "":
		kubetest.Say(w, 201, fmt.Sprintf(`{"kind":"SelfSubjectReview","apiVersion":"authentication.k8s.io/v1","status":{"userInfo":{"username":%q}}}`, x.user))
		return true
	case r.Method == http.MethodPost && r.URL.Path == commandsPath:
		return x.admit(w, r)
	case !strings.HasSuffix(r.URL.Path, "/selfsubjectaccessreviews"):
		return false
	}
	var review authv1.SelfSubjectAccessReview
	body, _ := io.ReadAll(r.Body)
	if _, _, err := scheme.Codecs.UniversalDeserializer().Decode(body, nil, &review); err != nil {
		x.t.Error(err)
	}
	a := review.Spec.ResourceAttributes
	kubetest.Say(w, 201, fmt.Sprintf(`{"kind":"SelfSubjectAccessReview","apiVersion":"authorization.k8s.io/v1","status":{"allowed":%v}}`, a.Verb != x.lacks && a.Namespace == "drainboard-commands"))
	return true
}

// admit does what admission does to a command that is created: that of docs/reference/rbac.yaml, if it is
// there, and a dry run ends here.
func (x *exchange) admit(w http.ResponseWriter, r *http.Request) bool {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	var m corev1.ConfigMap
	if err := json.Unmarshal(body, &m); err != nil {
		x.t.Error(err)
	}
	dry := r.URL.Query().Get("dryRun") == "All"
	switch {
	case x.lacks == "create":
		kubetest.Say(w, 403, kubetest.Status(403, "Forbidden", "configmaps is forbidden", ""))
	case x.fails && dry && m.Data["by"] != x.user:
		kubetest.Say(w, 500, kubetest.Status(500, "InternalError", "etcdserver: leader changed", ""))
	case x.policy && m.Data["by"] != x.user:
		kubetest.Say(w, 422, kubetest.Status(422, "Invalid", "ValidatingAdmissionPolicy denied request", ""))
	case dry:
		m.CreationTimestamp = metav1.NewTime(x.tried.Truncate(time.Second))
		text, _ := json.Marshal(m)
		kubetest.Say(w, 201, string(text))
	default:
		return false
	}
	return true
}

// hold puts the policy there, or takes it away; dry runs are from some time ago.
func (x *exchange) hold(policy bool, ago time.Duration) {
	x.noting.Lock()
	defer x.noting.Unlock()
	x.policy, x.tried = policy, time.Now().Add(-ago)
}

// asked are the requests so far.
func (x *exchange) asked() []string {
	x.noting.Lock()
	defer x.noting.Unlock()
	return slices.Clone(x.requests)
}

// listen has an ear of the group hear until the test is over. reply, if not nil, answers.
func (x *exchange) listen(reply func(record.Command) record.Ack, set func(*Listener)) (ear *Listener, stop func()) {
	ear = NewListener(x.Client, "drainboard", "ng")
	ear.By = "ann@laptop"
	ear.Unheard = func(why string) {
		x.noting.Lock()
		defer x.noting.Unlock()
		x.deaf = append(x.deaf, why)
	}
	ear.Send = func(c record.Command) bool {
		x.noting.Lock()
		x.heard = append(x.heard, c)
		x.noting.Unlock()
		if reply != nil {
			go ear.Acknowledge([]record.Ack{reply(c)})
		}
		return true
	}
	if set != nil {
		set(ear)
	}
	stop = ear.Listen(x.t.Context())
	x.t.Cleanup(stop)
	return ear, stop
}

func (x *exchange) all() []record.Command {
	x.noting.Lock()
	defer x.noting.Unlock()
	return slices.Clone(x.heard)
}

// command is the object of a name, nil when there is none.
func (x *exchange) command(name string) *commandObject {
	o := x.Object(commandsPath + "/" + name)
	if o == nil {
		return nil
	}
	m, err := x.Urgent().ConfigMaps("drainboard-commands").Get(x.t.Context(), name, metav1.GetOptions{})
	if err != nil {
		return nil
	}
	return commandObjectOf(m)
}

func pauseNow() record.Command {
	now := time.Now().Round(0)
	return record.Command{Kind: record.CmdPause, Run: "ng-1", Client: "bob@ops", At: now, Expires: now.Add(20 * time.Second), Reason: "the shop is down", Batch: 3, Hash: "abc"}
}

func obeyed(c record.Command) record.Ack {
	return record.Ack{ID: c.ID, At: time.Now(), Accepted: true, Answer: "paused"}
}

// lies puts an object there as another user might.
func (x *exchange) lies(name, data string, age time.Duration) {
	x.Put(commandsPath+"/"+name, fmt.Sprintf(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":%q,"namespace":"drainboard-commands","uid":%q,"creationTimestamp":%q,"labels":{"drainboard.dev/group":%q}},"data":%s}`,
		name, "uid-of-"+name, time.Now().Add(-age).UTC().Format(time.RFC3339), kube.RecordName("ng"), data))
}

// A command reaches the driver, its answer the sender, and nothing is left lying.
func TestCommandIsHeardAndAnswered(t *testing.T) {
	x := newExchange(t)
	x.listen(obeyed, nil)
	before := time.Now()
	g, err := Send(t.Context(), x.Client, "drainboard", "ng", pauseNow())
	if err != nil {
		t.Fatal(err)
	}
	answer, err := g.Await(x.soon())
	if err != nil || !answer.Obeyed || answer.Words != "paused" || answer.By != "ann@laptop" || answer.At.IsZero() {
		t.Fatalf("%+v, %v", answer, err)
	}
	t.Logf("answered after %s", time.Since(before).Round(time.Millisecond))
	heard := x.all()
	if len(heard) != 1 {
		t.Fatalf("heard %+v", heard)
	}
	want := pauseNow()
	c := heard[0]
	if c.Kind != want.Kind || c.Run != want.Run || c.By != "bob@ops" || !c.Claimed || c.Client != "bob@ops" || c.Reason != want.Reason || c.Batch != 3 || c.Hash != "abc" || c.Expires.IsZero() || c.At.IsZero() || "drainboard-commands/"+c.ID != g.Name() {
		t.Errorf("heard %+v", c)
	}
	if x.command(c.ID) != nil {
		t.Error("the object still lies there")
	}
	selector := "GET " + commandsPath + " drainboard.dev/group=" + kube.RecordName("ng")
	if !slices.Contains(x.asked(), selector) {
		t.Errorf("no request is for the group's commands only: %q", x.asked())
	}
}

// What was not answered is found by the next driver; what was is not heard again.
func TestNextDriverFindsWhatIsNotAnswered(t *testing.T) {
	x := newExchange(t)
	_, stop := x.listen(nil, nil)
	g, err := Send(t.Context(), x.Client, "drainboard", "ng", pauseNow())
	if err != nil {
		t.Fatal(err)
	}
	x.eventually(func() bool { return len(x.all()) == 1 })
	stop()
	_, stop = x.listen(obeyed, nil)
	x.eventually(func() bool { l := x.command(g.object.name); return l != nil && l.answer != nil })
	stop()
	x.lies("z-last", `{"command.json":"{\"version\":1,\"kind\":\"resume\",\"run\":\"ng-1\"}"}`, 0)
	x.listen(nil, nil)
	x.eventually(func() bool { return len(x.all()) == 3 })
	if heard := x.all(); heard[0].ID != heard[1].ID || heard[2].ID != "z-last" {
		t.Errorf("heard %+v", heard)
	}
}

// An answer given just before listening ends is still written, and one to an object
// that a user has changed meanwhile too.
func TestLastAnswerIsWritten(t *testing.T) {
	x := newExchange(t)
	ear, stop := x.listen(nil, nil)
	g, err := Send(t.Context(), x.Client, "drainboard", "ng", pauseNow())
	if err != nil {
		t.Fatal(err)
	}
	x.eventually(func() bool { return len(x.all()) == 1 })
	name := g.object.name
	conflicts := 0
	x.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPut && conflicts == 0 {
			conflicts++
			kubetest.Say(w, 409, kubetest.Status(409, "Conflict", "the object has been modified", ""))
			return true
		}
		return x.review(w, r)
	})
	ear.Acknowledge([]record.Ack{{ID: name, Accepted: true, Answer: "paused", At: time.Now()}})
	stop()
	if l := x.command(name); l == nil || l.answer == nil || !l.answer.Obeyed || conflicts != 1 || l.bad != "" {
		t.Errorf("after %d conflicts the object is %+v", conflicts, l)
	}
}

// Whatever a user writes there is refused in clean words, and is no more than a
// refusal: it cannot crash the driver, nor flood it, and goes in time.
func TestHostileCommands(t *testing.T) {
	x := newExchange(t)
	x.lies("none", `{}`, 0)
	x.lies("broken", `{"command.json":"{\"version\":1,"}`, 0)
	x.lies("list", `{"command.json":"[]"}`, 0)
	x.lies("newer", `{"command.json":"{\"version\":2,\"kind\":\"pause\"}"}`, 0)
	x.lies("long", `{"command.json":"`+strings.Repeat("x", 5000)+`"}`, 0)
	x.lies("escapes", `{"command.json":"{\"version\":1,\"kind\":\"pause\\u001b[2J\",\"run\":\"ng-1\\u202e\",\"client\":\"\\u001b]0;x\",\"reason\":\"`+strings.Repeat("y", 2000)+`\\n\\u0007\"}","by":"\u001b]0;x\u202e"}`, 0)
	x.lies("answered", `{"command.json":"{\"version\":1,\"kind\":\"pause\"}","answer.json":"not JSON"}`, 0)
	x.lies("old", `{"command.json":"{\"version\":1,\"kind\":\"pause\"}"}`, time.Hour)
	x.listen(obeyed, nil)
	for _, name := range []string{"none", "broken", "list", "newer", "long"} {
		x.eventually(func() bool { l := x.command(name); return l != nil && l.answer != nil })
		if a := x.command(name).answer; a.Obeyed || !strings.HasPrefix(a.Words, "not a command: ") {
			t.Errorf("%s: %+v", name, a)
		}
	}
	x.eventually(func() bool { return x.command("old") == nil && x.command("escapes").answer != nil })
	heard := x.all()
	if len(heard) != 1 || heard[0].ID != "escapes" {
		t.Fatalf("heard %+v", heard)
	}
	c := heard[0]
	for _, text := range []string{string(c.Kind), c.Run, c.By, c.Client, c.Reason} {
		if strings.ContainsAny(text, "\x1b\x07\n\u202e") || len(text) > 700 {
			t.Errorf("not clean: %q", text)
		}
	}
}

func TestCommandsCannotFlood(t *testing.T) {
	x := newExchange(t)
	for i := range 40 {
		x.lies(fmt.Sprintf("c%02d", i), `{"command.json":"{\"version\":1,\"kind\":\"resume\"}"}`, time.Minute-time.Duration(i)*time.Second)
	}
	ear, _ := x.listen(obeyed, func(e *Listener) { e.limit = flowcontrol.NewTokenBucketRateLimiter(0.001, 3) })
	x.eventually(func() bool { return len(x.all()) == 3 })
	ear.nudge()
	x.eventually(func() bool { l := x.command("c02"); return l != nil && l.answer != nil })
	if heard := x.all(); len(heard) != 3 || heard[0].ID != "c00" || heard[2].ID != "c02" {
		t.Errorf("heard %+v, want the three oldest", heard)
	}
}

// What stops a run is heard at once, however much was given before it and cannot be heard yet,
// junk included.
func TestNothingStarvesAPause(t *testing.T) {
	x := newExchange(t)
	for i := range 40 {
		x.lies(fmt.Sprintf("c%02d", i), []string{`{"command.json":"{\"version\":1,\"kind\":\"resume\"}"}`, `{"command.json":"pause"}`, `{"command.json":"{\"version\":1,\"kind\":\"resume\"}","by":"` + strings.Repeat("x", 5000) + `"}`}[i%3], time.Minute-time.Duration(i)*time.Second)
	}
	x.lies("last-pause", `{"command.json":"{\"version\":1,\"kind\":\"pause\"}"}`, 2*time.Second)
	x.lies("last-abort", `{"command.json":"{\"version\":1,\"kind\":\"abort\"}"}`, time.Second)
	x.listen(obeyed, func(e *Listener) { e.limit = flowcontrol.NewTokenBucketRateLimiter(0.001, 1) })
	x.eventually(func() bool { l := x.command("last-abort"); return l != nil && l.answer != nil })
	if heard := x.all(); len(heard) < 2 || heard[0].ID != "last-pause" || heard[1].ID != "last-abort" {
		t.Errorf("heard %+v", heard)
	}
}

// Who may not do all that hearing needs is told which right it is, once, and asks for
// nothing; so is who loses it.
func TestDeaf(t *testing.T) {
	for _, verb := range []string{"get", "list", "watch", "update", "delete"} {
		x := newExchange(t)
		x.lacks = verb
		x.listen(nil, nil)
		told := func() []string {
			x.noting.Lock()
			defer x.noting.Unlock()
			return slices.Clone(x.deaf)
		}
		x.eventually(func() bool { return len(told()) > 0 })
		if !strings.HasPrefix(told()[0], "this user may not "+verb+" configmaps in namespace drainboard-commands: give it a Role") {
			t.Errorf("%s: told %q", verb, told())
		}
		for _, r := range x.asked() {
			if strings.Contains(r, commandsPath) {
				t.Errorf("without %s: %s", verb, r)
			}
		}
	}
}

// A command that nobody answers is taken back, unless that comes too late.
func TestWithdraw(t *testing.T) {
	x := newExchange(t)
	g, err := Send(t.Context(), x.Client, "drainboard", "ng", pauseNow())
	if err != nil {
		t.Fatal(err)
	}
	waited := errors.New("waited long enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(waited)
	if _, err := g.Await(ctx); !errors.Is(err, waited) && !errors.Is(err, context.Canceled) {
		t.Errorf("waiting ended with %v", err)
	}
	if a, err := g.Withdraw(t.Context()); a != nil || err != nil || x.command(g.object.name) != nil {
		t.Errorf("%v, %v, left %v", a, err, x.command(g.object.name))
	}
	if _, err := g.Await(x.soon()); !errors.Is(err, ErrRemoved) {
		t.Errorf("a command that is gone: %v", err)
	}

	if g, err = Send(t.Context(), x.Client, "drainboard", "ng", pauseNow()); err != nil {
		t.Fatal(err)
	}
	name := g.object.name
	x.listen(obeyed, nil)
	x.eventually(func() bool { return x.command(name).answer != nil })
	if a, err := g.Withdraw(t.Context()); err != nil || a == nil || !a.Obeyed || x.command(name) != nil {
		t.Errorf("%+v, %v", a, err)
	}
}

// A request that gets no answer keeps nobody from the answer to his command, nor from taking it
// back: each is asked for again.
func TestSenderOutlivesLostRequests(t *testing.T) {
	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		x := newExchange(t)
		g, err := Send(t.Context(), x.Client, "drainboard", "ng", pauseNow())
		if err != nil {
			t.Fatal(err)
		}
		var lost atomic.Bool
		x.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method == method && strings.HasSuffix(r.URL.Path, g.object.name) && lost.CompareAndSwap(false, true) {
				_, _ = io.Copy(io.Discard, r.Body) // else the end of the request is not seen
				<-r.Context().Done()
				return true
			}
			return x.review(w, r)
		})
		ctx, cancel := context.WithTimeout(t.Context(), 3*followLimit)
		defer cancel()
		if method == http.MethodGet {
			x.listen(obeyed, nil)
			if a, err := g.Await(ctx); err != nil || !a.Obeyed {
				t.Errorf("%+v, %v", a, err)
			}
			continue
		}
		if a, err := g.Withdraw(ctx); a != nil || err != nil || !lost.Load() || x.command(g.object.name) != nil {
			t.Errorf("%+v, %v", a, err)
		}
	}
}

// A command that a driver has heard cannot be taken back, whether the sender knows that
// or not: it is still obeyed, however long that takes. And one that was taken back is
// never obeyed, although the driver has seen it.
func TestWithdrawIsTrue(t *testing.T) {
	for _, follows := range []bool{true, false} {
		x := newExchange(t)
		ear, _ := x.listen(nil, nil)
		g, err := Send(t.Context(), x.Client, "drainboard", "ng", pauseNow())
		if err != nil {
			t.Fatal(err)
		}
		x.eventually(func() bool { return len(x.all()) == 1 })
		if follows {
			x.eventually(func() bool {
				ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
				defer cancel()
				_, err := g.Await(ctx)
				return err != nil && g.object.heard != ""
			})
		}
		var heard *HeardError
		if a, err := g.Withdraw(t.Context()); a != nil || !errors.As(err, &heard) || heard.By != "ann@laptop" {
			t.Fatalf("follows %v: %+v, %v", follows, a, err)
		}
		ear.Acknowledge([]record.Ack{obeyed(x.all()[0])})
		if a, err := g.Await(x.soon()); err != nil || !a.Obeyed {
			t.Errorf("follows %v: the answer that came late: %+v, %v", follows, a, err)
		}
	}

	x := newExchange(t)
	g, err := Send(t.Context(), x.Client, "drainboard", "ng", pauseNow())
	if err != nil {
		t.Fatal(err)
	}
	seen, back := make(chan struct{}), make(chan struct{})
	x.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPut {
			close(seen)
			<-back
		}
		return x.review(w, r)
	})
	x.listen(nil, nil)
	<-seen
	if a, err := g.Withdraw(t.Context()); a != nil || err != nil {
		t.Errorf("%+v, %v", a, err)
	}
	close(back)
	x.lies("z-last", `{"command.json":"{\"version\":1,\"kind\":\"resume\",\"run\":\"ng-1\"}","heard":"bob@ops"}`, 0)
	x.eventually(func() bool { return len(x.all()) > 0 })
	if heard := x.all(); len(heard) != 1 || heard[0].ID != "z-last" {
		t.Errorf("heard %+v", heard)
	}
}

// A user who labels a command keeps nobody from taking it back, nor from hearing it.
func TestLabelledCommand(t *testing.T) {
	x := newExchange(t)
	g, err := Send(t.Context(), x.Client, "drainboard", "ng", pauseNow())
	if err != nil {
		t.Fatal(err)
	}
	path := commandsPath + "/" + g.object.name
	x.Put(path, kubetest.AsText(x.Object(path)))
	if a, err := g.Withdraw(t.Context()); a != nil || err != nil || x.Object(path) != nil {
		t.Errorf("%+v, %v", a, err)
	}
	if g, err = Send(t.Context(), x.Client, "drainboard", "ng", pauseNow()); err != nil {
		t.Fatal(err)
	}
	path = commandsPath + "/" + g.object.name
	labelled := false
	x.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPut && !labelled {
			labelled = true
			x.Put(path, kubetest.AsText(x.Object(path)))
		}
		return x.review(w, r)
	})
	x.listen(obeyed, nil)
	if a, err := g.Await(x.soon()); err != nil || !a.Obeyed || !labelled || len(x.all()) != 1 {
		t.Errorf("%+v, %v", a, err)
	}
}

// The namespace is made if there is none; who may not is told the command that does.
func TestGiveMakesItsNamespace(t *testing.T) {
	s := newStore(t)
	g, err := Send(t.Context(), s.Client, "drainboard", "ng", pauseNow())
	if err != nil || s.Object(commandsPath+"/"+g.object.name) == nil {
		t.Fatalf("%v", err)
	}
	s = newStore(t)
	s.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPost && r.URL.Path == "/api/v1/namespaces" {
			kubetest.Say(w, 403, kubetest.Status(403, "Forbidden", "namespaces is forbidden", ""))
			return true
		}
		return false
	})
	_, err = Send(t.Context(), s.Client, "drainboard", "ng", pauseNow())
	if err == nil || err.Error() != "no namespace drainboard-commands for commands, and this user may not create it: kubectl create namespace drainboard-commands" {
		t.Errorf("%v", err)
	}
	long := pauseNow()
	long.Reason = strings.Repeat("x", 5000)
	if _, err := Send(t.Context(), s.Client, "drainboard", "ng", long); err == nil || !strings.Contains(err.Error(), "shorter reason") {
		t.Errorf("%v", err)
	}
}

// An answer to the creation that was lost gives one command, not two.
func TestGiveOnce(t *testing.T) {
	x := newExchange(t)
	lost := 0
	x.Spoil(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodPost || lost > 0 {
			return false
		}
		lost++
		kubetest.Say(w, 500, kubetest.Status(500, "InternalError", "etcdserver: request timed out", ""))
		return true
	})
	g, err := Send(live.WithPatience(t.Context(), &live.Patience{Limit: time.Minute}), x.Client, "drainboard", "ng", pauseNow())
	if err != nil || lost != 1 {
		t.Fatalf("%v", err)
	}
	x.listen(obeyed, nil)
	if a, err := g.Await(x.soon()); err != nil || !a.Obeyed || len(x.all()) != 1 {
		t.Errorf("%+v, %v, heard %+v", a, err, x.all())
	}
}

// Who gives a command is the user of the API. It counts as no more than what the sender says
// unless the API has held it: when the driver looked before it was given, and when it looks again.
func TestWhoGivesACommand(t *testing.T) {
	x := newExchange(t)
	x.user = "ann"
	n := 0
	heard := func(ago time.Duration, by string) record.Command {
		t.Helper()
		n++
		name := fmt.Sprintf("c%02d", n)
		x.lies(name, fmt.Sprintf(`{"command.json":"{\"version\":1,\"kind\":\"pause\",\"client\":\"bob@ops\"}","by":%q}`, by), ago)
		x.eventually(func() bool { l := x.command(name); return l != nil && l.answer != nil })
		all := x.all()
		return all[len(all)-1]
	}
	x.listen(obeyed, nil)
	if c := heard(time.Minute, "ann"); !c.Claimed || c.By != "ann" || c.Client != "bob@ops" {
		t.Errorf("without a policy: %+v", c)
	}
	x.hold(true, 6*time.Minute)
	if c := heard(7*time.Minute, "mallory"); !c.Claimed {
		t.Errorf("given before the policy was seen: %+v", c)
	}
	x.hold(true, 3*time.Minute)
	if c := heard(5*time.Minute, "ann"); c.Claimed || c.Sender() != "ann, client bob@ops" {
		t.Errorf("held: %+v", c)
	}
	x.hold(false, 0)
	if c := heard(5*time.Minute, "mallory"); !c.Claimed || c.Sender() != "a user who says it is mallory, client bob@ops" {
		t.Errorf("when the policy is gone: %+v", c)
	}
	if c := heard(0, ""); c.Sender() != "an unnamed user, client bob@ops" {
		t.Errorf("without a name: %s", c.Sender())
	}
	x.hold(true, 3*time.Minute)
	if c := heard(5*time.Minute, "mallory"); !c.Claimed {
		t.Errorf("given before the policy was there again: %+v", c)
	}
	if c := heard(time.Minute, "ann"); c.Claimed {
		t.Errorf("held again: %+v", c)
	}
	x.hold(false, 3*time.Minute)
	x.noting.Lock()
	x.fails = true
	x.noting.Unlock()
	if c := heard(time.Minute, "mallory"); !c.Claimed {
		t.Errorf("a false name that was not looked at: %+v", c)
	}
	x.noting.Lock()
	x.lacks = "create"
	x.noting.Unlock()
	if c := heard(0, "ann"); !c.Claimed {
		t.Errorf("where it cannot be found out: %+v", c)
	}
	if i := slices.IndexFunc(x.asked(), func(r string) bool { return strings.HasPrefix(r, "POST "+commandsPath+"/") }); i >= 0 || strings.Contains(x.Paths(), "asks-for-the-policy") {
		t.Error("looking has left something: ", x.Paths())
	}
}

// Who sends a command says who he is at the API, and not what he is called on his machine.
func TestSenderNamesItsUser(t *testing.T) {
	x := newExchange(t)
	x.user, x.policy = "ann", true
	g, err := Send(t.Context(), x.Client, "drainboard", "ng", pauseNow())
	if err != nil || g.object.by != "ann" || g.object.command.Client != "bob@ops" {
		t.Fatalf("%+v, %v", g, err)
	}
	if text := g.object.text; strings.Contains(text, `"by"`) {
		t.Errorf("the name lies where no policy sees it: %s", text)
	}
	x.noting.Lock()
	x.user = ""
	x.noting.Unlock()
	if _, err := Send(t.Context(), x.Client, "drainboard", "ng", pauseNow()); err == nil || !strings.Contains(err.Error(), "denied") {
		t.Errorf("a user who cannot tell its name, with a policy: %v", err)
	}
}

// soon ends when a test would wait too long.
func (x *exchange) soon() context.Context {
	ctx, cancel := context.WithTimeout(x.t.Context(), 20*time.Second)
	x.t.Cleanup(cancel)
	return ctx
}

// eventually waits until something is so.
func (x *exchange) eventually(is func() bool) {
	x.t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if is() {
			return
		}
	}
	x.t.Fatal("it never came to be so")
}
