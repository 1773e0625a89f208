package kops

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"

	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg"
	"github.com/drainboard/drainboard/providers/asg/transport"
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
	data, err := ask(ctx, b, func(ctx context.Context, region string) ([]byte, error) { return b.get(ctx, name, region) })
	if errors.Is(err, transport.ErrForbidden) {
		err = fmt.Errorf("%w; without s3:ListBucket S3 answers the same for missing objects", err)
	}
	return data, err
}

// ask asks where the bucket is known to be, and once more where S3 says that it is. Errors
// are in words.
func ask[T any](ctx context.Context, b *bucket, call func(ctx context.Context, region string) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, readTimeout, fmt.Errorf("no answer within %s", readTimeout))
	defer cancel()
	b.mu.Lock()
	region := b.region
	b.mu.Unlock()
	answer, err := call(ctx, region)
	if there := regionIn(err); there != "" && there != region {
		b.mu.Lock()
		b.region = there
		b.mu.Unlock()
		answer, err = call(ctx, there)
	}
	if err == nil || errors.Is(err, errTooLarge) {
		return answer, err
	}
	var api smithy.APIError
	if errors.As(err, &api) {
		switch api.ErrorCode() {
		case "NoSuchKey":
			return answer, fs.ErrNotExist
		case "NoSuchBucket":
			return answer, fmt.Errorf("no S3 bucket %s: check --state or KOPS_STATE_STORE", world.Clean(b.name))
		}
	}
	return answer, b.aws.Explain(err)
}

func (b *bucket) list(ctx context.Context, dir string) ([]string, error) {
	return ask(ctx, b, func(ctx context.Context, region string) (names []string, err error) {
		prefix, delimiter := path.Join(b.prefix, dir)+"/", "/"
		pages := s3.NewListObjectsV2Paginator(b.client, &s3.ListObjectsV2Input{Bucket: &b.name, Prefix: &prefix, Delimiter: &delimiter})
		for pages.HasMorePages() {
			page, err := pages.NextPage(ctx, func(o *s3.Options) { o.Region = region })
			if err != nil {
				return nil, err
			}
			for _, o := range page.Contents {
				if name := strings.TrimPrefix(aws.ToString(o.Key), prefix); name != "" {
					names = append(names, name)
				}
			}
		}
		return names, nil
	})
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
