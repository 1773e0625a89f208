package lab

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/drainboard/drainboard/lab/cloud"
	"github.com/drainboard/drainboard/lab/machines"
	"github.com/drainboard/drainboard/lab/programs"
)

// Options configure a lab. The zero value is a working lab.
type Options struct {
	// Dir holds all state and logs. Empty: a new temporary directory, removed by
	// Stop. Otherwise it must not be in use by another lab, and it stays.
	Dir string
	// BinDir holds the programs lab and kwok (see package programs). Empty: bin/ of the
	// Drainboard repository that the working directory is in.
	BinDir string
	// APIPort is the API server's port on the loopback interface. 0: a free one.
	APIPort int
	// AuditLog is the file of the API server's audit log. Empty: Dir/audit.log.
	AuditLog string
	Times    Times
	// Images says what boots from an AMI. Those of DefaultImages are always known.
	Images map[string]machines.Image
	// Machines gives the allocatable resources of an instance type, beside those
	// of DefaultMachines.
	Machines map[string]machines.Offer
	// Cloud configures the AWS endpoint. Region and Zones have defaults; Boot and
	// Terminate are those of Times unless set.
	Cloud cloud.Options
	// Log takes a line for each thing that the lab does. nil: silent.
	Log io.Writer
}

// TemporaryDir is the pattern of the directories that labs without one make.
const TemporaryDir = "drainboard-lab-*"

// Times of machines and pods. Zero means the default; a nanosecond means none.
type Times struct {
	Boot      time.Duration // from an instance's launch to its Node; default 1 s
	Ready     time.Duration // from the Node to its being Ready; default 0.5 s
	Terminate time.Duration // from an instance's shutdown to the end of its Node; default 0.5 s
	PodReady  time.Duration // from scheduled to Ready; default 0.3 s
	PodStop   time.Duration // from deletion to gone, whatever the grace period; default 0.3 s
	// NodeGrace is how long a kubelet may be silent (Lab.Silence) before its node
	// is Unknown, in whole seconds; default 50 s, as in Kubernetes. Kubelets show
	// a sign of life every 10 s.
	NodeGrace time.Duration
}

func (t Times) withDefaults() Times {
	set := func(d *time.Duration, to time.Duration) {
		if *d == 0 {
			*d = to
		}
	}
	set(&t.Boot, time.Second)
	set(&t.Ready, 500*time.Millisecond)
	set(&t.Terminate, 500*time.Millisecond)
	set(&t.PodReady, 300*time.Millisecond)
	set(&t.PodStop, 300*time.Millisecond)
	set(&t.NodeGrace, 50*time.Second)
	return t
}

// prepare fills in the options and makes the directory.
func (l *Lab) prepare() error {
	o := &l.options
	o.Times = o.Times.withDefaults()
	if o.BinDir == "" {
		root, err := programs.Repository()
		if err != nil {
			return err
		}
		o.BinDir = filepath.Join(root, "bin")
	}
	for _, program := range []string{"lab", Kwok} {
		if _, err := os.Stat(filepath.Join(o.BinDir, program)); err != nil {
			return fmt.Errorf("program missing, build it first: %w", err)
		}
	}
	var err error
	if o.Dir == "" {
		if o.Dir, err = os.MkdirTemp("", TemporaryDir); err != nil {
			return err
		}
		l.temporary = true
	}
	if o.Dir, err = filepath.Abs(o.Dir); err != nil {
		return err
	}
	if o.BinDir, err = filepath.Abs(o.BinDir); err != nil {
		return err
	}
	if o.AuditLog == "" {
		o.AuditLog = filepath.Join(o.Dir, "audit.log")
	}
	if o.AuditLog, err = filepath.Abs(o.AuditLog); err != nil {
		return err
	}
	if o.Cloud.Region == "" {
		o.Cloud.Region = "eu-west-1"
	}
	if len(o.Cloud.Zones) == 0 {
		o.Cloud.Zones = Zones(o.Cloud.Region, 3)
	}
	if o.Cloud.Boot == 0 {
		o.Cloud.Boot = o.Times.Boot
	}
	if o.Cloud.Terminate == 0 {
		o.Cloud.Terminate = o.Times.Terminate
	}
	// A directory may be used again, but a lab always starts empty.
	for _, old := range []string{l.path(Etcd), o.AuditLog, l.path("env"), l.path(controlFile)} {
		if err := os.RemoveAll(old); err != nil {
			return err
		}
	}
	return os.MkdirAll(o.Dir, 0o700)
}

// Zones returns the names of the first n zones of a region: eu-west-1a, ...
func Zones(region string, n int) []string {
	var zones []string
	for i := range n {
		zones = append(zones, region+string(rune('a'+i)))
	}
	return zones
}
