package cloud

import (
	"crypto/md5"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
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

// checksum is a CRC32 as S3 writes it.
func checksum(data []byte) string {
	return base64.StdEncoding.EncodeToString(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(data)))
}

// CreateBucket makes an S3 bucket, of the cloud's region if that is empty. A name that
// is taken is a mistake in the program and panics.
func (c *Cloud) CreateBucket(name, region string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.buckets[name] != nil {
		panic("cloud: there is a bucket " + name)
	}
	if region == "" {
		region = c.o.Region
	}
	c.buckets[name] = &bucket{name, region, map[string]object{}}
}

// PutObject writes an object. It panics if there is no such bucket.
func (c *Cloud) PutObject(bucket, key string, data []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bucket(bucket).objects[key] = object{slices.Clone(data), time.Now()}
}

// DeleteObject takes an object away if it is there. It panics if there is no such
// bucket.
func (c *Cloud) DeleteObject(bucket, key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.bucket(bucket).objects, key)
}

// Objects is what a bucket has, by key; nil if there is no such bucket.
func (c *Cloud) Objects(bucket string) map[string][]byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.buckets[bucket] == nil {
		return nil
	}
	all := map[string][]byte{}
	for key, o := range c.buckets[bucket].objects {
		all[key] = slices.Clone(o.data)
	}
	return all
}

func (c *Cloud) bucket(name string) *bucket {
	b := c.buckets[name]
	if b == nil {
		panic("cloud: no bucket " + name)
	}
	return b
}

// s3Service is S3 as the scope of a signature and IAM name it.
const s3Service = "s3"

var scope = regexp.MustCompile(`Credential=([^/,]+)/[^/,]*/([^/,]*)/([^/,]*)/aws4_request`)

// isS3 tells the calls of S3, which have bucket and key in their path, from those of
// the query APIs, which are all to the root.
func isS3(h *http.Request) bool {
	m := scope.FindStringSubmatch(h.Header.Get("Authorization"))
	return m != nil && m[3] == s3Service || m == nil && h.URL.Path != "/"
}

// s3Operation is one that the lab's S3 knows: Call has it as parameter Operation, and
// as action the right that IAM asks for.
type s3Operation struct {
	name, right string
	answer      func(*Cloud, *s3Request) (s3Answer, *apiError)
}

// s3Request is a decoded call of S3.
type s3Request struct {
	request
	op     s3Operation
	bucket string
	object string // its key; empty: the bucket is meant
	region string // that it was signed for
	header http.Header
	body   []byte
}

// s3Answer is what S3 answers: a document or, without one, data.
type s3Answer struct {
	header   map[string]string
	document *node
	data     []byte
}

// decodeS3 reads a call in path style: /bucket/key.
func decodeS3(h *http.Request, body []byte) *s3Request {
	name, key, _ := strings.Cut(strings.TrimPrefix(h.URL.Path, "/"), "/")
	r := &s3Request{bucket: name, object: key, header: h.Header, body: body}
	r.op = s3OperationOf(h.Method, key, h.URL.Query())
	r.service, r.action, r.form = s3Service, r.op.right, h.URL.Query()
	r.form.Set("Operation", r.op.name)
	r.form.Set("Bucket", name)
	if key != "" {
		r.form.Set("Key", key)
	}
	if m := scope.FindStringSubmatch(h.Header.Get("Authorization")); m != nil {
		r.key, r.region = m[1], m[2]
	}
	return r
}

func s3OperationOf(method, key string, query url.Values) s3Operation {
	switch {
	case key == "" && method == http.MethodGet && query.Get("list-type") == "2":
		return s3Operation{"ListObjectsV2", "ListBucket", listObjects}
	case key == "" && method == http.MethodHead:
		return s3Operation{"HeadBucket", "ListBucket", headBucket}
	case key != "" && method == http.MethodGet:
		return s3Operation{"GetObject", "GetObject", getObject}
	case key != "" && method == http.MethodHead:
		return s3Operation{"HeadObject", "GetObject", getObject}
	case key != "" && method == http.MethodPut:
		return s3Operation{"PutObject", "PutObject", putObject}
	}
	return s3Operation{method, method, func(*Cloud, *s3Request) (s3Answer, *apiError) {
		return s3Answer{}, &apiError{"NotImplemented", "A header you provided implies functionality that is not implemented.", http.StatusNotImplemented}
	}}
}

// serveS3 answers a call of S3.
func (c *Cloud) serveS3(w http.ResponseWriter, h *http.Request) {
	body, err := io.ReadAll(h.Body)
	if err != nil {
		panic(http.ErrAbortHandler) // the client is gone
	}
	r := decodeS3(h, body)
	var answer s3Answer
	id, failed := c.carryOut(&r.request, h.UserAgent(), func() (err *apiError) {
		answer, err = c.answerS3(r)
		return err
	})
	header := w.Header()
	for name, value := range answer.header {
		header.Set(name, value)
	}
	if failed != nil {
		writeS3Error(w, h, failed, id)
		return
	}
	header.Set("X-Amz-Request-Id", id)
	if answer.document != nil {
		header.Set("Content-Type", "application/xml")
		answer.document.write(w)
		return
	}
	if h.Method == http.MethodHead {
		return // with the length that is in the header
	}
	_, _ = w.Write(answer.data)
}

// writeS3Error writes an error as S3 does: to a HEAD it is the status alone.
func writeS3Error(w http.ResponseWriter, h *http.Request, e *apiError, id string) {
	w.Header().Set("Content-Type", "application/xml")
	w.Header().Set("X-Amz-Request-Id", id)
	w.WriteHeader(e.status)
	if h.Method != http.MethodHead {
		el("Error", text("Code", e.code), text("Message", e.message), text("RequestId", id)).write(w)
	}
}

// answerS3 runs the operation unless a fault or missing credentials forbid it. The
// caller holds mu.
func (c *Cloud) answerS3(r *s3Request) (s3Answer, *apiError) {
	b := c.buckets[r.bucket]
	var at s3Answer // which region a bucket is in is told to everybody
	if b != nil {
		at.header = map[string]string{"X-Amz-Bucket-Region": b.region}
	}
	if r.key == "" {
		return at, &apiError{"AccessDenied", "Access Denied", http.StatusForbidden}
	}
	resource := "arn:aws:s3:::" + r.bucket
	if r.object != "" {
		resource += "/" + r.object
	}
	if err := c.faults.refuse(&r.request, resource); err != nil {
		return at, err
	}
	switch {
	case b == nil:
		return at, &apiError{"NoSuchBucket", "The specified bucket does not exist", http.StatusNotFound}
	case b.region != r.region:
		return at, &apiError{"PermanentRedirect", "The bucket you are attempting to access must be addressed using the specified endpoint. " +
			"Please send all future requests to this endpoint.", http.StatusMovedPermanently}
	}
	return r.op.answer(c, r)
}

func headBucket(c *Cloud, r *s3Request) (s3Answer, *apiError) {
	return s3Answer{header: map[string]string{"X-Amz-Bucket-Region": c.buckets[r.bucket].region}}, nil
}

// getObject is GetObject and HeadObject. Whether a key exists is not told to callers
// who may not list the bucket.
func getObject(c *Cloud, r *s3Request) (s3Answer, *apiError) {
	o, exists := c.buckets[r.bucket].objects[r.object]
	if !exists {
		list := r.request
		list.action = "ListBucket"
		if c.faults.forbids(&list) {
			return s3Answer{}, errDenied(c.faults.caller(list.key), &list, "arn:aws:s3:::"+r.bucket)
		}
		return s3Answer{}, &apiError{"NoSuchKey", "The specified key does not exist.", http.StatusNotFound}
	}
	header := map[string]string{
		"Content-Type":   "binary/octet-stream",
		"Content-Length": fmt.Sprint(len(o.data)),
		"ETag":           o.etag(),
		"Last-Modified":  o.modified.UTC().Format(http.TimeFormat),
		"Accept-Ranges":  "bytes",
	}
	if r.header.Get("X-Amz-Checksum-Mode") == "ENABLED" {
		header["X-Amz-Checksum-Crc32"], header["X-Amz-Checksum-Type"] = checksum(o.data), "FULL_OBJECT"
	}
	return s3Answer{header: header, data: o.data}, nil
}

// putObject takes a body that comes in one piece, as SDKs send it without TLS, and
// checks the CRC32 that comes with it.
func putObject(c *Cloud, r *s3Request) (s3Answer, *apiError) {
	if strings.Contains(r.header.Get("Content-Encoding"), "aws-chunked") {
		return s3Answer{}, &apiError{"NotImplemented", "A header you provided implies functionality that is not implemented.", http.StatusNotImplemented}
	}
	if sum := r.header.Get("X-Amz-Checksum-Crc32"); sum != "" && sum != checksum(r.body) {
		return s3Answer{}, &apiError{"BadDigest", "The CRC32 you specified did not match the calculated checksum.", http.StatusBadRequest}
	}
	o := object{r.body, time.Now()}
	c.buckets[r.bucket].objects[r.object] = o
	return s3Answer{header: map[string]string{"ETag": o.etag()}}, nil
}

// listObjects is ListObjectsV2: keys in their order and, with a delimiter, the
// prefixes that others share up to it.
func listObjects(c *Cloud, r *s3Request) (s3Answer, *apiError) {
	b := c.buckets[r.bucket]
	prefix, delimiter := r.str("prefix"), r.str("delimiter")
	var names []string // keys, and common prefixes
	common := map[string]bool{}
	for _, key := range slices.Sorted(maps.Keys(b.objects)) {
		rest, ok := strings.CutPrefix(key, prefix)
		if !ok || key <= r.str("start-after") {
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
	pages := request{form: url.Values{"NextToken": {r.str("continuation-token")}, "max-keys": {r.str("max-keys")}}}
	from, to, token, err := c.page(&pages, len(names), func(n int) string { return names[n] }, "max-keys", 1000, 1000)
	if err != nil {
		return s3Answer{}, &apiError{"InvalidArgument", "The continuation token provided is incorrect", http.StatusBadRequest}
	}
	list := el(`ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"`,
		text("Name", b.name), text("Prefix", prefix), text("Delimiter", delimiter),
		text("KeyCount", to-from), text("MaxKeys", pages.int("max-keys", 1000)), text("IsTruncated", token != ""),
		text("ContinuationToken", r.str("continuation-token")), text("NextContinuationToken", token))
	for _, name := range names[from:to] {
		if common[name] {
			list.kids = append(list.kids, el("CommonPrefixes", text("Prefix", name)))
			continue
		}
		o := b.objects[name]
		list.kids = append(list.kids, el("Contents", text("Key", name), text("LastModified", o.modified), text("ETag", o.etag()),
			text("Size", len(o.data)), text("StorageClass", "STANDARD")))
	}
	return s3Answer{document: &list}, nil
}
