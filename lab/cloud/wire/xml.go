package wire

import (
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// Node is an XML element: text, or nodes within.
type Node struct {
	Name string
	Text string
	Kids []Node
}

// El is an element with elements within; those without a name are left out.
func El(name string, kids ...Node) Node { return Node{Name: name, Kids: kids} }

// Text is an element with text. Times are written as the services do, and an
// absent value (empty string, zero time) makes no element.
func Text(name string, value any) Node {
	switch v := value.(type) {
	case time.Time:
		if v.IsZero() {
			return Node{}
		}
		return Node{Name: name, Text: v.UTC().Format("2006-01-02T15:04:05.000Z")}
	case string:
		if v == "" {
			return Node{}
		}
		return Node{Name: name, Text: v}
	default:
		return Node{Name: name, Text: fmt.Sprint(v)}
	}
}

// Each is a list: an element called item, with the given content, for every item.
func Each[T any](name, item string, items []T, content func(T) []Node) Node {
	n := Node{Name: name}
	for _, i := range items {
		n.Kids = append(n.Kids, Node{Name: item, Kids: content(i)})
	}
	return n
}

// Texts is a list of strings.
func Texts(name, item string, items []string) Node {
	n := Node{Name: name}
	for _, i := range items {
		n.Kids = append(n.Kids, Node{Name: item, Text: i})
	}
	return n
}

// Write writes the element as a document.
func (n Node) Write(w io.Writer) {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n")
	n.append(&b)
	io.WriteString(w, b.String())
}

func (n Node) append(b *strings.Builder) {
	if n.Name == "" {
		return
	}
	end, _, _ := strings.Cut(n.Name, " ")
	b.WriteString("<" + n.Name + ">")
	xml.EscapeText(b, []byte(n.Text))
	for _, k := range n.Kids {
		k.append(b)
	}
	b.WriteString("</" + end + ">")
}

// Protocol is what differs between the services' wire formats.
type Protocol struct {
	Service, Namespace string
	EC2                bool // ec2Query: answers without a Result element, errors in Errors
}

// Success is the document of an answer to an action, with the id of the request.
func (p Protocol) Success(action string, content []Node, id string) Node {
	name := fmt.Sprintf("%sResponse xmlns=%q", action, p.Namespace)
	if p.EC2 {
		return El(name, append([]Node{Text("requestId", id)}, content...)...)
	}
	return El(name, El(action+"Result", content...), El("ResponseMetadata", Text("RequestId", id)))
}

// Failure is the document of an error, with the id of the request.
func (p Protocol) Failure(e *Error, id string) Node {
	if p.EC2 {
		return El("Response", El("Errors", El("Error", Text("Code", e.Code), Text("Message", e.Message))), Text("RequestID", id))
	}
	kind := "Sender"
	if e.Status >= http.StatusInternalServerError {
		kind = "Receiver"
	}
	return El(fmt.Sprintf("ErrorResponse xmlns=%q", p.Namespace),
		El("Error", Text("Type", kind), Text("Code", e.Code), Text("Message", e.Message)), Text("RequestId", id))
}

// Stamp is a time as the causes of activities have it.
func Stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }
