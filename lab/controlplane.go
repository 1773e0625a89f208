package lab

import (
	_ "embed"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/drainboard/drainboard/lab/gardener"
	"github.com/drainboard/drainboard/lab/kwok"
	"github.com/drainboard/drainboard/lab/machines"
	"github.com/drainboard/drainboard/lab/process"
)

//go:embed audit-policy.yaml
var auditPolicy []byte

// Component names, as Lab.Process takes them.
const (
	Etcd              = "etcd"
	APIServer         = "kube-apiserver"
	ControllerManager = "kube-controller-manager"
	Scheduler         = "kube-scheduler"
	Kwok              = "kwok"
)

// controllers are those that the lab runs: what a drain needs to be real.
// Without the cloud's: the lab takes the node of a terminated instance away.
var controllers = []string{
	"daemonset-controller", "deployment-controller", "disruption-controller", "endpointslice-controller",
	"garbage-collector-controller", "job-controller", "namespace-controller",
	"node-lifecycle-controller", "pod-garbage-collector-controller",
	"replicaset-controller", "root-ca-certificate-publisher-controller",
	"serviceaccount-controller", "statefulset-controller", "taint-eviction-controller",
}

// users of the static tokens. Only the first is for people and tests; each part
// of the lab has a name of its own so that the audit log tells them apart.
var users = []string{"admin", "lab", ControllerManager, Scheduler, Kwok, gardener.MachineControllerManager}

// controlPlane writes the configuration of every component to the lab's
// directory and returns the processes, none started.
func (l *Lab) controlPlane() (map[string]*process.Process, error) {
	ports, err := freePorts(4)
	if err != nil {
		return nil, err
	}
	if l.options.APIPort == 0 {
		l.options.APIPort = ports[2]
	}
	l.server = fmt.Sprintf("https://127.0.0.1:%d", l.options.APIPort)
	l.kubelet = ports[3]
	etcdURL, peerURL := fmt.Sprintf("http://127.0.0.1:%d", ports[0]), fmt.Sprintf("http://127.0.0.1:%d", ports[1])

	ca, cert, key, err := servingCertificate()
	if err != nil {
		return nil, err
	}
	l.ca, l.tokens = ca, map[string]string{}
	var tokens strings.Builder
	for _, user := range users {
		l.tokens[user] = randomToken()
		fmt.Fprintf(&tokens, "%s,%s,%s,system:masters\n", l.tokens[user], user, user)
	}
	files := map[string][]byte{
		"log-now":           kwok.ContainerLog(kwok.LogNow),
		"log-before":        kwok.ContainerLog(kwok.LogBefore),
		"tls.crt":           cert,
		"tls.key":           key,
		"tokens.csv":        []byte(tokens.String()),
		"audit-policy.yaml": auditPolicy,
		"kwok.yaml":         kwok.Config(l.options.Times.PodReady, l.options.Times.PodStop, l.path("log-now"), l.path("log-before")),
		authorizationFile:   []byte(onlyRBAC),
		"scheduler.yaml": fmt.Appendf(nil, `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
clientConnection: {kubeconfig: %q, qps: 500, burst: 1000}
leaderElection: {leaderElect: false}
`, l.path(Scheduler+".kubeconfig")),
	}
	for name, data := range files {
		if err := os.WriteFile(l.path(name), data, 0o600); err != nil {
			return nil, err
		}
	}
	for _, user := range users {
		server := l.server
		if user == "admin" {
			if server, err = l.lay(user); err != nil {
				return nil, err
			}
		}
		if err := l.writeKubeconfig(l.path(user+".kubeconfig"), server, user, l.tokens[user]); err != nil {
			return nil, err
		}
	}

	program, kwokProgram := filepath.Join(l.options.BinDir, "lab"), filepath.Join(l.options.BinDir, Kwok)
	processes := map[string]*process.Process{}
	add := func(name string, args ...string) {
		processes[name] = process.New(name, l.path(name+".log"), args...)
	}
	add(Etcd, program, Etcd, l.path("etcd"), etcdURL, peerURL)
	add(APIServer, program, APIServer,
		"--etcd-servers="+etcdURL,
		"--bind-address=127.0.0.1",
		"--advertise-address=127.0.0.1",
		"--secure-port="+strconv.Itoa(l.options.APIPort),
		"--cert-dir="+l.path("apiserver"),
		"--tls-cert-file="+l.path("tls.crt"),
		"--tls-private-key-file="+l.path("tls.key"),
		"--service-cluster-ip-range=10.0.0.0/16",
		"--service-account-issuer="+l.server,
		"--service-account-key-file="+l.path("tls.key"),
		"--service-account-signing-key-file="+l.path("tls.key"),
		"--token-auth-file="+l.path("tokens.csv"),
		"--authorization-config="+l.path(authorizationFile),
		"--endpoint-reconciler-type=none",
		"--kubelet-preferred-address-types="+string(machines.KubeletAddress),
		"--profiling=false",
		"--audit-policy-file="+l.path("audit-policy.yaml"),
		"--audit-log-path="+l.options.AuditLog,
		"--audit-log-maxsize=4096", // megabytes: never rotated
	)
	add(ControllerManager, program, ControllerManager,
		"--kubeconfig="+l.path(ControllerManager+".kubeconfig"),
		"--leader-elect=false",
		"--secure-port=0",
		"--controllers="+strings.Join(controllers, ","),
		"--kube-api-qps=500", "--kube-api-burst=1000",
		// A node that turned Ready loses its taints with the next look at it.
		"--node-monitor-period=1s",
		"--node-monitor-grace-period="+l.options.Times.NodeGrace.String(),
		// For the publisher of the ConfigMap that every pod mounts.
		"--root-ca-file="+l.path("tls.crt"),
	)
	add(Scheduler, program, Scheduler,
		"--config="+l.path("scheduler.yaml"),
		"--secure-port=0",
	)
	add(Kwok, kwokProgram,
		"--kubeconfig="+l.path(Kwok+".kubeconfig"),
		"--config="+l.path("kwok.yaml"),
		"--server-address=127.0.0.1:"+strconv.Itoa(l.kubelet),
		"--tls-cert-file="+l.path("tls.crt"),
		"--tls-private-key-file="+l.path("tls.key"),
	)
	return processes, nil
}

// freePorts returns n different free TCP ports of the loopback interface.
func freePorts(n int) ([]int, error) {
	var ports []int
	for range n {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer listener.Close() // only at the end, so that all differ
		ports = append(ports, listener.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}
