package driver

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/metrics"
)

// lastMetrics are where a run's metrics go when the process ends, for runs that no Prometheus
// scrapes: a Pushgateway, and a file for the node exporter's textfile collector. The zero value
// is nowhere.
type lastMetrics struct {
	push *url.URL // nil: nowhere
	file string   // "": nowhere
}

// pushTimeout bounds the end of the process: a Pushgateway that does not answer holds up nobody.
const pushTimeout = 10 * time.Second

// readLastMetrics reads --metrics-push and --metrics-file, and checks that the file can be written.
func readLastMetrics(push, file string) (m lastMetrics, err error) {
	if push != "" {
		u, err := url.Parse(push)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return m, errors.New("--metrics-push: not an http:// or https:// URL of a Pushgateway")
		}
		m.push = u
	}
	if file == "" {
		return m, nil
	}
	if filepath.Ext(file) != ".prom" {
		return m, fmt.Errorf("--metrics-file: %s does not end in .prom, so the node exporter does not read it", file)
	}
	probe, err := os.CreateTemp(filepath.Dir(file), ".drainboard-*")
	if err != nil {
		return m, fmt.Errorf("--metrics-file: %w", err)
	}
	m.file = file
	return m, errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// none reports whether the metrics go nowhere.
func (m lastMetrics) none() bool { return m.push == nil && m.file == "" }

// write writes a run's last metrics where they go. Without a run there is nothing to write, and
// what was written before stays.
func (m lastMetrics) write(r *metrics.Recorder) error {
	text, cluster, group := r.Last()
	if text == nil {
		return nil
	}
	var errs []error
	if m.file != "" {
		if err := replaceFile(m.file, text); err != nil {
			errs = append(errs, fmt.Errorf("--metrics-file: %w", err))
		}
	}
	if m.push != nil {
		if err := m.put(text, cluster, group); err != nil {
			errs = append(errs, fmt.Errorf("--metrics-push: %w", err))
		}
	}
	return errors.Join(errs...)
}

// put replaces the metrics of a group in the Pushgateway.
func (m lastMetrics) put(text []byte, cluster, group string) error {
	to := *m.push
	user := to.User
	to.User = nil
	address := strings.TrimSuffix(to.String(), "/") + "/metrics/job/drainboard" + groupingLabel("cluster", cluster) + groupingLabel("group", group)
	ctx, cancel := context.WithTimeout(context.Background(), pushTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, address, bytes.NewReader(text))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", metrics.ContentType)
	if user != nil {
		password, _ := user.Password()
		req.SetBasicAuth(user.Username(), password)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 == 2 {
		return nil
	}
	answer, _ := io.ReadAll(io.LimitReader(resp.Body, 300))
	return fmt.Errorf("%s answered %s: %s", to.Host, resp.Status, strings.Join(strings.Fields(world.Clean(string(answer))), " "))
}

// groupingLabel is a label of a Pushgateway's grouping key, whose values are encoded because a
// name may hold a slash (Pushgateway, "URL"). An empty one is left out.
func groupingLabel(name, value string) string {
	if value == "" {
		return ""
	}
	return "/" + name + "@base64/" + base64.RawURLEncoding.EncodeToString([]byte(value))
}

// replaceFile writes a file that is read by others meanwhile: whole or not at all.
func replaceFile(path string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".drainboard-*")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}
