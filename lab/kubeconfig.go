package lab

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Rights are what a restricted user may do: rules for the whole cluster, and
// rules for single namespaces by name (which are made if missing).
type Rights struct {
	Cluster    []rbacv1.PolicyRule
	Namespaces map[string][]rbacv1.PolicyRule
}

// KubeconfigFor makes a user with just these rights and returns the path of its
// kubeconfig. The user is a ServiceAccount in the namespace default, so the
// audit log names it "system:serviceaccount:default:NAME". The name must be new.
// The user has a Line of its own.
func (l *Lab) KubeconfigFor(ctx context.Context, name string, rights Rights) (string, error) {
	path, err := l.restrictedUser(ctx, name, rights)
	if err != nil {
		return "", fmt.Errorf("make user %s: %w", name, err)
	}
	return path, nil
}

func (l *Lab) restrictedUser(ctx context.Context, name string, rights Rights) (string, error) {
	const home = corev1.NamespaceDefault
	meta := metav1.ObjectMeta{Name: name}
	accounts := l.client.CoreV1().ServiceAccounts(home)
	if _, err := accounts.Create(ctx, &corev1.ServiceAccount{ObjectMeta: meta}, metav1.CreateOptions{}); err != nil {
		return "", err
	}
	subjects := []rbacv1.Subject{{Kind: "ServiceAccount", Name: name, Namespace: home}}
	rbac := l.client.RbacV1()
	if len(rights.Cluster) > 0 {
		if _, err := rbac.ClusterRoles().Create(ctx, &rbacv1.ClusterRole{ObjectMeta: meta, Rules: rights.Cluster}, metav1.CreateOptions{}); err != nil {
			return "", err
		}
		binding := &rbacv1.ClusterRoleBinding{ObjectMeta: meta, Subjects: subjects,
			RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name}}
		if _, err := rbac.ClusterRoleBindings().Create(ctx, binding, metav1.CreateOptions{}); err != nil {
			return "", err
		}
	}
	for namespace, rules := range rights.Namespaces {
		if err := l.ensureNamespace(ctx, namespace); err != nil {
			return "", err
		}
		if _, err := rbac.Roles(namespace).Create(ctx, &rbacv1.Role{ObjectMeta: meta, Rules: rules}, metav1.CreateOptions{}); err != nil {
			return "", err
		}
		binding := &rbacv1.RoleBinding{ObjectMeta: meta, Subjects: subjects,
			RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: name}}
		if _, err := rbac.RoleBindings(namespace).Create(ctx, binding, metav1.CreateOptions{}); err != nil {
			return "", err
		}
	}
	token, err := accounts.CreateToken(ctx, name, &authenticationv1.TokenRequest{
		Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: new(int64(24 * 3600))},
	}, metav1.CreateOptions{})
	if err != nil {
		return "", err
	}
	server, err := l.lay(name)
	if err != nil {
		return "", err
	}
	path := l.path("user-" + name + ".kubeconfig")
	return path, l.writeKubeconfig(path, server, name, token.Status.Token)
}

// WriteKubeconfig writes a kubeconfig for the lab's API server with any token,
// such as one that the server does not know.
func (l *Lab) WriteKubeconfig(path, token string) error {
	return l.writeKubeconfig(path, l.server, "custom", token)
}

func (l *Lab) writeKubeconfig(path, server, user, token string) error {
	config := clientcmdapi.NewConfig()
	config.Clusters["lab"] = &clientcmdapi.Cluster{Server: server, CertificateAuthorityData: l.ca}
	config.AuthInfos[user] = &clientcmdapi.AuthInfo{Token: token}
	config.Contexts["lab"] = &clientcmdapi.Context{Cluster: "lab", AuthInfo: user}
	config.CurrentContext = "lab"
	return clientcmd.WriteToFile(*config, path)
}

func randomToken() string {
	token := make([]byte, 16)
	_, _ = rand.Read(token) // never fails
	return hex.EncodeToString(token)
}

// servingCertificate makes the API server's certificate for the loopback
// address. It signs itself, so it is its own authority; its key also signs
// service account tokens. All PEM.
func servingCertificate() (ca, cert, key []byte, err error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, nil, err
	}
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(time.Now().UnixNano()),
		Subject:               pkix.Name{CommonName: "drainboard-lab"},
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().Add(30 * 24 * time.Hour),
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		IsCA:                  true,
		BasicConstraintsValid: true,
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1)},
		DNSNames:              []string{"localhost"},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		return nil, nil, nil, err
	}
	keyDER, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		return nil, nil, nil, err
	}
	cert = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	key = pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: keyDER})
	return cert, cert, key, nil
}
