package lab

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/drainboard/drainboard/lab/try"
)

// authorizationFile configures who decides what users may do. The API server reads it again
// when it changes.
const authorizationFile = "authorization.yaml"

// onlyRBAC is that file while RBAC alone decides.
const onlyRBAC = `apiVersion: apiserver.config.k8s.io/v1
kind: AuthorizationConfiguration
authorizers:
- {type: RBAC, name: rbac}
`

// rbacAfter is that file while a webhook decides about one user before RBAC does.
const rbacAfter = `apiVersion: apiserver.config.k8s.io/v1
kind: AuthorizationConfiguration
authorizers:
- type: Webhook
  name: webhook
  webhook:
    timeout: 10s
    authorizedTTL: 1s
    cacheAuthorizedRequests: false
    unauthorizedTTL: 1s
    cacheUnauthorizedRequests: false
    subjectAccessReviewVersion: v1
    matchConditionSubjectAccessReviewVersion: v1
    failurePolicy: NoOpinion
    connectionInfo: {type: KubeConfigFile, kubeConfigFile: %q}
    matchConditions:
    - expression: request.user == '%s'
- {type: RBAC, name: rbac}
`

// A Verdict is what an authorizer says to a request.
type Verdict int

// Verdicts. Without an opinion RBAC decides.
const (
	NoOpinion Verdict = iota
	Allowed
	Denied
)

// An Authorizer says what a user may do to resources. It may be asked by several requests at
// the same time.
type Authorizer func(authorizationv1.ResourceAttributes) Verdict

// probed is a verb that only the lab asks about, to see whether its webhook is asked.
const probed = "lab-probe"

// AuthorizeBy has a webhook authorizer decide about one user, before RBAC, and returns when it
// does; end has RBAC decide alone again. There is one at a time. While it is there no review of
// a user's rules is complete, for every caller.
func (l *Lab) AuthorizeBy(ctx context.Context, user string, may Authorizer) (end func(), err error) {
	ca, cert, key, err := servingCertificate()
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return nil, err
	}
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{pair}})
	if err != nil {
		return nil, err
	}
	server := &http.Server{Handler: may, ErrorLog: log.New(io.Discard, "", 0)}
	go server.Serve(listener)
	end = func() {
		_ = os.WriteFile(l.path(authorizationFile), []byte(onlyRBAC), 0o600)
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), startTimeout)
		defer cancel()
		_ = l.waitAuthorizer(ending, user, false)
		_ = server.Close()
	}
	if err = l.authorizeAt(ctx, user, listener.Addr(), ca); err != nil {
		end()
		return nil, fmt.Errorf("authorize %s by a webhook: %w", user, err)
	}
	return end, nil
}

// authorizeAt has the API server ask the webhook at an address, and waits until it does.
func (l *Lab) authorizeAt(ctx context.Context, user string, at net.Addr, ca []byte) error {
	config := clientcmdapi.NewConfig()
	config.Clusters["webhook"] = &clientcmdapi.Cluster{Server: "https://" + at.String(), CertificateAuthorityData: ca}
	config.Contexts["webhook"] = &clientcmdapi.Context{Cluster: "webhook"}
	config.CurrentContext = "webhook"
	path := l.path("authorizer.kubeconfig")
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		return err
	}
	if err := os.WriteFile(l.path(authorizationFile), fmt.Appendf(nil, rbacAfter, path, user), 0o600); err != nil {
		return err
	}
	return l.waitAuthorizer(ctx, user, true)
}

// waitAuthorizer waits until the webhook decides about a user, or does not.
func (l *Lab) waitAuthorizer(ctx context.Context, user string, asked bool) error {
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User: user, ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: probed, Resource: "lab"},
	}}
	return try.Until(ctx, 50*time.Millisecond, func() (bool, error) {
		got, err := l.client.AuthorizationV1().SubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
		if err != nil {
			return false, err
		}
		return got.Status.Allowed == asked, nil
	})
}

// ServeHTTP answers the API server.
func (may Authorizer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var review authorizationv1.SubjectAccessReview
	if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if a := review.Spec.ResourceAttributes; a != nil {
		verdict := Allowed
		if a.Verb != probed {
			verdict = may(*a)
		}
		review.Status.Allowed, review.Status.Denied = verdict == Allowed, verdict == Denied
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(review)
}
