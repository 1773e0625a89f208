package cloud

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	labs3 "github.com/drainboard/drainboard/lab/cloud/s3"
)

// get reads an object, and sees that the SDK has checked its checksum.
func (b *bench) get(bucket, key string) (string, error) {
	b.t.Helper()
	out, err := b.s3.GetObject(b.ctx, &s3.GetObjectInput{Bucket: &bucket, Key: &key})
	if err != nil {
		return "", err
	}
	defer out.Body.Close()
	data, err := io.ReadAll(out.Body)
	b.must(nil, err)
	if aws.ToString(out.ChecksumCRC32) != labs3.Checksum(data) || *out.ContentLength != int64(len(data)) || out.LastModified.IsZero() || *out.ETag == "" {
		b.t.Errorf("%s: length %d, CRC32 %q, ETag %q, modified %v", key, *out.ContentLength, aws.ToString(out.ChecksumCRC32), *out.ETag, out.LastModified)
	}
	return string(data), nil
}

func (b *bench) put(bucket, key, data string) error {
	_, err := b.s3.PutObject(b.ctx, &s3.PutObjectInput{Bucket: &bucket, Key: &key, Body: strings.NewReader(data)})
	return err
}

func TestObjects(t *testing.T) {
	b := serve(t, quick, nil)
	b.S3().CreateBucket("state", "")
	b.S3().PutObject("state", "lab/config", []byte("kind: Cluster\n"))
	if data, err := b.get("state", "lab/config"); err != nil || data != "kind: Cluster\n" {
		t.Errorf("got %q, %v", data, err)
	}
	b.must(nil, b.put("state", "lab/a key with ünusual/+letters", "x"))
	b.must(nil, b.put("state", "lab/empty", ""))
	for key, want := range map[string]string{"lab/a key with ünusual/+letters": "x", "lab/empty": ""} {
		if data, err := b.get("state", key); err != nil || data != want {
			t.Errorf("%s: %q, %v", key, data, err)
		}
	}
	b.must(nil, b.put("state", "lab/config", "kind: Other\n"))
	head, err := b.s3.HeadObject(b.ctx, &s3.HeadObjectInput{Bucket: aws.String("state"), Key: aws.String("lab/config")})
	b.must(head, err)
	if *head.ContentLength != 12 || !strings.HasPrefix(*head.ETag, `"`) {
		t.Errorf("head %+v", head)
	}
	if has := b.S3().Objects("state"); len(has) != 3 || string(has["lab/config"]) != "kind: Other\n" {
		t.Errorf("objects %q", has)
	}
	b.S3().DeleteObject("state", "lab/config")

	_, err = b.get("state", "lab/config")
	var noKey *types.NoSuchKey
	if !errors.As(err, &noKey) {
		t.Errorf("a key that is not there: %v", err)
	}
	_, err = b.s3.HeadObject(b.ctx, &s3.HeadObjectInput{Bucket: aws.String("state"), Key: aws.String("lab/config")})
	var notFound *types.NotFound
	if !errors.As(err, &notFound) {
		t.Errorf("the head of a key that is not there: %v", err)
	}
	_, err = b.get("nobody", "lab/config")
	b.fails(err, "NoSuchBucket", "The specified bucket does not exist")
	b.fails(b.put("nobody", "lab/config", ""), "NoSuchBucket", "does not exist")

	call := b.Calls()[0]
	if call.Service != "s3" || call.Action != "GetObject" || call.AccessKey != "AKIALAB" || call.Params.Get("Bucket") != "state" || call.Params.Get("Key") != "lab/config" {
		t.Errorf("call %+v", call)
	}
	if i := slices.IndexFunc(b.Calls(), func(c Call) bool { return c.Params.Get("Operation") == "HeadObject" }); i < 0 || b.Calls()[i].Action != "GetObject" {
		t.Error("the head is not in the log as what it needs a right to")
	}
}

func TestListObjects(t *testing.T) {
	b := serve(t, quick, nil)
	b.S3().CreateBucket("state", "")
	for n := range 5 {
		b.S3().PutObject("state", fmt.Sprintf("lab/instancegroup/nodes-%d", n), []byte("x"))
	}
	for _, key := range []string{"lab/config", "lab/pki/private/ca", "other/config"} {
		b.S3().PutObject("state", key, []byte("xyz"))
	}
	list := func(in s3.ListObjectsV2Input) (keys []string, pages int) {
		t.Helper()
		in.Bucket = aws.String("state")
		for p := s3.NewListObjectsV2Paginator(b.s3, &in); p.HasMorePages(); pages++ {
			out, err := p.NextPage(b.ctx)
			b.must(out, err)
			if int(*out.KeyCount) != len(out.Contents)+len(out.CommonPrefixes) {
				t.Errorf("key count %d of %d keys and %d prefixes", *out.KeyCount, len(out.Contents), len(out.CommonPrefixes))
			}
			for _, o := range out.Contents {
				keys = append(keys, *o.Key)
				if o.LastModified.IsZero() || *o.Size == 0 || *o.ETag == "" {
					t.Errorf("object %+v", o)
				}
			}
			for _, c := range out.CommonPrefixes {
				keys = append(keys, *c.Prefix)
			}
		}
		return keys, pages
	}
	if keys, pages := list(s3.ListObjectsV2Input{Prefix: aws.String("lab/instancegroup/"), MaxKeys: aws.Int32(2)}); pages != 3 || len(keys) != 5 || keys[4] != "lab/instancegroup/nodes-4" {
		t.Errorf("keys %q on %d pages", keys, pages)
	}
	if keys, _ := list(s3.ListObjectsV2Input{Prefix: aws.String("lab/"), Delimiter: aws.String("/")}); !slices.Equal(keys, []string{"lab/config", "lab/instancegroup/", "lab/pki/"}) {
		t.Errorf("with a delimiter: %q", keys)
	}
	if keys, _ := list(s3.ListObjectsV2Input{Delimiter: aws.String("/")}); !slices.Equal(keys, []string{"lab/", "other/"}) {
		t.Errorf("the top: %q", keys)
	}
	if keys, pages := list(s3.ListObjectsV2Input{Prefix: aws.String("nothing/")}); len(keys) != 0 || pages != 1 {
		t.Errorf("nothing: %q on %d pages", keys, pages)
	}
	if keys, _ := list(s3.ListObjectsV2Input{StartAfter: aws.String("lab/pki/private/ca")}); !slices.Equal(keys, []string{"other/config"}) {
		t.Errorf("after a key: %q", keys)
	}
	_, err := b.s3.ListObjectsV2(b.ctx, &s3.ListObjectsV2Input{Bucket: aws.String("state"), ContinuationToken: aws.String("!")})
	b.fails(err, "InvalidArgument", "continuation token")
	if call := b.Calls()[0]; call.Action != "ListBucket" || call.Params.Get("Operation") != "ListObjectsV2" {
		t.Errorf("call %+v", call)
	}
}

// Faults are the same for S3 as for the others, under the names that IAM has.
func TestObjectFaults(t *testing.T) {
	b := serve(t, quick, nil)
	b.S3().CreateBucket("state", "")
	b.S3().PutObject("state", "lab/config", []byte("x"))

	b.DenyKey("AKIALAB", "s3:PutObject", true)
	b.fails(b.put("state", "lab/config", ""), "AccessDenied", "is not authorized to perform: s3:PutObject on resource: arn:aws:s3:::state/lab/config because")
	b.must(b.get("state", "lab/config"))

	// Who may not list is not told what is missing.
	b.Grant("AKIALAB", "s3:GetObject")
	b.must(b.get("state", "lab/config"))
	_, err := b.get("state", "lab/nothing")
	b.fails(err, "AccessDenied", "s3:ListBucket")
	_, err = b.s3.ListObjectsV2(b.ctx, &s3.ListObjectsV2Input{Bucket: aws.String("state")})
	b.fails(err, "AccessDenied", "s3:ListBucket on resource: arn:aws:s3:::state because")
	b.Grant("AKIALAB", "s3:GetObject", "s3:ListBucket")
	_, err = b.get("state", "lab/nothing")
	b.fails(err, "NoSuchKey", "")

	b.Throttle(0.5)
	for range 4 {
		b.must(b.get("state", "lab/config"))
	}
	b.Throttle(1)
	_, err = b.get("state", "lab/config")
	b.fails(err, "SlowDown", "reduce your request rate")
	b.Throttle(0)
	b.ExpireKey("AKIALAB", true)
	_, err = b.get("state", "lab/config")
	b.fails(err, "ExpiredToken", "expired")
	b.ExpireKey("AKIALAB", false)
	b.LoseAnswers("s3:GetObject", 1)
	b.must(b.get("state", "lab/config")) // the SDK asks again
	lost := slices.DeleteFunc(b.Calls(), func(c Call) bool { return !c.Lost })
	if len(lost) != 1 {
		t.Errorf("%d answers lost", len(lost))
	}
	end := b.Gate().Fail(1, Asks("AKIALAB", "GetObject"), Troubles[1])
	_, err = b.get("state", "lab/config")
	end()
	b.fails(err, "InternalError", "try again")
	b.must(b.get("state", "lab/config"))
}

// A bucket is in one region: calls that are signed for another are sent away, and
// everybody may learn where it is.
func TestBucketRegion(t *testing.T) {
	b := serve(t, quick, nil)
	b.S3().CreateBucket("far", "us-east-1")
	b.S3().PutObject("far", "lab/config", []byte("x"))
	_, err := b.get("far", "lab/config")
	b.fails(err, "PermanentRedirect", "must be addressed using the specified endpoint")
	head, err := http.Head(b.URL() + "/far")
	b.must(head, err)
	head.Body.Close()
	if head.StatusCode != http.StatusForbidden || head.Header.Get("X-Amz-Bucket-Region") != "us-east-1" {
		t.Errorf("unsigned: %s, region %q", head.Status, head.Header.Get("X-Amz-Bucket-Region"))
	}
	there := func(o *s3.Options) { o.Region = "us-east-1" }
	out, err := b.s3.GetObject(b.ctx, &s3.GetObjectInput{Bucket: aws.String("far"), Key: aws.String("lab/config")}, there)
	b.must(out, err)
	out.Body.Close()
	bucket, err := b.s3.HeadBucket(b.ctx, &s3.HeadBucketInput{Bucket: aws.String("far")}, there)
	b.must(bucket, err)
	if aws.ToString(bucket.BucketRegion) != "us-east-1" {
		t.Errorf("region %q", aws.ToString(bucket.BucketRegion))
	}
	_, err = b.s3.HeadBucket(b.ctx, &s3.HeadBucketInput{Bucket: aws.String("nobody")})
	var status *awshttp.ResponseError
	if !errors.As(err, &status) || status.HTTPStatusCode() != http.StatusNotFound {
		t.Errorf("a bucket that is not there: %v", err)
	}
}

// What comes with a checksum that is not its own is not written.
func TestBadDigest(t *testing.T) {
	b := serve(t, quick, nil)
	b.S3().CreateBucket("state", "")
	_, err := b.s3.PutObject(b.ctx, &s3.PutObjectInput{
		Bucket: aws.String("state"), Key: aws.String("lab/config"), Body: bytes.NewReader([]byte("x")), ChecksumCRC32: aws.String(labs3.Checksum([]byte("y"))),
	})
	b.fails(err, "BadDigest", "CRC32")
	if len(b.S3().Objects("state")) != 0 {
		t.Error("it was written")
	}
	_, err = b.s3.DeleteObject(b.ctx, &s3.DeleteObjectInput{Bucket: aws.String("state"), Key: aws.String("lab/config")})
	b.fails(err, "NotImplemented", "not implemented")
}
