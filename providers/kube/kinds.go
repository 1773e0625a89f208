package kube

import (
	"net/http"

	authenticationv1 "k8s.io/api/authentication/v1"
	authv1 "k8s.io/api/authorization/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/flowcontrol"
)

// The kinds that are read and changed as typed objects have a scheme of their own.
// client-go's clientset registers every kind of Kubernetes, and the linker keeps their
// methods: a fifth of the program, and as much of its memory at the start.
var (
	known      = newScheme()
	codecs     = serializer.NewCodecFactory(known)
	parameters = runtime.NewParameterCodec(known)
)

func newScheme() *runtime.Scheme {
	s := runtime.NewScheme()
	metav1.AddToGroupVersion(s, schema.GroupVersion{Version: "v1"})
	for _, g := range []struct {
		version schema.GroupVersion
		kinds   []runtime.Object
	}{
		{corev1.SchemeGroupVersion, []runtime.Object{
			&corev1.ConfigMap{}, &corev1.ConfigMapList{}, &corev1.Event{}, &corev1.Namespace{},
			&corev1.Node{}, &corev1.NodeList{}, &corev1.Pod{}, &corev1.PodList{},
		}},
		{policyv1.SchemeGroupVersion, []runtime.Object{&policyv1.PodDisruptionBudget{}, &policyv1.PodDisruptionBudgetList{}, &policyv1.Eviction{}}},
		{coordinationv1.SchemeGroupVersion, []runtime.Object{&coordinationv1.Lease{}}},
		{authv1.SchemeGroupVersion, []runtime.Object{&authv1.SelfSubjectAccessReview{}, &authv1.SelfSubjectRulesReview{}}},
		{authenticationv1.SchemeGroupVersion, []runtime.Object{&authenticationv1.SelfSubjectReview{}}},
	} {
		s.AddKnownTypes(g.version, g.kinds...)
		metav1.AddToGroupVersion(s, g.version)
	}
	return s
}

// groups are the clients of the API's groups.
type groups struct{ core, policy, coordination, authorization, authentication rest.Interface }

// newGroups makes the clients of a configuration, which share its limit of requests.
func newGroups(cfg *rest.Config, client *http.Client) (*groups, error) {
	cfg = rest.CopyConfig(cfg)
	if cfg.RateLimiter == nil && cfg.QPS > 0 {
		cfg.RateLimiter = flowcontrol.NewTokenBucketRateLimiter(cfg.QPS, cfg.Burst)
	}
	g := &groups{}
	for _, of := range []struct {
		into    *rest.Interface
		path    string
		version schema.GroupVersion
	}{
		{&g.core, "/api", corev1.SchemeGroupVersion},
		{&g.policy, "/apis", policyv1.SchemeGroupVersion},
		{&g.coordination, "/apis", coordinationv1.SchemeGroupVersion},
		{&g.authorization, "/apis", authv1.SchemeGroupVersion},
		{&g.authentication, "/apis", authenticationv1.SchemeGroupVersion},
	} {
		c, err := newGroup(cfg, client, of.path, of.version)
		if err != nil {
			return nil, err
		}
		*of.into = c
	}
	return g, nil
}

// newGroup makes the client of one group.
func newGroup(cfg *rest.Config, client *http.Client, path string, version schema.GroupVersion) (rest.Interface, error) {
	cfg = rest.CopyConfig(cfg)
	cfg.APIPath, cfg.GroupVersion = path, &version
	cfg.NegotiatedSerializer = rest.CodecFactoryForGeneratedClient(known, codecs).WithoutConversion()
	return rest.RESTClientForConfigAndClient(cfg, client)
}

func (g *groups) configMaps(namespace string) list[corev1.ConfigMap, *corev1.ConfigMap, corev1.ConfigMapList, *corev1.ConfigMapList] {
	return list[corev1.ConfigMap, *corev1.ConfigMap, corev1.ConfigMapList, *corev1.ConfigMapList]{resource[corev1.ConfigMap, *corev1.ConfigMap]{g.core, "configmaps", namespace}}
}

func (g *groups) nodes() list[corev1.Node, *corev1.Node, corev1.NodeList, *corev1.NodeList] {
	return list[corev1.Node, *corev1.Node, corev1.NodeList, *corev1.NodeList]{resource[corev1.Node, *corev1.Node]{g.core, "nodes", ""}}
}

func (g *groups) pods(namespace string) list[corev1.Pod, *corev1.Pod, corev1.PodList, *corev1.PodList] {
	return list[corev1.Pod, *corev1.Pod, corev1.PodList, *corev1.PodList]{resource[corev1.Pod, *corev1.Pod]{g.core, "pods", namespace}}
}

func (g *groups) events(namespace string) resource[corev1.Event, *corev1.Event] {
	return resource[corev1.Event, *corev1.Event]{g.core, "events", namespace}
}

func (g *groups) namespaces() resource[corev1.Namespace, *corev1.Namespace] {
	return resource[corev1.Namespace, *corev1.Namespace]{g.core, "namespaces", ""}
}

func (g *groups) budgets() list[policyv1.PodDisruptionBudget, *policyv1.PodDisruptionBudget, policyv1.PodDisruptionBudgetList, *policyv1.PodDisruptionBudgetList] {
	return list[policyv1.PodDisruptionBudget, *policyv1.PodDisruptionBudget, policyv1.PodDisruptionBudgetList, *policyv1.PodDisruptionBudgetList]{
		resource[policyv1.PodDisruptionBudget, *policyv1.PodDisruptionBudget]{g.policy, "poddisruptionbudgets", metav1.NamespaceAll},
	}
}

func (g *groups) leases(namespace string) resource[coordinationv1.Lease, *coordinationv1.Lease] {
	return resource[coordinationv1.Lease, *coordinationv1.Lease]{g.coordination, "leases", namespace}
}

func (g *groups) accessReviews() resource[authv1.SelfSubjectAccessReview, *authv1.SelfSubjectAccessReview] {
	return resource[authv1.SelfSubjectAccessReview, *authv1.SelfSubjectAccessReview]{g.authorization, "selfsubjectaccessreviews", ""}
}

func (g *groups) rulesReviews() resource[authv1.SelfSubjectRulesReview, *authv1.SelfSubjectRulesReview] {
	return resource[authv1.SelfSubjectRulesReview, *authv1.SelfSubjectRulesReview]{g.authorization, "selfsubjectrulesreviews", ""}
}

func (g *groups) selfReviews() resource[authenticationv1.SelfSubjectReview, *authenticationv1.SelfSubjectReview] {
	return resource[authenticationv1.SelfSubjectReview, *authenticationv1.SelfSubjectReview]{g.authentication, "selfsubjectreviews", ""}
}
