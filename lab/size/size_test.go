package size

import (
	"runtime"
	"strings"
	"testing"
)

// The program stays small. Once anything in it looks methods up by name, the linker keeps
// every exported method of every library, three times as much: text/template does, and with
// it html/template, cobra's templates, and much else.
func TestProgram(t *testing.T) {
	p, err := Read("../../bin/drainboard")
	if err != nil {
		t.Fatal(err, "(make build)")
	}
	t.Logf("%.1f MB, zipped %.1f MB", float64(p.Bytes)/MB, float64(p.Zipped)/MB)
	if len(p.Kept) > 0 {
		t.Errorf("methods that nobody calls are in the program:\n\t%s\nSomething looks methods up by name. This says what, and who calls it:\n\t%s",
			strings.Join(p.Kept, "\n\t"), "go build -o /dev/null -ldflags=-dumpdep ./cmd/drainboard 2>&1 | grep '<ReflectMethod>$'")
	}
	if runtime.GOARCH == "amd64" && (p.Bytes > MostBytes || p.Zipped > MostZipped) {
		t.Errorf("at most %.0f MB, and %.0f MB zipped", MostBytes/MB, MostZipped/MB)
	}
}

// To say its version the program needs little memory: no library fills tables at its start.
func TestMemory(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("Linux tells what a process had")
	}
	most, err := Memory(t.Context(), "../../bin/drainboard", "version")
	if err != nil {
		t.Fatal(err, "(make build)")
	}
	t.Logf("%.1f MB", most/MB)
	if most > MostMemory {
		t.Errorf("drainboard version had %.1f MB, at most %.0f MB", most/MB, MostMemory/MB)
	}
}
