package gardener

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/gardener/shoot"
	"github.com/drainboard/drainboard/providers/kube"
)

// InfoName is the ConfigMap that Gardener writes into a Shoot's own cluster, and InfoPath
// where it is (gardener/gardener docs, "shoot-info ConfigMap"; pkg/component/shoot/system).
const (
	InfoName = "kube-system/shoot-info"
	InfoPath = "/api/v1/namespaces/kube-system/configmaps/shoot-info"
)

// shootInfo is what it says.
type shootInfo struct {
	is     world.ShootInfo
	window *shoot.Window // nil where there is none that can be read
}

// askInfo reads it, as far as it may be read. read gets an object by its path, as JSON; nil
// asks nobody.
func askInfo(ctx context.Context, read func(context.Context, string) ([]byte, error)) *shootInfo {
	if read == nil {
		return nil
	}
	var m corev1.ConfigMap
	data, err := read(ctx, InfoPath)
	if err == nil {
		err = json.Unmarshal(data, &m)
	}
	if errors.Is(err, kube.ErrNoObject) {
		err = errors.New("it does not exist")
	}
	if err != nil {
		return &shootInfo{is: world.ShootInfo{Unread: cmp.Or(world.Clean(err.Error()), "it cannot be read")}}
	}
	field := func(name string) string { return world.Clean(m.Data[name]) }
	info := &shootInfo{is: world.ShootInfo{Name: field("shootName"), Project: field("projectName"), Version: field("kubernetesVersion")}}
	if window, err := shoot.WindowOf(m.Data["maintenanceBegin"], m.Data["maintenanceEnd"]); err == nil {
		info.window = &window
	}
	return info
}

// describe puts into a pool what the Shoot's own cluster says of it, unless the Shoot is read.
func (i *shootInfo) describe(p *world.Pool, now time.Time) {
	if i == nil || p.Shoot != "" {
		return
	}
	p.Info = &i.is
	if i.window != nil {
		p.Opens, p.Closes, _ = i.window.At(now)
		p.WindowFrom = "the ConfigMap " + InfoName
	}
}
