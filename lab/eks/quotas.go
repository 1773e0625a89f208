package eks

import (
	"encoding/json"
	"net/http"
	"net/url"
	"reflect"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/servicequotas"
	quotaschemas "github.com/aws/aws-sdk-go-v2/service/servicequotas/schemas"
	quotatypes "github.com/aws/aws-sdk-go-v2/service/servicequotas/types"

	"github.com/drainboard/drainboard/lab/cloud"
)

// quotas is the part of Service Quotas that tells how many vCPUs an account may run (EC2 user guide, "EC2
// service quotas"). It lists in pages of two.
type quotas struct{ *Service }

func init() {
	cloud.Speak(quotasName, func(r *http.Request, body []byte) (string, url.Values) {
		params := url.Values{}
		for name, value := range object(body) {
			params.Set(name, string(value))
		}
		_, action, _ := strings.Cut(r.Header.Get("X-Amz-Target"), "ServiceQuotasV20190624.")
		if action != "ListServiceQuotas" {
			action = ""
		}
		return action, params
	})
}

// Answer implements cloud.Service.
func (q quotas) Answer(_ *http.Request, body []byte) cloud.Answer {
	var in servicequotas.ListServiceQuotasInput
	if err := json.Unmarshal(body, &in); err != nil {
		return refused("SerializationException")
	}
	if aws.ToString(in.ServiceCode) != "ec2" {
		return refused("NoSuchResourceException")
	}
	some, next, p := page(q.list(), aws.Int32(2), in.NextToken)
	if p != nil {
		return refused("InvalidPaginationTokenException")
	}
	return document(encode(quotaschemas.ListServiceQuotasResponse, reflect.ValueOf(servicequotas.ListServiceQuotasOutput{Quotas: some, NextToken: next})))
}

func (q quotas) list() (all []quotatypes.ServiceQuota) {
	for _, is := range []struct {
		name, code string
		value      float64
		unit       string
	}{
		{"EC2-VPC Elastic IPs", "L-0263D0A3", 5, "None"},
		{"All Standard (A, C, D, H, I, M, R, T, Z) Spot Instance Requests", "L-34B43A08", 640, "None"},
		{"Running On-Demand G and VT instances", "L-DB2E81BA", 64, "None"},
		{"Running On-Demand Standard (A, C, D, H, I, M, R, T, Z) instances", "L-1216C47A", float64(q.cloud.Quota()), "None"},
	} {
		all = append(all, quotatypes.ServiceQuota{
			ServiceCode: aws.String("ec2"), ServiceName: aws.String("Amazon Elastic Compute Cloud (Amazon EC2)"), QuotaName: aws.String(is.name), QuotaCode: aws.String(is.code),
			Value: aws.Float64(is.value), Unit: aws.String(is.unit), Adjustable: true,
		})
	}
	return all
}
