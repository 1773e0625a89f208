// Package s3 is the lab's S3: buckets in memory, and the few operations on them that SDKs need to
// read and write a state store. The endpoint hands it decoded calls (Decode, Store.Answer).
package s3

import (
	"crypto/md5"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/drainboard/drainboard/lab/cloud/access"
	"github.com/drainboard/drainboard/lab/cloud/wire"
)

// bucket is an S3 bucket. S3 answers with what was last written, so nothing of it lags
// behind.
type bucket struct {
	name, region string
	objects      map[string]object // by key
}

// object is what a bucket has under a key. It is replaced, never changed.
type object struct {
	data     []byte
	modified time.Time
}

// etag is the object's entity tag, in quotes.
func (o object) etag() string {
	sum := md5.Sum(o.data)
	return `"` + hex.EncodeToString(sum[:]) + `"`
}

// Checksum is a CRC32 as S3 writes it.
func Checksum(data []byte) string {
	return base64.StdEncoding.EncodeToString(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(data)))
}

// A Store is the buckets of the lab's S3. It may be used by several goroutines.
type Store struct {
	region string // of buckets that are made without one
	rules  *access.Rules

	mu      sync.Mutex
	buckets map[string]*bucket // by name
}

// New is a store without buckets, in a region, whose callers are held to rules.
func New(region string, rules *access.Rules) *Store {
	return &Store{region: region, rules: rules, buckets: map[string]*bucket{}}
}

// CreateBucket makes an S3 bucket, of the cloud's region if that is empty. A name that
// is taken is a mistake in the program and panics.
func (st *Store) CreateBucket(name, region string) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.buckets[name] != nil {
		panic("s3: there is a bucket " + name)
	}
	if region == "" {
		region = st.region
	}
	st.buckets[name] = &bucket{name, region, map[string]object{}}
}

// PutObject writes an object. It panics if there is no such bucket.
func (st *Store) PutObject(bucket, key string, data []byte) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.bucket(bucket).objects[key] = object{slices.Clone(data), time.Now()}
}

// DeleteObject takes an object away if it is there. It panics if there is no such
// bucket.
func (st *Store) DeleteObject(bucket, key string) {
	st.mu.Lock()
	defer st.mu.Unlock()
	delete(st.bucket(bucket).objects, key)
}

// Objects is what a bucket has, by key; nil if there is no such bucket.
func (st *Store) Objects(bucket string) map[string][]byte {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.buckets[bucket] == nil {
		return nil
	}
	all := map[string][]byte{}
	for key, o := range st.buckets[bucket].objects {
		all[key] = slices.Clone(o.data)
	}
	return all
}

func (st *Store) bucket(name string) *bucket {
	b := st.buckets[name]
	if b == nil {
		panic("s3: no bucket " + name)
	}
	return b
}

// Is tells the calls of S3, which have bucket and key in their path, from those of
// the query APIs, which are all to the root.
func Is(h *http.Request) bool {
	_, service, signed := wire.SignedFor(h.Header)
	return signed && service == wire.S3 || !signed && h.URL.Path != "/"
}

// operation is one that the lab's S3 knows: Call has it as parameter Operation, and
// as action the right that IAM asks for.
type operation struct {
	name, right string
	answer      func(*Store, *Request) (Answer, *wire.Error)
}

// Request is a decoded call of S3.
type Request struct {
	wire.Request
	op     operation
	bucket string
	object string // its key; empty: the bucket is meant
	region string // that it was signed for
	header http.Header
	body   []byte
}

// Answer is what S3 answers: a document or, without one, data.
type Answer struct {
	header   map[string]string
	document *wire.Node
	data     []byte
}

// Decode reads a call in path style: /bucket/key.
func Decode(h *http.Request, body []byte) *Request {
	name, key, _ := strings.Cut(strings.TrimPrefix(h.URL.Path, "/"), "/")
	r := &Request{bucket: name, object: key, header: h.Header, body: body}
	r.op = operationOf(h.Method, key, h.URL.Query())
	r.Service, r.Action, r.Form = wire.S3, r.op.right, h.URL.Query()
	r.Form.Set("Operation", r.op.name)
	r.Form.Set("Bucket", name)
	if key != "" {
		r.Form.Set("Key", key)
	}
	if region, _, signed := wire.SignedFor(h.Header); signed {
		r.Key, r.region = wire.AccessKey(h.Header), region
	}
	return r
}

func operationOf(method, key string, query url.Values) operation {
	switch {
	case key == "" && method == http.MethodGet && query.Get("list-type") == "2":
		return operation{"ListObjectsV2", "ListBucket", listObjects}
	case key == "" && method == http.MethodHead:
		return operation{"HeadBucket", "ListBucket", headBucket}
	case key != "" && method == http.MethodGet:
		return operation{"GetObject", "GetObject", getObject}
	case key != "" && method == http.MethodHead:
		return operation{"HeadObject", "GetObject", getObject}
	case key != "" && method == http.MethodPut:
		return operation{"PutObject", "PutObject", putObject}
	}
	return operation{method, method, func(*Store, *Request) (Answer, *wire.Error) {
		return Answer{}, wire.NewError("NotImplemented", "A header you provided implies functionality that is not implemented.", http.StatusNotImplemented)
	}}
}

// Write writes the answer to a call with the id of the request, or the error.
func (a Answer) Write(w http.ResponseWriter, h *http.Request, failed *wire.Error, id string) {
	header := w.Header()
	for name, value := range a.header {
		header.Set(name, value)
	}
	if failed != nil {
		WriteError(w, h, failed, id)
		return
	}
	header.Set("X-Amz-Request-Id", id)
	if a.document != nil {
		header.Set("Content-Type", "application/xml")
		a.document.Write(w)
		return
	}
	if h.Method == http.MethodHead {
		return // with the length that is in the header
	}
	_, _ = w.Write(a.data)
}

// WriteError writes an error as S3 does: to a HEAD it is the status alone.
func WriteError(w http.ResponseWriter, h *http.Request, e *wire.Error, id string) {
	w.Header().Set("Content-Type", "application/xml")
	w.Header().Set("X-Amz-Request-Id", id)
	w.WriteHeader(e.Status)
	if h.Method != http.MethodHead {
		wire.El("Error", wire.Text("Code", e.Code), wire.Text("Message", e.Message), wire.Text("RequestId", id)).Write(w)
	}
}

// Answer runs the operation unless a rule or missing credentials forbid it.
func (st *Store) Answer(r *Request) (Answer, *wire.Error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	b := st.buckets[r.bucket]
	var at Answer // which region a bucket is in is told to everybody
	if b != nil {
		at.header = map[string]string{"X-Amz-Bucket-Region": b.region}
	}
	if r.Key == "" {
		return at, wire.NewError("AccessDenied", "Access Denied", http.StatusForbidden)
	}
	resource := "arn:aws:s3:::" + r.bucket
	if r.object != "" {
		resource += "/" + r.object
	}
	if err := st.rules.Refuse(&r.Request, resource); err != nil {
		return at, err
	}
	switch {
	case b == nil:
		return at, wire.NewError("NoSuchBucket", "The specified bucket does not exist", http.StatusNotFound)
	case b.region != r.region:
		return at, wire.NewError("PermanentRedirect", "The bucket you are attempting to access must be addressed using the specified endpoint. "+
			"Please send all future requests to this endpoint.", http.StatusMovedPermanently)
	}
	return r.op.answer(st, r)
}

func headBucket(st *Store, r *Request) (Answer, *wire.Error) {
	return Answer{header: map[string]string{"X-Amz-Bucket-Region": st.buckets[r.bucket].region}}, nil
}

// getObject is GetObject and HeadObject. Whether a key exists is not told to callers
// who may not list the bucket.
func getObject(st *Store, r *Request) (Answer, *wire.Error) {
	o, exists := st.buckets[r.bucket].objects[r.object]
	if !exists {
		list := r.Request
		list.Action = "ListBucket"
		if st.rules.Forbids(&list) {
			return Answer{}, st.rules.Denied(&list, "arn:aws:s3:::"+r.bucket)
		}
		return Answer{}, wire.NewError("NoSuchKey", "The specified key does not exist.", http.StatusNotFound)
	}
	header := map[string]string{
		"Content-Type":   "binary/octet-stream",
		"Content-Length": fmt.Sprint(len(o.data)),
		"ETag":           o.etag(),
		"Last-Modified":  o.modified.UTC().Format(http.TimeFormat),
		"Accept-Ranges":  "bytes",
	}
	if r.header.Get("X-Amz-Checksum-Mode") == "ENABLED" {
		header["X-Amz-Checksum-Crc32"], header["X-Amz-Checksum-Type"] = Checksum(o.data), "FULL_OBJECT"
	}
	return Answer{header: header, data: o.data}, nil
}

// putObject takes a body that comes in one piece, as SDKs send it without TLS, and
// checks the CRC32 that comes with it.
func putObject(st *Store, r *Request) (Answer, *wire.Error) {
	if strings.Contains(r.header.Get("Content-Encoding"), "aws-chunked") {
		return Answer{}, wire.NewError("NotImplemented", "A header you provided implies functionality that is not implemented.", http.StatusNotImplemented)
	}
	if sum := r.header.Get("X-Amz-Checksum-Crc32"); sum != "" && sum != Checksum(r.body) {
		return Answer{}, wire.NewError("BadDigest", "The CRC32 you specified did not match the calculated checksum.", http.StatusBadRequest)
	}
	o := object{r.body, time.Now()}
	st.buckets[r.bucket].objects[r.object] = o
	return Answer{header: map[string]string{"ETag": o.etag()}}, nil
}

// listObjects is ListObjectsV2: keys in their order and, with a delimiter, the
// prefixes that others share up to it.
func listObjects(st *Store, r *Request) (Answer, *wire.Error) {
	b := st.buckets[r.bucket]
	prefix, delimiter := r.Str("prefix"), r.Str("delimiter")
	var names []string // keys, and common prefixes
	common := map[string]bool{}
	for _, key := range slices.Sorted(maps.Keys(b.objects)) {
		rest, ok := strings.CutPrefix(key, prefix)
		if !ok || key <= r.Str("start-after") {
			continue
		}
		if dir, _, cut := strings.Cut(rest, delimiter); delimiter != "" && cut {
			if dir = prefix + dir + delimiter; !common[dir] {
				common[dir] = true
				names = append(names, dir)
			}
			continue
		}
		names = append(names, key)
	}
	pages := wire.Request{PageSize: r.PageSize, Form: url.Values{"NextToken": {r.Str("continuation-token")}, "max-keys": {r.Str("max-keys")}}}
	from, to, token, err := pages.Page(len(names), func(n int) string { return names[n] }, "max-keys", 1000, 1000)
	if err != nil {
		return Answer{}, wire.NewError("InvalidArgument", "The continuation token provided is incorrect", http.StatusBadRequest)
	}
	list := wire.El(`ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"`,
		wire.Text("Name", b.name), wire.Text("Prefix", prefix), wire.Text("Delimiter", delimiter),
		wire.Text("KeyCount", to-from), wire.Text("MaxKeys", pages.Int("max-keys", 1000)), wire.Text("IsTruncated", token != ""),
		wire.Text("ContinuationToken", r.Str("continuation-token")), wire.Text("NextContinuationToken", token))
	for _, name := range names[from:to] {
		if common[name] {
			list.Kids = append(list.Kids, wire.El("CommonPrefixes", wire.Text("Prefix", name)))
			continue
		}
		o := b.objects[name]
		list.Kids = append(list.Kids, wire.El("Contents", wire.Text("Key", name), wire.Text("LastModified", o.modified), wire.Text("ETag", o.etag()),
			wire.Text("Size", len(o.data)), wire.Text("StorageClass", "STANDARD")))
	}
	return Answer{document: &list}, nil
}
