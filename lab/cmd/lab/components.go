package main

import (
	"fmt"
	"net/url"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/embed"
	"k8s.io/component-base/cli"
	kubectl "k8s.io/kubectl/pkg/cmd"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"

	// JSON logging and the metrics that cli.Run's commands expect to find.
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"

	"github.com/drainboard/drainboard/lab/mcm"
)

// components are the parts of the control plane that this program can be. The
// launcher starts itself once for each, since every one of them owns its
// process: flags, feature gates and metrics are package variables in Kubernetes.
var components = map[string]func() int{
	"etcd":                       runEtcd,
	"kube-apiserver":             kubernetes(apiserver.NewAPIServerCommand),
	"kube-controller-manager":    kubernetes(controllers.NewControllerManagerCommand),
	"kube-scheduler":             kubernetes(func() *cobra.Command { return scheduler.NewSchedulerCommand() }),
	"machine-controller-manager": mcm.Main,
	"kubectl":                    kubernetes(kubectl.NewDefaultKubectlCommand),
}

// kubernetes runs a Kubernetes command as its own main function would; the
// process arguments are already cut to those of the component.
func kubernetes(command func() *cobra.Command) func() int {
	return func() int { return cli.Run(command()) }
}

// runEtcd serves a single etcd member without fsync: the lab's data need not
// survive the machine. Arguments: the data directory, the client URL and the
// peer URL.
func runEtcd() int {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: lab etcd DATA-DIR CLIENT-URL PEER-URL")
		return 2
	}
	if err := serveEtcd(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, "etcd:", err)
		return 1
	}
	return 0
}

func serveEtcd(dir, client, peer string) error {
	clientURL, err := url.Parse(client)
	if err != nil {
		return err
	}
	peerURL, err := url.Parse(peer)
	if err != nil {
		return err
	}
	config := embed.NewConfig()
	config.Dir = dir
	config.LogLevel = "warn"
	config.UnsafeNoFsync = true
	config.WarningUnaryRequestDuration = embed.DefaultWarningUnaryRequestDuration // else every request is logged
	config.ListenClientUrls, config.AdvertiseClientUrls = []url.URL{*clientURL}, []url.URL{*clientURL}
	config.ListenPeerUrls, config.AdvertisePeerUrls = []url.URL{*peerURL}, []url.URL{*peerURL}
	config.InitialCluster = config.InitialClusterFromName(config.Name)

	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGINT, syscall.SIGTERM)
	server, err := embed.StartEtcd(config)
	if err != nil {
		return err
	}
	defer server.Close()
	select {
	case <-stop:
		return nil
	case err := <-server.Err():
		return err
	}
}
