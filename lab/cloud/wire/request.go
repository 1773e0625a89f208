package wire

import (
	"encoding/base64"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// S3 is S3 as the scope of a signature and IAM name it.
const S3 = "s3"

// A Request is a decoded call. Parameters are flat, as the query protocols have
// them: Filters.member.1.Name.
type Request struct {
	Service, Action string
	Form            url.Values
	Key             string // access key id
	PageSize        int    // most items on a page, also where a caller asks for more; 0: the real limits
}

// Str is a parameter, "" if it is absent.
func (r *Request) Str(name string) string { return r.Form.Get(name) }

// Has says whether a parameter is there, though it may be empty.
func (r *Request) Has(name string) bool { return r.Form.Has(name) }

// Int is a number, or otherwise if it is absent or none.
func (r *Request) Int(name string, otherwise int) int {
	if n, err := strconv.Atoi(r.Str(name)); err == nil {
		return n
	}
	return otherwise
}

// Bool says whether a parameter is "true".
func (r *Request) Bool(name string) bool { return r.Str(name) == "true" }

// List are the values of name.1, name.2 and so on.
func (r *Request) List(name string) []string {
	var values []string
	for n := 1; r.Has(fmt.Sprintf("%s.%d", name, n)); n++ {
		values = append(values, r.Str(fmt.Sprintf("%s.%d", name, n)))
	}
	return values
}

// Structs are the prefixes name.1, name.2 and so on that have parameters.
func (r *Request) Structs(name string) []string {
	var prefixes []string
	for n := 1; ; n++ {
		prefix := fmt.Sprintf("%s.%d", name, n)
		if !r.Any(prefix + ".") {
			return prefixes
		}
		prefixes = append(prefixes, prefix)
	}
}

// Any says whether a parameter starts with prefix.
func (r *Request) Any(prefix string) bool {
	for name := range r.Form {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// Filter is a condition: an item passes if one of its values for the name
// matches one of the filter's, which may have * and ? in them.
type Filter struct {
	Name   string
	Values []string
}

// Matches says whether an item that has these values passes.
func (f Filter) Matches(has ...string) bool {
	return slices.ContainsFunc(has, func(v string) bool {
		return slices.ContainsFunc(f.Values, func(pattern string) bool {
			ok, err := path.Match(pattern, v)
			return pattern == v || err == nil && ok
		})
	})
}

// Filters decodes the filters of a call: prefix is Filters.member or Filter,
// values the name of the list within.
func (r *Request) Filters(prefix, values string) []Filter {
	var fs []Filter
	for _, p := range r.Structs(prefix) {
		fs = append(fs, Filter{r.Str(p + ".Name"), r.List(p + "." + values)})
	}
	return fs
}

// Under are the parameters that start with prefix, laid over those of before.
func (r *Request) Under(prefix string, before map[string]string) map[string]string {
	m := map[string]string{}
	maps.Copy(m, before)
	for k := range r.Form {
		if name, ok := strings.CutPrefix(k, prefix); ok {
			m[name] = r.Str(k)
		}
	}
	return m
}

// Page cuts a page out of items, which are in ascending order of their keys. The
// call names the size of its page in the parameter limit; without it gets usual
// items, never more than most. The token holds the last key of the page before, so that items that come and go
// meanwhile neither repeat nor hide others.
func (r *Request) Page(items int, key func(int) string, limit string, usual, most int) (from, to int, token string, err *Error) {
	if last := r.Str("NextToken"); last != "" {
		after, broken := base64.URLEncoding.DecodeString(last)
		if broken != nil {
			return 0, 0, "", NewError("InvalidNextToken", "The NextToken value is not valid.", http.StatusBadRequest)
		}
		for from < items && key(from) <= string(after) {
			from++
		}
	}
	size := usual
	if n := r.Int(limit, 0); n > 0 {
		size = min(n, most)
	}
	if r.PageSize > 0 {
		size = min(size, r.PageSize)
	}
	to = min(from+size, items)
	if to < items {
		token = base64.URLEncoding.EncodeToString([]byte(key(to - 1)))
	}
	return from, to, token, nil
}

var (
	credential = regexp.MustCompile(`Credential=([^/,]+)/`)
	scope      = regexp.MustCompile(`Credential=([^/,]+)/[^/,]*/([^/,]*)/([^/,]*)/aws4_request`)
)

// AccessKey is the access key id that a call is signed with, "" without a signature.
func AccessKey(header http.Header) string {
	if m := credential.FindStringSubmatch(header.Get("Authorization")); m != nil {
		return m[1]
	}
	return ""
}

// SignedFor is the region and the service that a call is signed for, false without a signature of
// version 4.
func SignedFor(header http.Header) (region, service string, signed bool) {
	if m := scope.FindStringSubmatch(header.Get("Authorization")); m != nil {
		return m[2], m[3], true
	}
	return "", "", false
}
