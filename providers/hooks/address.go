package hooks

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
)

// Address is where a webhook is posted to. Whoever knows one may post, so it never leaves
// this package: whatever prints an Address gets its host.
type Address struct{ url string }

// ParseAddress reads an https or http URL.
func ParseAddress(text string) (Address, error) {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil { // its text repeats what it could not read
		return Address{}, errors.New("is no URL")
	}
	if (u.Scheme != "https" && u.Scheme != "http") || u.Host == "" {
		return Address{}, errors.New("is no https:// or http:// URL")
	}
	return Address{u.String()}, nil
}

// AddressFromEnv reads the URL in an environment variable.
func AddressFromEnv(name string) (Address, error) {
	text := os.Getenv(name)
	if text == "" {
		return Address{}, fmt.Errorf("the environment variable %s is empty", name)
	}
	a, err := ParseAddress(text)
	if err != nil {
		return a, fmt.Errorf("what is in the environment variable %s %w", name, err)
	}
	return a, nil
}

// AddressFromFile reads the URL in a file, as secrets are mounted.
func AddressFromFile(file string) (Address, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return Address{}, err
	}
	a, err := ParseAddress(string(text))
	if err != nil {
		return a, fmt.Errorf("what is in %s %w", file, err)
	}
	return a, nil
}

// None reports whether there is no address.
func (a Address) None() bool { return a.url == "" }

// Host is what may be shown of an address.
func (a Address) Host() string {
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
