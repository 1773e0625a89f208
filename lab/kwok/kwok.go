// Package kwok is what the fake kubelets of a lab, which are KWOK's, are told: their configuration,
// the annotations of nodes and pods by which one of them behaves otherwise, and what containers log.
package kwok

import (
	"bytes"
	_ "embed"
	"fmt"
	"strconv"
	"time"
)

// Annotations that the fake kubelets heed (kwok.yaml), the first two with a Go duration as
// value. Ready-after also takes "never".
const (
	ReadyAfter = "lab.drainboard.dev/ready-after" // nodes and pods: time to Ready
	StopAfter  = "lab.drainboard.dev/stop-after"  // pods: time from deletion to gone
	Unready    = "lab.drainboard.dev/unready"     // pods that are not called Ready
)

//go:embed kwok.yaml
var template []byte

// Config is the configuration of KWOK, in YAML: how long pods take from scheduled to Ready and from
// deletion to gone, and the paths of the files that are the logs of containers and of those before them.
func Config(podReady, podStop time.Duration, logNow, logBefore string) []byte {
	config := bytes.ReplaceAll(template, []byte("POD_READY_MILLISECONDS"), milliseconds(podReady))
	config = bytes.ReplaceAll(config, []byte("POD_STOP_MILLISECONDS"), milliseconds(podStop))
	config = bytes.ReplaceAll(config, []byte("POD_LOG_NOW"), []byte(logNow))
	return bytes.ReplaceAll(config, []byte("POD_LOG_BEFORE"), []byte(logBefore))
}

func milliseconds(d time.Duration) []byte {
	return strconv.AppendInt(nil, d.Milliseconds(), 10)
}

// LogNow and LogBefore are what every container has written, and what the one before it had that ended.
var (
	LogNow    = []string{"listening on :8080", "ready"}
	LogBefore = []string{"reading /etc/checkout/config.yaml", "panic: runtime error: index out of range [3] with length 3", "goroutine 1 [running]:"}
)

// ContainerLog is a log as container runtimes write it.
func ContainerLog(lines []string) (out []byte) {
	for _, line := range lines {
		out = fmt.Appendf(out, "%s stderr F %s\n", time.Now().UTC().Format(time.RFC3339Nano), line)
	}
	return out
}
