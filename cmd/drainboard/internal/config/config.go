package config

import (
	"path"
	"strings"

	"github.com/drainboard/drainboard/themes/strictyaml"
)

// config is the content of config.yaml; docs/reference/config.md and docs/guide/notifications.md describe it.
type config struct {
	theme      string // "" means auto
	background string // dark or light; "" means that of the terminal
	Mouse      bool
	notify     bool
	contexts   []contextConfig
	hooks      []hookConfig
}

// contextConfig has the settings for some kubeconfig contexts.
type contextConfig struct{ match, theme, mark string }

// parseConfig reads config.yaml; empty data gives the defaults. Beside an error it returns
// what could be read: a typo must not remove the mark of a production context.
func parseConfig(file string, data []byte) (config, error) {
	c := config{notify: true}
	err := strictyaml.Parse(file, data, func(v strictyaml.Value) {
		v.Map(map[string]func(strictyaml.Value){
			"theme":      readText(&c.theme),
			"background": func(v strictyaml.Value) { c.background = readBackground(v) },
			"mouse":      func(v strictyaml.Value) { v.Bool(&c.Mouse) },
			"notify":     func(v strictyaml.Value) { v.Bool(&c.notify) },
			"hooks":      func(v strictyaml.Value) { c.hooks = readHooks(v) },
			"contexts": func(v strictyaml.Value) {
				v.List(func(v strictyaml.Value) { c.contexts = append(c.contexts, readContext(v)) })
			},
		})
	})
	return c, err
}

func readText(to *string) func(strictyaml.Value) {
	return func(v strictyaml.Value) { *to, _ = v.Text() }
}

func readBackground(v strictyaml.Value) string {
	switch s, ok := v.Text(); {
	case s == "dark" || s == "light":
		return s
	case ok && s != "auto":
		v.Unknown(s, []string{"auto", "dark", "light"})
	}
	return ""
}

// readPattern reads a pattern of kubeconfig contexts.
func readPattern(v strictyaml.Value) string {
	pattern, _ := v.Text()
	if _, err := path.Match(pattern, ""); err != nil {
		v.Fail("%q is not a pattern: * matches any characters, ? one, [ab] one of these", pattern)
	}
	return pattern
}

func readContext(v strictyaml.Value) (c contextConfig) {
	v.Map(map[string]func(strictyaml.Value){
		"match": func(v strictyaml.Value) {
			c.match = readPattern(v)
		},
		"theme": readText(&c.theme),
		"mark":  readText(&c.mark),
	})
	if c.match == "" {
		v.Fail(`needs match: a pattern of kubeconfig contexts, such as "prod-*"`)
	}
	return c
}

// in returns the settings for a kubeconfig context.
func (c config) in(context string) contextConfig {
	for _, entry := range c.contexts {
		if matches(entry.match, context) {
			return entry
		}
	}
	return contextConfig{}
}

// matches compares with path.Match, but for * and slashes: EKS names contexts like
// "arn:aws:eks:eu-west-1:111122223333:cluster/prod", and "*prod*" means that one.
func matches(pattern, context string) bool {
	flat := strings.NewReplacer("/", "\x00")
	ok, err := path.Match(flat.Replace(pattern), flat.Replace(context))
	return ok && err == nil
}
