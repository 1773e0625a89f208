package commands

import (
	"encoding/json"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/kube"
	"github.com/drainboard/drainboard/providers/kube/objects"
)

const (
	// commandKey holds a command as JSON in a ConfigMap's data, byKey the user of the API
	// who gives it, answerKey the driver's answer to it, heardKey who the driver is that has
	// it: from then on it cannot be taken back. An admission policy compares byKey, so it is
	// not in the JSON (see byPolicy).
	commandKey = "command.json"
	byKey      = "by"
	answerKey  = "answer.json"
	heardKey   = "heard"
	// groupMark is a label: the name of the record of the group that a command is for.
	groupMark = "drainboard.dev/group"
	// commandVersion is the version of a command's form.
	commandVersion = 1
	// longestCommand is the largest text, in bytes, that is taken for a command or an answer.
	longestCommand = 4 << 10
)

// Answer is what the driver says to a command.
type Answer struct {
	At time.Time `json:"at"`
	// By is the driver: user and host.
	By     string `json:"by"`
	Obeyed bool   `json:"obeyed"`
	// Words say what was done, or why not.
	Words string `json:"words"`
}

// commandForm is a command as it is written. Its id is the ConfigMap's name.
type commandForm struct {
	Version int                `json:"version"`
	Kind    record.CommandKind `json:"kind"`
	Run     string             `json:"run"`
	Batch   int                `json:"batch,omitempty"`
	Hash    string             `json:"hash,omitempty"`
	// Client is the user and host of the process that gives it.
	Client  string    `json:"client,omitempty"`
	At      time.Time `json:"at"`
	Expires time.Time `json:"expires"`
	Reason  string    `json:"reason,omitempty"`
	Retire  bool      `json:"retire,omitempty"`
}

// commandObject is a command's ConfigMap as far as it is read: everything in it clean, and
// bounded in size, for every writer. Its command counts as claimed until it is known better.
type commandObject struct {
	name, version string
	uid           types.UID
	given         time.Time // by the API's clock
	text, by      string    // the command and who gives it, as they came
	command       record.Command
	bad           string  // why it is no command, "" if it is one
	heard         string  // by whom, "" before a driver has it
	answer        *Answer // nil before the driver has answered
}

// slimCommand drops what commandObjectOf does not read, and texts that are too long.
func slimCommand(m *corev1.ConfigMap) *corev1.ConfigMap {
	slim := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Namespace: m.Namespace, Name: m.Name, UID: m.UID, ResourceVersion: m.ResourceVersion, CreationTimestamp: m.CreationTimestamp,
	}, Data: map[string]string{}}
	for _, key := range []string{commandKey, byKey, answerKey, heardKey} {
		if text, ok := m.Data[key]; ok && len(text) <= longestCommand {
			slim.Data[key] = text
		}
	}
	return slim
}

func commandObjectOf(m *corev1.ConfigMap) *commandObject {
	m = slimCommand(m)
	l := &commandObject{name: world.Clean(m.Name), version: m.ResourceVersion, uid: m.UID, given: m.CreationTimestamp.Time, text: m.Data[commandKey], by: m.Data[byKey], heard: objects.Sentence(m.Data[heardKey])}
	if text, ok := m.Data[answerKey]; ok {
		l.answer = toAnswer(text)
	}
	var form commandForm
	if l.text == "" {
		l.bad = fmt.Sprintf("no %s of at most %d bytes", commandKey, longestCommand)
	} else if err := json.Unmarshal([]byte(l.text), &form); err != nil {
		l.bad = commandKey + " cannot be read: " + objects.Sentence(err.Error())
	} else if form.Version != commandVersion {
		l.bad = fmt.Sprintf("%s has format %d, this drainboard reads format %d", commandKey, form.Version, commandVersion)
	}
	if l.bad != "" {
		return l
	}
	l.command = record.Command{
		Kind: record.CommandKind(objects.Sentence(string(form.Kind))), ID: l.name, Run: objects.Sentence(form.Run), Expires: form.Expires,
		By: objects.Sentence(l.by), Claimed: true, Client: objects.Sentence(form.Client), At: l.given, Reason: objects.Sentence(form.Reason), Batch: form.Batch, Hash: objects.Sentence(form.Hash), Retire: form.Retire,
	}
	return l
}

// urgent is 1 for a command that stops the run, which nothing before it may hold up, and else 0.
func (l *commandObject) urgent() int {
	if l.bad == "" && (l.command.Kind == record.CmdPause || l.command.Kind == record.CmdAbort) {
		return 1
	}
	return 0
}

// toAnswer reads an answer. One that cannot be read counts as given: the driver has
// done with the command.
func toAnswer(text string) *Answer {
	var a Answer
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		return &Answer{Words: "the answer cannot be read"}
	}
	a.By, a.Words = objects.Sentence(a.By), objects.Sentence(a.Words)
	return &a
}

// object is the ConfigMap of a letter with its answer.
func (l *commandObject) object(namespace, group string) (*corev1.ConfigMap, error) {
	m := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Namespace: namespace, Name: l.name, UID: l.uid, ResourceVersion: l.version,
		Labels: map[string]string{kube.ManagedBy: kube.ManagedByValue, groupMark: group},
	}, Data: map[string]string{commandKey: l.text}}
	if l.by != "" {
		m.Data[byKey] = l.by
	}
	if l.heard != "" {
		m.Data[heardKey] = l.heard
	}
	if l.answer == nil {
		return m, nil
	}
	text, err := json.Marshal(l.answer)
	if err != nil {
		return nil, fmt.Errorf("write the answer as JSON: %w", err)
	}
	m.Data[answerKey] = string(text)
	return m, nil
}

// over reports whether nobody needs a command any more, answered or not.
func (l *commandObject) over(now time.Time) bool {
	return now.After(l.given.Add(record.CommandLife + time.Minute))
}
