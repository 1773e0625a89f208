package complete

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Names are those of a cluster's groups and nodes.
type Names struct {
	Groups []Group  `json:"groups"`
	Nodes  []string `json:"nodes"`
}

// Group is a group's name, and a few words about it.
type Group struct {
	Name  string `json:"name"`
	About string `json:"about"`
}

// Times of a completion.
const (
	keep  = time.Minute     // for which names are not read again
	limit = 4 * time.Second // for which a shell may wait
)

// Of returns the names of what key stands for: from the cache, or by read, whose answer is
// kept. Where read fails, what is in the cache is better than nothing, however old.
func Of(ctx context.Context, key string, read func(context.Context) (Names, error)) Names {
	var names Names
	file := cacheFile(key)
	if file != "" {
		if text, err := os.ReadFile(file); err == nil && json.Unmarshal(text, &names) == nil {
			if info, err := os.Stat(file); err == nil && time.Since(info.ModTime()) < keep {
				return names
			}
		}
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	now, err := read(ctx)
	if err != nil {
		return names
	}
	if file != "" {
		store(file, now)
	}
	return now
}

// store keeps names for the next completion; that it cannot is not worth a word.
func store(file string, names Names) {
	text, err := json.Marshal(names)
	if err != nil || os.MkdirAll(filepath.Dir(file), 0o700) != nil {
		return
	}
	whole := fmt.Sprintf("%s.%d", file, os.Getpid())
	if os.WriteFile(whole, text, 0o600) != nil || os.Rename(whole, file) != nil {
		_ = os.Remove(whole)
	}
}

// cacheFile is where the names for a key are kept, "" if there is no place.
func cacheFile(key string) string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "drainboard", "complete", fmt.Sprintf("%.16x.json", sha256.Sum256([]byte(key))))
}
