// Package config reads the user's config file and themes, and follows them while a dashboard
// is open; docs/reference/config.md and docs/guide/notifications.md describe them.
//
// ThemeSources decides the appearance of a dashboard, from --theme, $DRAINBOARD_THEME, config.yaml and
// the kubeconfig context: Read reads the files once, Follow reports every change of them.
// Hooks are the user's commands and webhooks around a run, from flags and config.yaml.
package config
