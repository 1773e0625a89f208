package shoot

import (
	"fmt"
	"strings"

	utilversion "k8s.io/apimachinery/pkg/util/version"

	"github.com/drainboard/drainboard/engine/world"
)

// version is a version of Kubernetes or of a machine image. What follows a dash or a plus
// does not count, as with Gardener (pkg/utils/version).
type version struct {
	*utilversion.Version
	// whole: it names a patch. Gardener takes the latest one for 1.31.
	whole bool
}

func versionOf(text string) (version, error) {
	plain, _, _ := strings.Cut(text, "-")
	plain, _, _ = strings.Cut(plain, "+")
	v, err := utilversion.ParseGeneric(plain)
	if text == "" {
		return version{}, fmt.Errorf("empty; expected a version such as 1.31.4")
	}
	if err != nil {
		return version{}, fmt.Errorf("%q is not a version such as 1.31.4", world.Clean(text))
	}
	return version{v, len(v.Components()) > 2}, nil
}

// before reports whether it is of an older minor version.
func (v version) before(major, minor uint) bool {
	return v.Major() < major || v.Major() == major && v.Minor() < minor
}

// minorOf is a version without its patch.
func minorOf(text string) string {
	v, err := versionOf(text)
	if err != nil {
		return text
	}
	return fmt.Sprintf("%d.%d", v.Major(), v.Minor())
}

// older reports whether a version is older than another. Of versions that are none nothing
// is said.
func older(a, b string) bool {
	x, err := versionOf(a)
	if err != nil {
		return false
	}
	y, err := versionOf(b)
	if err != nil {
		return false
	}
	if !x.whole || !y.whole {
		return x.before(y.Major(), y.Minor())
	}
	return x.LessThan(y.Version)
}

// ahead is how many minor versions a is ahead of b, 0 if it is not.
func ahead(a, b string) uint {
	x, err := versionOf(a)
	if err != nil {
		return 0
	}
	y, err := versionOf(b)
	if err != nil || x.Major() != y.Major() || x.Minor() <= y.Minor() {
		return 0
	}
	return x.Minor() - y.Minor()
}
