package journal

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Dir is where journals are: $XDG_STATE_HOME/drainboard, by default
// ~/.local/state/drainboard. A relative XDG_STATE_HOME does not count, as the XDG base
// directory specification asks for.
func Dir() (string, error) {
	state := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("no directory for the journal: %w", err)
		}
		state = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(state, "drainboard"), nil
}

// ext is what the files' names end in.
const ext = ".jsonl"

// Path is the file of a run under dir.
func Path(dir, cluster, run string) string {
	return filepath.Join(dir, fileName(cluster), fileName(run)+ext)
}

// fileName makes a name that every file system takes, and that leads nowhere else: both
// come from outside. What had to be changed gets a hash of what it was, so that two
// names stay two.
func fileName(name string) string {
	const most = 100
	safe := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.", r) {
			return r
		}
		return '_'
	}, name)
	safe = strings.TrimLeft(safe, ".")
	if safe == name && name != "" && len(name) <= most {
		return name
	}
	return fmt.Sprintf("%.*s-%x", most, safe, sha256.Sum256([]byte(name)))[:min(len(safe), most)+9]
}
