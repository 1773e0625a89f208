package gardener

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/drainboard/drainboard/engine/world"
)

// ExtensionName is the extension of a cluster in a kubeconfig by which Gardener names its Shoot:
// that of gardenlogin, which gardenctl and Gardener's dashboard write (gardener/gardenctl-v2
// internal/client/garden/shoot_client.go, execPluginConfig).
const ExtensionName = "client.authentication.k8s.io/exec"

// implied is for how long a garden cluster that no flag names may take to answer.
const implied = 10 * time.Second

// Resolve completes the options by what the Shoot's own cluster, its kubeconfig and the user's
// configuration tell: see Named and byInfo. read reads an object of that cluster by its path.
func (o Options) Resolve(ctx context.Context, extension []byte, getenv func(string) string, read func(context.Context, string) ([]byte, error)) (Options, error) {
	o = o.Named(extension, getenv)
	if o.Garden == "" || o.Shoot != "" {
		return o, nil
	}
	info := askInfo(ctx, read)
	if info == nil {
		return o.byInfo(nil)
	}
	return o.byInfo(&info.is)
}

// Named completes the options by what the kubeconfig of the Shoot's own cluster says of its
// Shoot, and by what the configuration of gardenctl or gardenlogin says of its garden cluster.
// extension is that of the kubeconfig, none if empty; getenv is the environment. What a flag
// says stays.
func (o Options) Named(extension []byte, getenv func(string) string) Options {
	shoot, garden := shootIn(extension)
	if shoot == "" || o.Shoot != "" {
		return o
	}
	file, context := o.Garden, ""
	if file == "" {
		if file, context = gardenOf(garden, getenv); file == "" {
			return o
		}
		o.implied = true
	}
	o.Garden, o.context, o.Shoot = file, context, shoot
	return o
}

// IsShoot reports whether a kubeconfig's extension names the Shoot whose cluster it leads to.
func IsShoot(extension []byte) bool {
	shoot, _ := shootIn(extension)
	return shoot != ""
}

// shootIn is the Shoot, "" for none, and the identity of its garden cluster in the extension of a
// kubeconfig.
func shootIn(extension []byte) (shoot, garden string) {
	var is struct {
		Shoot struct {
			Namespace string `json:"namespace"`
			Name      string `json:"name"`
		} `json:"shootRef"`
		Garden string `json:"gardenClusterIdentity"`
	}
	if json.Unmarshal(extension, &is) != nil || is.Shoot.Namespace == "" || is.Shoot.Name == "" {
		return "", ""
	}
	return is.Shoot.Namespace + "/" + is.Shoot.Name, is.Garden
}

// gardenOf is the kubeconfig of a garden cluster, and the context in it ("" for its own), by the
// configuration of gardenlogin, or else gardenctl (gardener/gardenlogin README.md, "Config Path
// Overwrite"; gardener/gardenctl-v2 pkg/config/config.go, Garden); "" where none names it.
func gardenOf(identity string, getenv func(string) string) (file, context string) {
	home := getenv("HOME")
	for _, of := range []struct{ prefix, name string }{{"GL", "gardenlogin"}, {"GCTL", "gardenctl-v2"}} {
		dir := cmp.Or(getenv(of.prefix+"_HOME"), filepath.Join(home, ".garden"))
		data, err := os.ReadFile(filepath.Join(dir, cmp.Or(getenv(of.prefix+"_CONFIG_NAME"), of.name)+".yaml"))
		if err != nil {
			continue
		}
		var config struct {
			Gardens []struct {
				Identity   string `json:"identity"`
				Kubeconfig string `json:"kubeconfig"`
				Context    string `json:"context"`
			} `json:"gardens"`
		}
		if yaml.Unmarshal(data, &config) != nil {
			continue
		}
		for _, g := range config.Gardens {
			if g.Identity == identity && g.Kubeconfig != "" {
				if rest, under := strings.CutPrefix(g.Kubeconfig, "~/"); under {
					g.Kubeconfig = filepath.Join(home, rest)
				}
				return g.Kubeconfig, g.Context
			}
		}
	}
	return "", ""
}

// byInfo completes the options by the ConfigMap shoot-info of the Shoot's own cluster, where a
// garden cluster is given and no Shoot. A project's namespace is named after it unless its owner
// has chosen another one, which the ConfigMap does not tell.
func (o Options) byInfo(is *world.ShootInfo) (Options, error) {
	switch {
	case o.Garden == "" || o.Shoot != "":
		return o, nil
	case is == nil || is.Name == "" || is.Project == "":
		why := "it does not name it"
		if is != nil && is.Unread != "" {
			why = is.Unread
		}
		return o, fmt.Errorf("--garden-kubeconfig needs --shoot NAMESPACE/NAME: neither the kubeconfig nor the ConfigMap %s tells which Shoot this cluster is (%s)", InfoName, why)
	case is.Project == "garden":
		o.Shoot = "garden/" + is.Name
	default:
		o.Shoot = "garden-" + is.Project + "/" + is.Name
	}
	return o, nil
}
