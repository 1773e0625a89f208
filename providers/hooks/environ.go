package hooks

import (
	"net/url"
	"slices"
	"strings"
)

// passed are the variables of this process that a hook's command gets: what it takes to find
// programs, files, the user and the way out. Credentials are none of them.
var passed = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "PWD", "TMPDIR", "TZ", "LANG", "LANGUAGE", "KUBECONFIG", "AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR",
}

// passedPrefixes begin the names of more of them. HOOK_ is for what the user means for hooks.
var passedPrefixes = []string{"LC_", "XDG_", "HOOK_"}

// environ is what of an environment a hook's command gets: what every hook does, and the
// variables that this one names.
func (h *Hook) environ(all []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return !slices.Contains(passed, name) && !slices.Contains(h.Env, name) &&
			!slices.ContainsFunc(passedPrefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
	})
}

// leastSecret is the length, in bytes, from which an argument is kept out of messages: shorter
// ones are words that the output has by chance.
const leastSecret = 6

// withoutArguments is text in which the arguments of the hook's command are left out: they may
// be secrets, and messages are kept.
func (h *Hook) withoutArguments(text string) string {
	for _, word := range h.Run[min(1, len(h.Run)):] {
		for _, part := range []string{word, word[strings.IndexByte(word, '=')+1:]} {
			if len(part) >= leastSecret {
				text = strings.ReplaceAll(text, part, "…")
			}
		}
	}
	return text
}

// CommandLine is a command line without what its flags for hooks say beyond when and by which
// command, and without the user and password in the address of --metrics-push: the arguments of
// a hook may be secrets, and journals are kept.
func CommandLine(args []string) []string {
	hidden := map[string]func(string) string{"--hook": withoutWords, "--webhook": withoutWords, "--metrics-push": withoutUser}
	out := slices.Clone(args)
	for i, arg := range out {
		if i > 0 && hidden[args[i-1]] != nil {
			out[i] = hidden[args[i-1]](arg)
			continue
		}
		if flag, value, ok := strings.Cut(arg, "="); ok && hidden[flag] != nil {
			out[i] = flag + "=" + hidden[flag](value)
		}
	}
	return out
}

// withoutUser leaves user and password out of an address.
func withoutUser(address string) string {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return "…"
	case u.User == nil:
		return address
	}
	u.User = nil
	return u.String()
}

// withoutWords leaves all words but the first of a flag's value out.
func withoutWords(value string) string {
	if words := strings.Fields(value); len(words) > 1 {
		return words[0] + " …"
	}
	return value
}
