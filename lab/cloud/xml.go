package cloud

import (
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// node is an XML element: text, or nodes within.
type node struct {
	name string
	text string
	kids []node
}

// el is an element with elements within; those without a name are left out.
func el(name string, kids ...node) node { return node{name: name, kids: kids} }

// text is an element with text. Times are written as the services do, and an
// absent value (empty string, zero time) makes no element.
func text(name string, value any) node {
	switch v := value.(type) {
	case time.Time:
		if v.IsZero() {
			return node{}
		}
		return node{name: name, text: v.UTC().Format("2006-01-02T15:04:05.000Z")}
	case string:
		if v == "" {
			return node{}
		}
		return node{name: name, text: v}
	default:
		return node{name: name, text: fmt.Sprint(v)}
	}
}

// each is a list: an element called item, with the given content, for every item.
func each[T any](name, item string, items []T, content func(T) []node) node {
	n := node{name: name}
	for _, i := range items {
		n.kids = append(n.kids, node{name: item, kids: content(i)})
	}
	return n
}

// texts is a list of strings.
func texts(name, item string, items []string) node {
	n := node{name: name}
	for _, i := range items {
		n.kids = append(n.kids, node{name: item, text: i})
	}
	return n
}

// write writes the element as a document.
func (n node) write(w io.Writer) {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n")
	n.append(&b)
	io.WriteString(w, b.String())
}

func (n node) append(b *strings.Builder) {
	if n.name == "" {
		return
	}
	end, _, _ := strings.Cut(n.name, " ")
	b.WriteString("<" + n.name + ">")
	xml.EscapeText(b, []byte(n.text))
	for _, k := range n.kids {
		k.append(b)
	}
	b.WriteString("</" + end + ">")
}

// success is the document of an answer, failure that of an error.
func (p protocol) success(action string, content []node, id string) node {
	name := fmt.Sprintf("%sResponse xmlns=%q", action, p.namespace)
	if p.ec2 {
		return el(name, append([]node{text("requestId", id)}, content...)...)
	}
	return el(name, el(action+"Result", content...), el("ResponseMetadata", text("RequestId", id)))
}

func (p protocol) failure(e *apiError, id string) node {
	if p.ec2 {
		return el("Response", el("Errors", el("Error", text("Code", e.code), text("Message", e.message))), text("RequestID", id))
	}
	kind := "Sender"
	if e.status >= http.StatusInternalServerError {
		kind = "Receiver"
	}
	return el(fmt.Sprintf("ErrorResponse xmlns=%q", p.namespace),
		el("Error", text("Type", kind), text("Code", e.code), text("Message", e.message)), text("RequestId", id))
}

// stamp is a time as the causes of activities have it.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }
