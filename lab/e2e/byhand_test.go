package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// byHand runs a command that drainboard named, in a shell as its reader would: kubectl
// is the lab's, what is said to aws is asked of the lab's endpoint, and drainboard's is run as by s, without a terminal.
func (s *scene) byHand(command string) {
	s.t.Helper()
	if words := strings.Fields(command); words[0] == "drainboard" {
		s.run(append(words[1:], "--auto")...).exits(0)
		return
	}
	said := filepath.Join(s.home, "aws-arguments")
	tools := map[string]string{
		"kubectl": "#!/bin/sh\nexec '" + filepath.Join(root(), "bin", "lab") + "' kubectl \"$@\"\n",
		"aws":     "#!/bin/sh\nprintf '%s\\n' \"$@\" > '" + said + "'\n",
	}
	dir := s.t.TempDir()
	for name, script := range tools {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755); err != nil {
			s.t.Fatal(err)
		}
	}
	_ = os.Remove(said)
	shell := exec.Command("sh", "-c", command)
	shell.Env = append(environment(), "HOME="+s.home, "PATH="+dir+":"+os.Getenv("PATH"), "KUBECONFIG="+shared.Kubeconfig())
	if out, err := shell.CombinedOutput(); err != nil {
		s.t.Fatalf("%s: %v\n%s", command, err, out)
	}
	arguments, err := os.ReadFile(said)
	if err != nil {
		return // it was kubectl
	}
	words := strings.Split(strings.TrimSuffix(string(arguments), "\n"), "\n")
	if words[0] != "autoscaling" {
		s.t.Fatalf("the lab cannot run: %s", command)
	}
	s.aws(camel(words[1]), parameters(words[2:])...)
}

// camel is an action or a parameter of the command line as the API names it.
func camel(kebab string) string {
	var b strings.Builder
	for _, part := range strings.Split(kebab, "-") {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}

// parameters are the options of the aws command line as those of the query protocol,
// name, value, name, value.
func parameters(options []string) []string {
	var out []string
	for i := 0; i < len(options); {
		name := strings.TrimPrefix(options[i], "--")
		var values []string
		for i++; i < len(options) && !strings.HasPrefix(options[i], "--"); i++ {
			values = append(values, options[i])
		}
		switch {
		case len(values) == 0:
			value, on := strings.CutPrefix(name, "no-")
			out = append(out, camel(value), strconv.FormatBool(!on))
		case name == "scaling-processes": // a list
			for n, v := range values {
				out = append(out, camel(name)+".member."+strconv.Itoa(n+1), v)
			}
		case strings.Contains(values[0], "="): // a structure
			for _, field := range strings.Split(values[0], ",") {
				key, value, _ := strings.Cut(field, "=")
				out = append(out, camel(name)+"."+key, value)
			}
		default:
			out = append(out, camel(name), values[0])
		}
	}
	return out
}
