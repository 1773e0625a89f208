package cloud

import (
	"encoding/base64"
	"net/http"
	"path"
	"slices"
)

// page cuts a page out of items, which are in ascending order of their keys. The
// call names the size of its page in the parameter limit; without it gets usual
// items, never more than most. The token holds the last key of the page before, so that items that come and go
// meanwhile neither repeat nor hide others.
func (c *Cloud) page(r *request, items int, key func(int) string, limit string, usual, most int) (from, to int, token string, err *apiError) {
	if last := r.str("NextToken"); last != "" {
		after, broken := base64.URLEncoding.DecodeString(last)
		if broken != nil {
			return 0, 0, "", &apiError{"InvalidNextToken", "The NextToken value is not valid.", http.StatusBadRequest}
		}
		for from < items && key(from) <= string(after) {
			from++
		}
	}
	size := usual
	if n := r.int(limit, 0); n > 0 {
		size = min(n, most)
	}
	if c.o.PageSize > 0 {
		size = min(size, c.o.PageSize)
	}
	to = min(from+size, items)
	if to < items {
		token = base64.URLEncoding.EncodeToString([]byte(key(to - 1)))
	}
	return from, to, token, nil
}

// filter is a condition: an item passes if one of its values for the name
// matches one of the filter's, which may have * and ? in them.
type filter struct {
	name   string
	values []string
}

func (f filter) matches(has ...string) bool {
	return slices.ContainsFunc(has, func(v string) bool {
		return slices.ContainsFunc(f.values, func(pattern string) bool {
			ok, err := path.Match(pattern, v)
			return pattern == v || err == nil && ok
		})
	})
}

// filters decodes the filters of a call: prefix is Filters.member or Filter,
// values the name of the list within.
func (r *request) filters(prefix, values string) []filter {
	var fs []filter
	for _, p := range r.structs(prefix) {
		fs = append(fs, filter{r.str(p + ".Name"), r.list(p + "." + values)})
	}
	return fs
}
