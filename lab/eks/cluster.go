package eks

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/eks"
	"github.com/aws/aws-sdk-go-v2/service/eks/types"

	"github.com/drainboard/drainboard/lab/cloud/access"
)

// arn is that of something of the service's, such as cluster/lab.
func (s *Service) arn(what string) *string {
	return aws.String(fmt.Sprintf("arn:aws:eks:%s:%s:%s", s.cloud.Region(), access.Account, what))
}

// known is an error unless the cluster is the service's one.
func (s *Service) known(cluster *string) *problem {
	if aws.ToString(cluster) == s.o.Cluster {
		return nil
	}
	return notFound(nil, "No cluster found for name: %s.", aws.ToString(cluster))
}

func (s *Service) describeCluster(in *eks.DescribeClusterInput) (*eks.DescribeClusterOutput, *problem) {
	if p := s.known(in.Name); p != nil {
		return nil, p
	}
	return &eks.DescribeClusterOutput{Cluster: &types.Cluster{
		Name: in.Name, Arn: s.arn("cluster/" + s.o.Cluster), Version: aws.String(s.o.Version),
		Status: types.ClusterStatusActive, PlatformVersion: aws.String("eks.1"),
		Health: &types.ClusterHealth{Issues: []types.ClusterIssue{}}, Tags: map[string]string{},
	}}, nil
}

// page cuts a page out of a list; a token is the index of the next item.
func page[T any](items []T, size *int32, token *string) ([]T, *string, *problem) {
	from := 0
	if token != nil {
		var err error
		if from, err = strconv.Atoi(*token); err != nil || from < 0 || from > len(items) {
			return nil, nil, invalidParameter("Invalid nextToken")
		}
	}
	limit := 100
	if size != nil {
		if limit = int(*size); limit < 1 || limit > 100 {
			return nil, nil, invalidParameter("maxResults must be between 1 and 100")
		}
	}
	to := min(from+limit, len(items))
	if to < len(items) {
		return items[from:to], aws.String(strconv.Itoa(to)), nil
	}
	return items[from:to], nil, nil
}

// admits reports whether an insight passes a filter.
func admits(f *types.InsightsFilter, i types.Insight) bool {
	if f == nil {
		return true
	}
	return (len(f.Categories) == 0 || slices.Contains(f.Categories, i.Category)) &&
		(len(f.KubernetesVersions) == 0 || slices.Contains(f.KubernetesVersions, aws.ToString(i.KubernetesVersion))) &&
		(len(f.Statuses) == 0 || i.InsightStatus != nil && slices.Contains(f.Statuses, i.InsightStatus.Status))
}

func (s *Service) listInsights(in *eks.ListInsightsInput) (*eks.ListInsightsOutput, *problem) {
	if p := s.known(in.ClusterName); p != nil {
		return nil, p
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	all := []types.InsightSummary{}
	for _, i := range s.insights {
		if admits(in.Filter, i) {
			all = append(all, types.InsightSummary{Id: i.Id, Name: i.Name, Category: i.Category, Description: i.Description,
				InsightStatus: i.InsightStatus, KubernetesVersion: i.KubernetesVersion,
				LastRefreshTime: i.LastRefreshTime, LastTransitionTime: i.LastTransitionTime})
		}
	}
	some, next, p := page(all, in.MaxResults, in.NextToken)
	return &eks.ListInsightsOutput{Insights: some, NextToken: next}, p
}

func (s *Service) describeInsight(in *eks.DescribeInsightInput) (*eks.DescribeInsightOutput, *problem) {
	if p := s.known(in.ClusterName); p != nil {
		return nil, p
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, i := range s.insights {
		if aws.ToString(i.Id) == aws.ToString(in.Id) {
			return &eks.DescribeInsightOutput{Insight: &i}, nil
		}
	}
	return nil, notFound(nil, "No insight found for id: %s.", aws.ToString(in.Id))
}

// release finds an AMI release of a Kubernetes version, without its name the recommended
// one.
func (s *Service) release(kubernetes, version string) (Release, bool) {
	for _, r := range slices.Backward(s.o.Releases) {
		if r.Kubernetes == kubernetes && (version == "" || r.Version == version) {
			return r, true
		}
	}
	return Release{}, false
}

// stamp is now as the API tells times: to the millisecond.
func stamp() *time.Time { return aws.Time(time.Now().Truncate(time.Millisecond)) }
