package eks

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/eks/schemas"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/traits"

	"github.com/drainboard/drainboard/lab/cloud"
)

// The services by the names in the scope of a signature.
const (
	eksName    = "eks"
	ssmName    = "ssm"
	quotasName = "servicequotas"
)

func init() {
	cloud.Speak(eksName, func(r *http.Request, body []byte) (string, url.Values) {
		o, labels := route(r)
		if o == nil {
			return "", nil
		}
		params := r.URL.Query()
		for name, value := range labels {
			params.Set(name, value)
		}
		for name, value := range object(body) {
			params.Set(name, string(value))
		}
		return o.name(), params
	})
}

// operation is one of the API's. Input and answer are of the SDK's types.
type operation struct {
	schema, input, output *smithy.Schema
	new                   func() any
	answer                func(*Service, any) (any, *problem)
}

func (o *operation) name() string { return o.schema.ID().Name }

// of makes an operation of a function with the SDK's own input and output.
func of[I, O any](schema, input, output *smithy.Schema, answer func(*Service, *I) (*O, *problem)) *operation {
	return &operation{schema, input, output, func() any { return new(I) }, func(s *Service, in any) (any, *problem) {
		out, p := answer(s, in.(*I))
		return out, p
	}}
}

// operations are those that the lab knows.
var operations = []*operation{
	of(schemas.DescribeCluster, schemas.DescribeClusterRequest, schemas.DescribeClusterResponse, (*Service).describeCluster),
	of(schemas.ListNodegroups, schemas.ListNodegroupsRequest, schemas.ListNodegroupsResponse, (*Service).listNodegroups),
	of(schemas.DescribeNodegroup, schemas.DescribeNodegroupRequest, schemas.DescribeNodegroupResponse, (*Service).describeNodegroup),
	of(schemas.CreateNodegroup, schemas.CreateNodegroupRequest, schemas.CreateNodegroupResponse, (*Service).createNodegroup),
	of(schemas.DeleteNodegroup, schemas.DeleteNodegroupRequest, schemas.DeleteNodegroupResponse, (*Service).deleteNodegroup),
	of(schemas.UpdateNodegroupVersion, schemas.UpdateNodegroupVersionRequest, schemas.UpdateNodegroupVersionResponse, (*Service).updateVersion),
	of(schemas.UpdateNodegroupConfig, schemas.UpdateNodegroupConfigRequest, schemas.UpdateNodegroupConfigResponse, (*Service).updateConfig),
	of(schemas.ListUpdates, schemas.ListUpdatesRequest, schemas.ListUpdatesResponse, (*Service).listUpdates),
	of(schemas.DescribeUpdate, schemas.DescribeUpdateRequest, schemas.DescribeUpdateResponse, (*Service).describeUpdate),
	of(schemas.ListInsights, schemas.ListInsightsRequest, schemas.ListInsightsResponse, (*Service).listInsights),
	of(schemas.DescribeInsight, schemas.DescribeInsightRequest, schemas.DescribeInsightResponse, (*Service).describeInsight),
}

// route finds the operation of a call by the method and path that the model has for it,
// and the values of the labels in the path. nil: the lab does not know it.
func route(r *http.Request) (*operation, map[string]string) {
	have := strings.Split(strings.Trim(r.URL.EscapedPath(), "/"), "/")
	for _, o := range operations {
		at, _ := smithy.SchemaTrait[*traits.HTTP](o.schema)
		want := strings.Split(strings.Trim(at.URI, "/"), "/")
		if at.Method != r.Method || len(want) != len(have) {
			continue
		}
		if labels := match(want, have); labels != nil {
			return o, labels
		}
	}
	return nil, nil
}

// match compares the parts of a path, and returns the values of the labels, nil if the
// paths differ.
func match(want, have []string) map[string]string {
	labels := map[string]string{}
	for i, part := range want {
		if !strings.HasPrefix(part, "{") {
			if part != have[i] {
				return nil
			}
			continue
		}
		value, err := url.PathUnescape(have[i])
		if err != nil {
			return nil
		}
		labels[strings.Trim(part, "{}")] = value
	}
	return labels
}

// object are the members of a JSON document, none without one.
func object(body []byte) map[string]json.RawMessage {
	var members map[string]json.RawMessage
	_ = json.Unmarshal(body, &members)
	return members
}

// Answer implements cloud.Service.
func (s *Service) Answer(r *http.Request, body []byte) cloud.Answer {
	o, labels := route(r)
	in := o.new()
	if err := decode(o.input, in, labels, r.URL.Query(), body); err != nil {
		return invalidParameter("%v", err).answer()
	}
	out, p := o.answer(s, in)
	if p != nil {
		return p.answer()
	}
	document, err := json.Marshal(encode(o.output, reflect.ValueOf(out).Elem()))
	if err != nil {
		panic(err) // strings, numbers, lists and maps of them
	}
	return cloud.Answer{Status: http.StatusOK, Body: document}
}

// decode reads a call into the SDK's type of its input: labels of the path, parameters of
// the query, and the members of the body, each where the model has it. Whatever the model
// does not have is an error.
func decode(schema *smithy.Schema, in any, labels map[string]string, query url.Values, body []byte) error {
	given := map[string]string{}
	for name, member := range schema.Members() {
		if _, label := smithy.SchemaTrait[*traits.HTTPLabel](member); label {
			given[name] = labels[name]
			delete(labels, name)
		}
		if q, ok := smithy.SchemaTrait[*traits.HTTPQuery](member); ok && query.Has(q.Name) {
			given[name] = query.Get(q.Name)
			query.Del(q.Name)
		}
	}
	for name := range labels {
		return fmt.Errorf("no label %s", name)
	}
	for name := range query {
		return fmt.Errorf("no parameter %s", name)
	}
	if len(body) > 0 {
		for name := range object(body) {
			if schema.Member(name) == nil {
				return fmt.Errorf("no member %s", name)
			}
		}
		decoder := json.NewDecoder(bytes.NewReader(body))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(in); err != nil {
			return err
		}
	}
	for name, value := range given {
		if err := setMember(reflect.ValueOf(in).Elem().FieldByName(field(name)), value); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// setMember sets a member that came in the path or the query: a string or a number.
func setMember(f reflect.Value, value string) error {
	f.Set(reflect.New(f.Type().Elem()))
	if f.Elem().Kind() == reflect.String {
		f.Elem().SetString(value)
		return nil
	}
	n, err := strconv.ParseInt(value, 10, 32)
	f.Elem().SetInt(n)
	return err
}

// field is the name of the SDK's field for a member of the model.
func field(member string) string { return strings.ToUpper(member[:1]) + member[1:] }

// encode makes of a value of the SDK's types what JSON has for it, with the names of the
// model. What is not set is left out.
func encode(schema *smithy.Schema, v reflect.Value) any {
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	switch schema.Type() {
	case smithy.ShapeTypeStructure:
		members := map[string]any{}
		for name, member := range schema.Members() {
			if f := v.FieldByName(field(name)); set(f) {
				members[name] = encode(member, f)
			}
		}
		return members
	case smithy.ShapeTypeList:
		items := []any{}
		for i := range v.Len() {
			items = append(items, encode(schema.ListMember(), v.Index(i)))
		}
		return items
	case smithy.ShapeTypeMap:
		entries := map[string]any{}
		for _, key := range v.MapKeys() {
			entries[key.String()] = encode(schema.MapValue(), v.MapIndex(key))
		}
		return entries
	case smithy.ShapeTypeTimestamp:
		return float64(v.Interface().(time.Time).UnixMilli()) / 1000
	}
	return v.Interface()
}

// set reports whether a field of the SDK's types has a value: an enum without one is
// empty, anything else nil.
func set(f reflect.Value) bool {
	switch f.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return !f.IsNil()
	}
	return !f.IsZero()
}

// problem is an error of the service.
type problem struct {
	status  int
	code    string
	message string
	members map[string]string // beside the message
}

func (p *problem) answer() cloud.Answer {
	members := map[string]any{"message": p.message}
	for name, value := range p.members {
		members[name] = value
	}
	return cloud.Refused(p.status, p.code, members)
}

func invalidParameter(format string, args ...any) *problem {
	return &problem{http.StatusBadRequest, "InvalidParameterException", fmt.Sprintf(format, args...), nil}
}

func notFound(members map[string]string, format string, args ...any) *problem {
	return &problem{http.StatusNotFound, "ResourceNotFoundException", fmt.Sprintf(format, args...), members}
}

func inUse(members map[string]string, format string, args ...any) *problem {
	return &problem{http.StatusConflict, "ResourceInUseException", fmt.Sprintf(format, args...), members}
}
