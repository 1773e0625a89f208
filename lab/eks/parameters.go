package eks

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ssm"
	ssmschemas "github.com/aws/aws-sdk-go-v2/service/ssm/schemas"
	ssmtypes "github.com/aws/aws-sdk-go-v2/service/ssm/types"

	"github.com/drainboard/drainboard/lab/cloud"
)

// parameters is the part of Systems Manager that tells which AMI release is recommended, and which AMI each
// release has: public parameters below this path (EKS user guide, "Retrieve recommended Amazon Linux AMI
// IDs"; those of each release as Karpenter asks for them).
type parameters struct{ *Service }

const (
	released    = "/aws/service/eks/optimized-ami/%s/amazon-linux-2023/x86_64/standard/%s/%s"
	recommended = "recommended"
	image       = "amazon-eks-node-al2023-x86_64-standard-%s-v%s"
)

func init() {
	cloud.Speak(ssmName, func(r *http.Request, body []byte) (string, url.Values) {
		params := url.Values{}
		for name, value := range object(body) {
			params.Set(name, string(value))
		}
		_, action, _ := strings.Cut(r.Header.Get("X-Amz-Target"), "AmazonSSM.")
		if action != "GetParameter" && action != "GetParameters" {
			action = ""
		}
		return action, params
	})
}

// Answer implements cloud.Service.
func (p parameters) Answer(r *http.Request, body []byte) cloud.Answer {
	if strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".GetParameters") {
		return p.several(body)
	}
	var in ssm.GetParameterInput
	if err := json.Unmarshal(body, &in); err != nil {
		return refused("SerializationException")
	}
	found := p.parameter(aws.ToString(in.Name))
	if found == nil {
		return refused("ParameterNotFound")
	}
	out := ssm.GetParameterOutput{Parameter: found}
	return document(encode(ssmschemas.GetParameterResult, reflect.ValueOf(out)))
}

func (p parameters) several(body []byte) cloud.Answer {
	var in ssm.GetParametersInput
	if err := json.Unmarshal(body, &in); err != nil {
		return refused("SerializationException")
	}
	out := ssm.GetParametersOutput{InvalidParameters: []string{}, Parameters: []ssmtypes.Parameter{}}
	for _, name := range in.Names {
		if found := p.parameter(name); found != nil {
			out.Parameters = append(out.Parameters, *found)
		} else {
			out.InvalidParameters = append(out.InvalidParameters, name)
		}
	}
	return document(encode(ssmschemas.GetParametersResult, reflect.ValueOf(out)))
}

// refused is the answer with an error, in the older JSON protocol: the body has its code.
func refused(code string) cloud.Answer {
	return cloud.Refused(http.StatusBadRequest, code, map[string]any{"__type": code})
}

func document(members any) cloud.Answer {
	body, err := json.Marshal(members)
	if err != nil {
		panic(err) // strings, numbers, lists and maps of them
	}
	return cloud.Answer{Status: http.StatusOK, Body: body}
}

// parameter finds a release by the name of its parameter, nil for no such name.
func (p parameters) parameter(name string) *ssmtypes.Parameter {
	for _, r := range p.o.Releases {
		last, _ := p.release(r.Kubernetes, "")
		_, build, _ := strings.Cut(r.Version, "-")
		for folder, of := range map[string]Release{recommended: last, fmt.Sprintf(image, r.Kubernetes, build): r} {
			for key, value := range map[string]string{"release_version": of.Version, "image_id": of.AMI} {
				if name == fmt.Sprintf(released, r.Kubernetes, folder, key) {
					return &ssmtypes.Parameter{
						Name: aws.String(name), Value: aws.String(value), Type: ssmtypes.ParameterTypeString, DataType: aws.String("text"),
						ARN: aws.String("arn:aws:ssm:" + p.cloud.Region() + "::parameter" + name), Version: 1, LastModifiedDate: stamp(),
					}
				}
			}
		}
	}
	return nil
}
