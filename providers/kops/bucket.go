package kops

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"sync"
	"time"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"

	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg"
)

// readTimeout bounds one read, with the SDK's own retries of it.
const readTimeout = 15 * time.Second

// bucket is a store in S3. The bucket may be in another region than the cluster, which
// S3 tells when it is asked.
type bucket struct {
	aws          *asg.Client
	client       *s3.Client
	name, prefix string

	mu     sync.Mutex
	region string
}

func newBucket(aws *asg.Client, name, prefix string) *bucket {
	client := s3.NewFromConfig(aws.Config(), func(o *s3.Options) {
		o.UsePathStyle = o.BaseEndpoint != nil // other services than AWS's have no host for each bucket
	})
	return &bucket{aws: aws, client: client, name: name, prefix: prefix, region: aws.Region()}
}

func (b *bucket) String() string { return world.Clean("s3://" + path.Join(b.name, b.prefix)) }

func (b *bucket) read(ctx context.Context, name string) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, readTimeout, fmt.Errorf("no answer within %s", readTimeout))
	defer cancel()
	b.mu.Lock()
	region := b.region
	b.mu.Unlock()
	data, err := b.get(ctx, name, region)
	if there := regionIn(err); there != "" && there != region {
		b.mu.Lock()
		b.region = there
		b.mu.Unlock()
		data, err = b.get(ctx, name, there)
	}
	if errors.Is(err, errTooLarge) {
		return nil, err
	}
	var api smithy.APIError
	if errors.As(err, &api) {
		switch api.ErrorCode() {
		case "NoSuchKey":
			return nil, fs.ErrNotExist
		case "NoSuchBucket":
			return nil, fmt.Errorf("no S3 bucket %s: check --state or KOPS_STATE_STORE", world.Clean(b.name))
		}
	}
	err = b.aws.Explain(err)
	if errors.Is(err, asg.ErrForbidden) {
		err = fmt.Errorf("%w; without s3:ListBucket S3 answers the same for missing objects", err)
	}
	return data, err
}

func (b *bucket) get(ctx context.Context, name, region string) ([]byte, error) {
	key := path.Join(b.prefix, name)
	out, err := b.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &b.name, Key: &key}, func(o *s3.Options) { o.Region = region })
	if err != nil {
		return nil, err
	}
	defer out.Body.Close()
	return limited(out.Body)
}

// regionIn is the bucket's region as an answer of S3's tells it, "" if it does not.
func regionIn(err error) string {
	var answer *awshttp.ResponseError
	if !errors.As(err, &answer) || answer.Response == nil {
		return ""
	}
	return answer.Response.Header.Get("X-Amz-Bucket-Region")
}
