package config

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/providers/hooks"
	"github.com/drainboard/drainboard/themes/strictyaml"
)

// hookConfig is a hook of config.yaml and its kubeconfig contexts; none means
// all.
type hookConfig struct {
	hooks.Hook
	contexts []string
}

// parseHooks reads the hooks of config.yaml, and nothing else of it. Errors in other keys do
// not stop an upgrade; an unknown key does, because it may be a misspelt hook.
func parseHooks(file string, data []byte) (list []hookConfig, err error) {
	other := func(strictyaml.Value) {}
	err = strictyaml.Parse(file, data, func(v strictyaml.Value) {
		v.Map(map[string]func(strictyaml.Value){
			"theme": other, "background": other, "mouse": other, "notify": other, "contexts": other,
			"hooks": func(v strictyaml.Value) { list = readHooks(v) },
		})
	})
	return list, err
}

func readHooks(v strictyaml.Value) (list []hookConfig) {
	v.List(func(v strictyaml.Value) { list = append(list, readHook(v)) })
	return list
}

func readHook(v strictyaml.Value) (h hookConfig) {
	fine, addresses := true, 0
	address := func(read func(text string) (hooks.Address, error)) func(strictyaml.Value) {
		return func(v strictyaml.Value) {
			text, ok := v.Text()
			if addresses++; !ok {
				fine = false
				return
			}
			a, err := read(text)
			if err != nil {
				v.Fail("%s", err)
				fine = false
			}
			h.Webhook = a
		}
	}
	v.Map(map[string]func(strictyaml.Value){
		"on": func(v strictyaml.Value) {
			v.OneOrMore(func(v strictyaml.Value) {
				word, ok := v.Text()
				if on := hooks.On(word); slices.Contains(hooks.Moments, on) {
					h.On = append(h.On, on)
					return
				}
				if fine = false; ok {
					v.Unknown(word, Moments())
				}
			})
		},
		"run": func(v strictyaml.Value) {
			v.List(func(v strictyaml.Value) {
				word, ok := v.Text()
				h.Run, fine = append(h.Run, word), fine && ok
			})
			fine = fine && len(h.Run) > 0
			if len(h.Run) == 0 {
				v.Fail(`needs the command and its arguments, such as [notify-send, "an upgrade"]`)
			}
		},
		"env": func(v strictyaml.Value) {
			v.OneOrMore(func(v strictyaml.Value) {
				name, ok := v.Text()
				h.Env, fine = append(h.Env, name), fine && ok
			})
		},
		"webhook":      address(hooks.ParseAddress),
		"webhook-env":  address(func(name string) (hooks.Address, error) { return hooks.FromEnv(name), nil }),
		"webhook-file": address(func(file string) (hooks.Address, error) { return hooks.FromFile(file), nil }),
		"format": func(v strictyaml.Value) {
			switch s, ok := v.Text(); {
			case slices.Contains(hooks.Formats, hooks.Format(s)):
				h.Format = hooks.Format(s)
			case ok:
				v.Unknown(s, Formats())
			}
		},
		"timeout":     func(v strictyaml.Value) { v.Duration(&h.Timeout) },
		"blocked-for": func(v strictyaml.Value) { v.Duration(&h.BlockedFor) },
		"contexts": func(v strictyaml.Value) {
			v.OneOrMore(func(v strictyaml.Value) { h.contexts = append(h.contexts, readPattern(v)) })
		},
	})
	if addresses > 1 {
		v.Fail("has several webhooks: use one hook for each")
	} else if err := h.Check(); err != nil && fine {
		v.Fail("%s", err)
	}
	return h
}

// Formats are the formats of a webhook's body.
func Formats() (words []string) {
	for _, f := range hooks.Formats {
		words = append(words, string(f))
	}
	return words
}

func Moments() (words []string) {
	for _, on := range hooks.Moments {
		words = append(words, string(on))
	}
	return words
}

// Hooks are the flags for hooks.
type Hooks struct {
	Commands, Webhooks []string
	Format             string // of the webhooks' bodies, "" for Slack's
	Timeout            time.Duration
	BlockedFor         time.Duration
	Without            bool
	List               []hooks.Hook // the hooks in effect, once they are read
}

// Check says what is wrong with the flags themselves, nil if nothing is.
func (f *Hooks) Check() error {
	_, err := f.parse()
	return err
}

// parse reads the hooks of the flags.
func (f *Hooks) parse() (list []hooks.Hook, err error) {
	if err := f.agree(); err != nil {
		return nil, err
	}
	for _, text := range f.Commands {
		h, err := f.hook("hook", text, func(h *hooks.Hook, what string) error {
			h.Run = strings.Fields(what)
			return nil
		})
		if err != nil {
			return nil, err
		}
		list = append(list, h)
	}
	for _, text := range f.Webhooks {
		h, err := f.hook("webhook", text, f.webhook)
		if err != nil {
			return nil, err
		}
		list = append(list, h)
	}
	return list, nil
}

// agree says which flags contradict each other or have no such values, nil if none.
func (f *Hooks) agree() error {
	switch {
	case f.Without && len(f.Commands)+len(f.Webhooks) > 0:
		return errors.New("--without-hooks contradicts --hook and --webhook")
	case f.Timeout < 0 || f.BlockedFor < 0:
		return errors.New("--hook-timeout and --blocked-for must not be negative")
	case f.Format != "" && !slices.Contains(Formats(), f.Format):
		return fmt.Errorf("--webhook-format: %q is not one of %s", f.Format, strings.Join(Formats(), ", "))
	case f.Format != "" && len(f.Webhooks) == 0:
		return errors.New("--webhook-format is for --webhook")
	}
	return nil
}

// hook reads WHEN=WHAT, the value of a flag; into puts WHAT in.
func (f *Hooks) hook(flag, text string, into func(h *hooks.Hook, what string) error) (h hooks.Hook, err error) {
	when, what, ok := strings.Cut(text, "=")
	if !ok {
		return h, fmt.Errorf("--%s: = is missing (form: WHEN=WHAT)", flag)
	}
	h.Timeout = f.Timeout
	for word := range strings.SplitSeq(when, ",") {
		on := hooks.On(strings.TrimSpace(word))
		if !slices.Contains(hooks.Moments, on) {
			return h, fmt.Errorf("--%s: %q is not one of %s", flag, on, strings.Join(Moments(), ", "))
		}
		h.On = append(h.On, on)
	}
	if h.Wants(hooks.Blocked) {
		h.BlockedFor = f.BlockedFor
	}
	if err = into(&h, strings.TrimSpace(what)); err == nil {
		err = h.Check()
	}
	if err != nil {
		err = fmt.Errorf("--%s %s: %w", flag, when, err)
	}
	return h, err
}

// webhook puts in where the address of a webhook is read from.
func (f *Hooks) webhook(h *hooks.Hook, what string) error {
	h.Format = hooks.Format(f.Format)
	switch from, name, _ := strings.Cut(what, ":"); {
	case from == "env" && name != "":
		h.Webhook = hooks.FromEnv(name)
	case from == "file" && name != "":
		h.Webhook = hooks.FromFile(name)
	default:
		return errors.New("takes env:NAME or file:PATH, because other users can read a command line")
	}
	return nil
}

// Settle reads the hooks for a kubeconfig context, and notes those around nodes in a run's
// settings.
func (f *Hooks) Settle(dir, context string, s *record.Settings) error {
	if err := f.read(dir, context); err != nil {
		return err
	}
	f.Into(s)
	return nil
}

// read reads the hooks for a kubeconfig context, those of config.yaml first, and checks that
// they can be used, so that errors are reported before anything starts.
func (f *Hooks) read(dir, context string) error {
	given, err := f.parse()
	if err != nil || f.Without {
		return err
	}
	f.List = nil
	if dir != "" {
		file := filepath.Join(dir, "config.yaml")
		data, err := os.ReadFile(file)
		if err != nil && !notThere(err) {
			return fmt.Errorf("the hooks of config.yaml cannot be read: %w", err)
		}
		configured, err := parseHooks(file, data)
		if err != nil {
			return fmt.Errorf("the hooks of config.yaml: %w", err)
		}
		for _, h := range configured {
			if len(h.contexts) > 0 && !slices.ContainsFunc(h.contexts, func(pattern string) bool { return matches(pattern, context) }) {
				continue
			}
			if len(h.Run) > 0 && strings.ContainsRune(h.Run[0], filepath.Separator) && !filepath.IsAbs(h.Run[0]) {
				h.Run = slices.Clone(h.Run)
				h.Run[0] = filepath.Join(dir, h.Run[0]) // like paths of themes
			}
			f.List = append(f.List, h.Hook)
		}
	}
	f.List = append(f.List, given...)
	for i := range f.List {
		h := &f.List[i]
		if h.Webhook, err = h.Webhook.Resolve(); err != nil {
			return fmt.Errorf("hook on %s: %w", h.On[0], err)
		}
		if err := h.CheckAlert(); err != nil {
			return fmt.Errorf("hook on %s: %w", h.On[0], err)
		}
		if len(h.Run) == 0 {
			continue
		}
		if _, err := exec.LookPath(h.Run[0]); err != nil {
			return fmt.Errorf("hook on %s: its command cannot be run: %w", h.On[0], err)
		}
	}
	return nil
}

// Into notes the hooks around nodes in a run's settings.
func (f *Hooks) Into(s *record.Settings) {
	s.BeforeNode, s.AfterNode = hooks.Time(f.List, hooks.BeforeNode), hooks.Time(f.List, hooks.AfterNode)
	if s.Origin != nil {
		s.Origin["hook"] = "Drainboard"
		switch {
		case f.Without:
			s.Origin["hook"] = "flag --without-hooks"
		case len(f.Commands)+len(f.Webhooks) > 0:
			s.Origin["hook"] = "flag"
		case len(f.List) > 0:
			s.Origin["hook"] = "config.yaml"
		}
	}
}

// Adopt gives a resumed run the hooks that are configured here. Hooks around nodes that it
// had and that are missing here are an error.
func (f *Hooks) Adopt(run *record.Run) error {
	had := run.Settings
	run.Settings.Origin = nil // the plan's
	f.Into(&run.Settings)
	run.Settings.Origin = had.Origin
	if f.Without {
		run.PendingHooks = nil
		return nil
	}
	for _, h := range []struct {
		on       hooks.On
		was, now time.Duration
	}{{hooks.BeforeNode, had.BeforeNode, run.Settings.BeforeNode}, {hooks.AfterNode, had.AfterNode, run.Settings.AfterNode}} {
		if h.was > 0 && h.now == 0 && run.State != record.Ending {
			return fmt.Errorf("the unfinished run %s has hooks on %s, and none is configured here (docs/guide/notifications.md): configure them, or resume with --without-hooks", run.ID, h.on)
		}
	}
	return nil
}
