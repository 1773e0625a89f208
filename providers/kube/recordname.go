package kube

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// RecordName is the name of a group's run record and of its lock: readable, safe
// as a DNS name and at most 63 characters, and different for any two groups. It is the
// same whichever provider found the group: a group of kops is an Auto Scaling group, too,
// and has one record and one lock.
func RecordName(group string) string {
	const longest = 45
	sum := sha256.Sum256([]byte(group))
	slug := slug(group)
	if len(slug) > longest {
		slug = strings.TrimRight(slug[:longest], "-")
	}
	if slug == "" {
		slug = "group"
	}
	return "run-" + slug + "-" + hex.EncodeToString(sum[:4])
}

// slug is s in lower case with everything but letters and digits of ASCII as
// single dashes, none at the ends.
func slug(s string) string {
	var b strings.Builder
	dash := false
	for _, r := range strings.ToLower(s) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			if dash && b.Len() > 0 {
				b.WriteByte('-')
			}
			dash = false
			b.WriteRune(r)
		} else {
			dash = true
		}
	}
	return b.String()
}
