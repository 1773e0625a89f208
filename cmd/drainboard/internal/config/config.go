package config

import (
	"path"
	"strings"

	"github.com/drainboard/drainboard/themes/strictyaml"
)

// config is what config.yaml says; docs/themes.md and docs/hooks.md describe it.
type config struct {
	theme      string // "" means auto
	background string // dark or light; "" means that of the terminal
	Mouse      bool
	notify     bool
	contexts   []contextConfig
	hooks      []hookConfig
}

// contextConfig is what is special in some kubeconfig contexts.
type contextConfig struct{ match, theme, mark string }

// parseConfig reads config.yaml; without any data all is as by default. It returns
// what can be read in spite of the error: a typo must take no mark off production.
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

// readPattern reads what kubeconfig contexts are compared with.
func readPattern(v strictyaml.Value) string {
	pattern, _ := v.Text()
	if _, err := path.Match(pattern, ""); err != nil {
		v.Fail("%q is no pattern: * is any letters, ? one letter, [ab] one of these", pattern)
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
		v.Fail(`needs match: the kubeconfig contexts it is for, as "prod-*"`)
	}
	return c
}

// in is what counts in a kubeconfig context.
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
