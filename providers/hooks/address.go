package hooks

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
)

// Address is where a webhook is posted to, or where that can be read. A program that knows one may
// post, so it never leaves this package: whatever prints an Address gets its host.
type Address struct{ url, env, file string }

// ParseAddress reads an https or http URL.
func ParseAddress(text string) (Address, error) {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil { // its text repeats what it could not read
		return Address{}, errors.New("is not a URL")
	}
	if (u.Scheme != "https" && u.Scheme != "http") || u.Host == "" {
		return Address{}, errors.New("is not an https:// or http:// URL")
	}
	return Address{url: u.String()}, nil
}

// FromEnv is the URL in an environment variable, FromFile that in a file, as secrets are
// mounted. Both are to be resolved.
func FromEnv(name string) Address  { return Address{env: name} }
func FromFile(file string) Address { return Address{file: file} }

// Resolve reads the URL where it is.
func (a Address) Resolve() (Address, error) {
	var text, from string
	switch {
	case a.env != "":
		text, from = os.Getenv(a.env), "the environment variable "+a.env
		if text == "" {
			return a, fmt.Errorf("%s is empty", from)
		}
	case a.file != "":
		content, err := os.ReadFile(a.file)
		if err != nil {
			return a, err
		}
		text, from = string(content), a.file
	default:
		return a, nil
	}
	url, err := ParseAddress(text)
	if err != nil {
		return a, fmt.Errorf("the content of %s %w", from, err)
	}
	return url, nil
}

// None reports whether there is no address.
func (a Address) None() bool { return a == Address{} }

// Host is what may be shown of an address.
func (a Address) Host() string {
	switch {
	case a.env != "":
		return "$" + a.env
	case a.file != "":
		return a.file
	}
	u, err := url.Parse(a.url)
	if err != nil {
		return ""
	}
	return u.Host
}

// String is the host, so that no format verb shows more.
func (a Address) String() string { return a.Host() }

// GoString is the host as well (%#v).
func (a Address) GoString() string { return a.Host() }

// MarshalText is the host as well (JSON).
func (a Address) MarshalText() ([]byte, error) { return []byte(a.Host()), nil }

// hide takes what is secret of the address out of a text: the whole of it, its path and
// query, and its user and password.
func (a Address) hide(text string) string {
	u, err := url.Parse(a.url)
	if err != nil {
		return text
	}
	secrets := []string{a.url, u.RequestURI(), strings.TrimPrefix(u.RequestURI(), "/"), u.Path, strings.TrimPrefix(u.Path, "/"), u.RawQuery}
	if u.User != nil {
		password, _ := u.User.Password()
		secrets = append(secrets, u.User.String(), password)
	}
	for _, s := range secrets {
		if len(s) > 3 {
			text = strings.ReplaceAll(text, s, "...")
		}
	}
	return text
}
