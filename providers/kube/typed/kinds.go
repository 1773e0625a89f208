package typed

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

// Groups are the clients of the API's groups.
type Groups struct {
	// Core is for requests to the core group that are no call of a Resource.
	Core                                                rest.Interface
	policy, coordination, authorization, authentication rest.Interface
}

// New makes the clients of a configuration, which share its limit of requests.
func New(cfg *rest.Config, client *http.Client) (*Groups, error) {
	cfg = rest.CopyConfig(cfg)
	if cfg.RateLimiter == nil && cfg.QPS > 0 {
		cfg.RateLimiter = flowcontrol.NewTokenBucketRateLimiter(cfg.QPS, cfg.Burst)
	}
	g := &Groups{}
	for _, of := range []struct {
		into    *rest.Interface
		path    string
		version schema.GroupVersion
	}{
		{&g.Core, "/api", corev1.SchemeGroupVersion},
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

// NewCore makes a client of the core group alone.
func NewCore(cfg *rest.Config, client *http.Client) (rest.Interface, error) {
	return newGroup(cfg, client, "/api", corev1.SchemeGroupVersion)
}

// newGroup makes the client of one group.
func newGroup(cfg *rest.Config, client *http.Client, path string, version schema.GroupVersion) (rest.Interface, error) {
	cfg = rest.CopyConfig(cfg)
	cfg.APIPath, cfg.GroupVersion = path, &version
	cfg.NegotiatedSerializer = rest.CodecFactoryForGeneratedClient(known, codecs).WithoutConversion()
	return rest.RESTClientForConfigAndClient(cfg, client)
}

// ConfigMaps are the ConfigMaps of a namespace.
func (g *Groups) ConfigMaps(namespace string) List[corev1.ConfigMap, *corev1.ConfigMap, corev1.ConfigMapList, *corev1.ConfigMapList] {
	return List[corev1.ConfigMap, *corev1.ConfigMap, corev1.ConfigMapList, *corev1.ConfigMapList]{Resource[corev1.ConfigMap, *corev1.ConfigMap]{g.Core, "configmaps", namespace}}
}

// Nodes are the nodes.
func (g *Groups) Nodes() List[corev1.Node, *corev1.Node, corev1.NodeList, *corev1.NodeList] {
	return List[corev1.Node, *corev1.Node, corev1.NodeList, *corev1.NodeList]{Resource[corev1.Node, *corev1.Node]{g.Core, "nodes", ""}}
}

// Pods are the pods of a namespace, "" for all.
func (g *Groups) Pods(namespace string) List[corev1.Pod, *corev1.Pod, corev1.PodList, *corev1.PodList] {
	return List[corev1.Pod, *corev1.Pod, corev1.PodList, *corev1.PodList]{Resource[corev1.Pod, *corev1.Pod]{g.Core, "pods", namespace}}
}

// Events are the Events of a namespace.
func (g *Groups) Events(namespace string) Resource[corev1.Event, *corev1.Event] {
	return Resource[corev1.Event, *corev1.Event]{g.Core, "events", namespace}
}

// Namespaces are the namespaces.
func (g *Groups) Namespaces() Resource[corev1.Namespace, *corev1.Namespace] {
	return Resource[corev1.Namespace, *corev1.Namespace]{g.Core, "namespaces", ""}
}

// Budgets are the PodDisruptionBudgets of all namespaces.
func (g *Groups) Budgets() List[policyv1.PodDisruptionBudget, *policyv1.PodDisruptionBudget, policyv1.PodDisruptionBudgetList, *policyv1.PodDisruptionBudgetList] {
	return List[policyv1.PodDisruptionBudget, *policyv1.PodDisruptionBudget, policyv1.PodDisruptionBudgetList, *policyv1.PodDisruptionBudgetList]{
		Resource[policyv1.PodDisruptionBudget, *policyv1.PodDisruptionBudget]{g.policy, "poddisruptionbudgets", metav1.NamespaceAll},
	}
}

// Leases are the Leases of a namespace.
func (g *Groups) Leases(namespace string) Resource[coordinationv1.Lease, *coordinationv1.Lease] {
	return Resource[coordinationv1.Lease, *coordinationv1.Lease]{g.coordination, "leases", namespace}
}

// AccessReviews are questions whether this user has one right.
func (g *Groups) AccessReviews() Resource[authv1.SelfSubjectAccessReview, *authv1.SelfSubjectAccessReview] {
	return Resource[authv1.SelfSubjectAccessReview, *authv1.SelfSubjectAccessReview]{g.authorization, "selfsubjectaccessreviews", ""}
}

// RulesReviews are questions which rules apply to this user in one namespace.
func (g *Groups) RulesReviews() Resource[authv1.SelfSubjectRulesReview, *authv1.SelfSubjectRulesReview] {
	return Resource[authv1.SelfSubjectRulesReview, *authv1.SelfSubjectRulesReview]{g.authorization, "selfsubjectrulesreviews", ""}
}

// SelfReviews are questions who this user is.
func (g *Groups) SelfReviews() Resource[authenticationv1.SelfSubjectReview, *authenticationv1.SelfSubjectReview] {
	return Resource[authenticationv1.SelfSubjectReview, *authenticationv1.SelfSubjectReview]{g.authentication, "selfsubjectreviews", ""}
}
