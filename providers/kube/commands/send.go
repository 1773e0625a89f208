package commands

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/providers/kube"
	"github.com/drainboard/drainboard/providers/kube/transport"
)

const (
	// lookAgain is the pause before a request for a command that failed is tried again.
	lookAgain = 300 * time.Millisecond
	// followLimit is how long a read and a watch of a command's object may take together before
	// both begin again.
	followLimit = 5 * time.Second
	// withdrawLimit is for how long a command is tried to be taken back.
	withdrawLimit = 15 * time.Second
)

// Sent is a command that was given to the driver of a run in another process.
type Sent struct {
	c         *kube.Client
	namespace string
	object    *commandObject // as it was last read
	// Over is when the command expires, as it was given last.
	Over time.Time
}

// Name is the ConfigMap's "namespace/name".
func (g *Sent) Name() string { return g.namespace + "/" + g.object.name }

// Send gives a command to the driver of a group's run. cmd has no id yet; when it gets
// through only after some tries, its times move along. The namespace of the commands is made if
// there is none. namespace is that of the records. Who gives it is the user of the API, or
// cmd.Client where the API does not tell its user's name.
func Send(ctx context.Context, c *kube.Client, namespace, group string, cmd record.Command) (*Sent, error) {
	life := cmd.Expires.Sub(cmd.At)
	g := &Sent{c: c, namespace: kube.CommandsNamespace(namespace)}
	name := string(cmd.Kind) + "-" + strings.ToLower(rand.Text())
	by, err := live.Retried(ctx, func(ctx context.Context) (string, error) { return user(ctx, c) })
	if err != nil {
		return nil, err
	}
	made, err := live.Retried(ctx, func(ctx context.Context) (*corev1.ConfigMap, error) {
		cmd.At = c.Clock().Now()
		cmd.Expires = cmd.At.Add(life)
		g.Over = cmd.Expires
		m, err := asked(g.namespace, name, kube.RecordName(group), cmp.Or(by, cmd.Client), cmd)
		if err != nil {
			return nil, err
		}
		return g.create(ctx, m)
	})
	if err != nil {
		return nil, err
	}
	g.object = commandObjectOf(made)
	return g, nil
}

// asked is the object of a command that a user of the API gives.
func asked(namespace, name, group, user string, cmd record.Command) (*corev1.ConfigMap, error) {
	text, err := json.Marshal(commandForm{
		Version: commandVersion, Kind: cmd.Kind, Run: cmd.Run, Batch: cmd.Batch, Hash: cmd.Hash,
		Client: cmd.Client, At: cmd.At, Expires: cmd.Expires, Reason: cmd.Reason, Retire: cmd.Retire,
	})
	if err != nil {
		return nil, fmt.Errorf("write the command as JSON: %w", err)
	}
	if len(text) > longestCommand {
		return nil, fmt.Errorf("the command has %d bytes, and %d at most are heard: give a shorter reason", len(text), longestCommand)
	}
	l := &commandObject{name: name, text: string(text), by: user}
	return l.object(namespace, group)
}

// create asks for the object once, and for the namespace if that is missing. An object
// that is there already is ours: the answer to an earlier try was lost.
func (g *Sent) create(ctx context.Context, m *corev1.ConfigMap) (*corev1.ConfigMap, error) {
	ctx, cancel := context.WithTimeout(ctx, transport.RequestTimeout)
	defer cancel()
	api := g.c.Urgent().ConfigMaps(g.namespace)
	made, err := api.Create(ctx, m, metav1.CreateOptions{})
	if apierrors.IsNotFound(err) {
		if err := g.c.MakeNamespace(ctx, g.namespace, "commands"); err != nil {
			return nil, err
		}
		made, err = api.Create(ctx, m, metav1.CreateOptions{})
	}
	if apierrors.IsAlreadyExists(err) {
		made, err = api.Get(ctx, m.Name, metav1.GetOptions{})
	}
	switch {
	case apierrors.IsForbidden(err):
		return nil, kube.Forbidden(err, "create", "", "configmaps", g.namespace)
	case err != nil:
		return nil, fmt.Errorf("send the command: %w", g.c.Explain(err))
	}
	return made, nil
}

// Await waits for the answer until ctx ends, and removes the object when it has come.
// An error means that there is none.
func (g *Sent) Await(ctx context.Context) (Answer, error) {
	for {
		answer, err := g.follow(ctx)
		if answer != nil {
			_ = removeCommand(context.WithoutCancel(ctx), g.c, g.namespace, g.object) // the driver removes it in the end
			return *answer, nil
		}
		if err != nil && (ctx.Err() != nil || errors.Is(err, ErrRemoved)) {
			return Answer{}, err
		}
		select {
		case <-ctx.Done():
			return Answer{}, context.Cause(ctx)
		case <-time.After(lookAgain):
		}
	}
}

// ErrRemoved means that a command's object is gone without an answer.
var ErrRemoved = errors.New("the command was removed by another user before it was answered")

// follow reads the object, and watches it until it is answered, the watch ends, or followLimit has
// passed: a request that got lost, or a watch that has, keeps nobody from the answer.
func (g *Sent) follow(ctx context.Context) (*Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, followLimit)
	defer cancel()
	api := g.c.API().ConfigMaps(g.namespace)
	m, err := api.Get(ctx, g.object.name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, ErrRemoved
	} else if err != nil {
		return nil, err
	}
	if g.object = commandObjectOf(m); g.object.answer != nil {
		return g.object.answer, nil
	}
	w, err := api.Watch(ctx, metav1.ListOptions{
		FieldSelector: fields.OneTermEqualSelector("metadata.name", g.object.name).String(), ResourceVersion: m.ResourceVersion,
	})
	if err != nil {
		return nil, err
	}
	defer w.Stop()
	for e := range w.ResultChan() {
		m, ok := e.Object.(*corev1.ConfigMap)
		if e.Type == watch.Deleted {
			return nil, ErrRemoved
		} else if !ok {
			return nil, nil
		}
		if g.object = commandObjectOf(m); g.object.answer != nil {
			return g.object.answer, nil
		}
	}
	return nil, ctx.Err()
}

// HeardError says that a command cannot be taken back: a driver has it, and has not
// answered yet.
type HeardError struct{ By string }

func (e *HeardError) Error() string { return e.By + " has heard it and not answered yet" }

// Withdraw takes a command back that no driver has heard: without an error and an answer
// it is never obeyed. The error is a HeardError if one has heard it; if it was answered
// at the last moment the answer is returned. Requests that fail are tried again for withdrawLimit.
func (g *Sent) Withdraw(ctx context.Context) (*Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, withdrawLimit)
	defer cancel()
	for {
		switch {
		case g.object.answer != nil:
			_ = removeCommand(ctx, g.c, g.namespace, g.object)
			return g.object.answer, nil
		case g.object.heard != "":
			return nil, &HeardError{g.object.heard}
		}
		err := removeCommand(ctx, g.c, g.namespace, g.object)
		if err == nil {
			return nil, nil
		}
		gone, again := g.reread(ctx)
		if gone {
			return nil, nil
		}
		if again != nil {
			err = again
		}
		if apierrors.IsForbidden(err) {
			return nil, fmt.Errorf("withdraw the command: %w", g.c.Explain(err))
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("withdraw the command: %w", g.c.Explain(err))
		case <-time.After(lookAgain):
		}
	}
}

// reread reads the object, which the driver or another user may have changed. It reports whether it
// is gone.
func (g *Sent) reread(ctx context.Context) (gone bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	m, err := g.c.Urgent().ConfigMaps(g.namespace).Get(ctx, g.object.name, metav1.GetOptions{})
	if err == nil {
		g.object = commandObjectOf(m)
	}
	return apierrors.IsNotFound(err), err
}
