package eks_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	awseks "github.com/aws/aws-sdk-go-v2/service/eks"
	"github.com/aws/aws-sdk-go-v2/service/eks/types"
	"github.com/aws/aws-sdk-go-v2/service/ssm"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"

	"github.com/drainboard/drainboard/lab"
	"github.com/drainboard/drainboard/lab/eks"
)

// times are short, and as far apart as a busy machine needs.
var times = eks.Times{
	Poll: 50 * time.Millisecond, Setup: time.Nanosecond, Join: time.Minute, Window: 2 * time.Second, Windows: 3,
	Retry: 100 * time.Millisecond, Settle: 200 * time.Millisecond, Shrink: 20 * time.Millisecond, Delete: time.Second, Config: 300 * time.Millisecond,
}

// bench is a lab with EKS, and the real client.
type bench struct {
	*lab.Lab
	*eks.Service
	api *awseks.Client
	ssm *ssm.Client
	cfg aws.Config
}

var shared bench

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

func testMain(m *testing.M) int {
	l, err := lab.Start(context.Background(), lab.Options{Times: lab.Times{
		Boot: 200 * time.Millisecond, Ready: 100 * time.Millisecond, Terminate: 100 * time.Millisecond, PodReady: 100 * time.Millisecond, PodStop: 100 * time.Millisecond}})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer l.Stop()
	s, err := l.ServeEKS(eks.Options{Times: times, Seed: 1})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	shapes, err := recorded()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	cfg := aws.Config{Region: "eu-west-1", BaseEndpoint: aws.String(l.Cloud().URL()), HTTPClient: &http.Client{Transport: shapes},
		Credentials: credentials.NewStaticCredentialsProvider("AKIATEST", "secret", ""), Retryer: func() aws.Retryer { return aws.NopRetryer{} }}
	shared = bench{l, s, awseks.NewFromConfig(cfg), ssm.NewFromConfig(cfg), cfg}
	code := m.Run()
	for _, wrong := range shapes.wrong {
		fmt.Fprintln(os.Stderr, "not as the SDK's model has it:", wrong)
		code = 1
	}
	return code
}

// shapes are the answers that come with the SDK as examples, with every member that the
// model has. Each answer of the lab is held against the one of its operation, so a name
// that the service does not have, or a value of another kind, is found.
type shapes struct {
	examples map[string]any // by operation
	wrong    []string
}

// recorded reads the examples out of the SDK's modules.
func recorded() (*shapes, error) {
	s := &shapes{examples: map[string]any{}}
	for _, module := range []string{"eks", "ssm", "servicequotas"} {
		dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/aws/aws-sdk-go-v2/service/"+module).Output()
		if err != nil {
			return nil, fmt.Errorf("find the SDK's module %s: %w", module, err)
		}
		files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "response_snapshot", "*.response.snap"))
		if err != nil || len(files) == 0 {
			return nil, fmt.Errorf("the module %s has no recorded answers: %v", module, err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			_, body, _ := bytes.Cut(data, []byte("\n\n"))
			var example any
			if json.Unmarshal(body, &example) == nil {
				operation, _, _ := strings.Cut(filepath.Base(file), ".")
				s.examples[operation] = example
			}
		}
	}
	return s, nil
}

// RoundTrip implements http.RoundTripper.
func (s *shapes) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil || response.StatusCode != http.StatusOK {
		return response, err
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	operation := middleware.GetOperationName(r.Context())
	var answer any
	if err := json.Unmarshal(body, &answer); err != nil {
		s.wrong = append(s.wrong, operation+": "+err.Error())
		return response, nil
	}
	example, known := s.examples[operation]
	if !known {
		s.wrong = append(s.wrong, operation+": no such operation")
		return response, nil
	}
	s.wrong = append(s.wrong, differ(operation, answer, example)...)
	return response, nil
}

// differ lists where an answer has what its example does not have, or of another kind.
func differ(at string, answer, example any) []string {
	var wrong []string
	switch a := answer.(type) {
	case map[string]any:
		e, ok := example.(map[string]any)
		if !ok {
			return []string{at + ": an object"}
		}
		for name, value := range a {
			member, has := e[name]
			if anyKey, isMap := e["key0"]; isMap {
				member, has = anyKey, true
			}
			if !has {
				wrong = append(wrong, at+": no member "+name)
				continue
			}
			wrong = append(wrong, differ(at+"."+name, value, member)...)
		}
	case []any:
		e, ok := example.([]any)
		if !ok || len(e) == 0 {
			return []string{at + ": a list"}
		}
		for _, item := range a {
			wrong = append(wrong, differ(at+"[]", item, e[0])...)
		}
	default:
		if fmt.Sprintf("%T", answer) != fmt.Sprintf("%T", example) {
			return []string{fmt.Sprintf("%s: %T, not %T", at, answer, example)}
		}
	}
	return wrong
}

// The check of the shapes sees names and kinds that are not the model's.
func TestShapes(t *testing.T) {
	s, err := recorded()
	if err != nil {
		t.Fatal(err)
	}
	for answer, want := range map[string]int{
		`{"nodegroup":{"nodegroupName":"a","tags":{"any":"thing"},"health":{"issues":[]}}}`: 0,
		`{"nodegroup":{"NodegroupName":"a"}}`:                                               1,
		`{"nodegroup":{"createdAt":"2026-01-01"}}`:                                          1,
		`{"nodegroup":{"health":{"issues":[{"code":"x","reason":"y"}]}}}`:                   1,
		`{"nodegroup":{"resources":{"autoScalingGroups":["a"]}}}`:                           1,
	} {
		var a any
		if err := json.Unmarshal([]byte(answer), &a); err != nil {
			t.Fatal(err)
		}
		if wrong := differ("", a, s.examples["DescribeNodegroup"]); len(wrong) != want {
			t.Errorf("%s: %q, not %d", answer, wrong, want)
		}
	}
}

// testContext ends before the test binary's own deadline.
func testContext(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// code is the code of an AWS error.
func code(err error) string {
	var api smithy.APIError
	if errors.As(err, &api) {
		return api.ErrorCode()
	}
	return fmt.Sprint(err)
}

func (b bench) add(t *testing.T, o lab.Nodegroup) (asg string) {
	t.Helper()
	asg, err := b.AddNodegroup(testContext(t), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		b.remove(ctx, t, o.Name)
	})
	return asg
}

// remove deletes a node group and waits until it is gone.
func (b bench) remove(ctx context.Context, t *testing.T, name string) {
	t.Helper()
	for {
		_, err := b.api.DeleteNodegroup(ctx, &awseks.DeleteNodegroupInput{ClusterName: aws.String(lab.EKSCluster), NodegroupName: aws.String(name)})
		switch {
		case err != nil && code(err) == "ResourceNotFoundException":
			return
		case ctx.Err() != nil:
			t.Errorf("%s is still there: %v", name, err)
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func (b bench) describe(ctx context.Context, t *testing.T, name string) *types.Nodegroup {
	t.Helper()
	out, err := b.api.DescribeNodegroup(ctx, &awseks.DescribeNodegroupInput{ClusterName: aws.String(lab.EKSCluster), NodegroupName: aws.String(name)})
	if err != nil {
		t.Fatal(err)
	}
	return out.Nodegroup
}

func (b bench) update(ctx context.Context, t *testing.T, name string, force bool) string {
	t.Helper()
	out, err := b.api.UpdateNodegroupVersion(ctx, &awseks.UpdateNodegroupVersionInput{ClusterName: aws.String(lab.EKSCluster), NodegroupName: aws.String(name), Force: force})
	if err != nil {
		t.Fatal(err)
	}
	return *out.Update.Id
}

// await waits until an update has ended, and calls each with what the API tells meanwhile.
func (b bench) await(ctx context.Context, t *testing.T, name, id string, each func()) *types.Update {
	t.Helper()
	for {
		out, err := b.api.DescribeUpdate(ctx, &awseks.DescribeUpdateInput{Name: aws.String(lab.EKSCluster), NodegroupName: aws.String(name), UpdateId: aws.String(id)})
		if err != nil {
			t.Fatal(err)
		}
		if each != nil {
			each()
		}
		if out.Update.Status != types.UpdateStatusInProgress {
			return out.Update
		}
		time.Sleep(20 * time.Millisecond)
	}
}
