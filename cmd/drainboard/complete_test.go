package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// completed is what a shell is offered for a command line, without what is said of it, and
// whether it would offer files.
func completed(t *testing.T, args ...string) (offered []string, files bool) {
	t.Helper()
	code, out, errOut := called(t.Context(), "", append([]string{cobra.ShellCompRequestCmd}, args...)...)
	if code != 0 {
		t.Fatalf("%q: %d\n%s%s", args, code, out, errOut)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	for _, line := range lines[:len(lines)-1] {
		word, _, _ := strings.Cut(line, "\t")
		offered = append(offered, word)
	}
	directive := 0
	for _, c := range strings.TrimPrefix(lines[len(lines)-1], ":") {
		directive = directive*10 + int(c-'0')
	}
	return offered, directive&int(cobra.ShellCompDirectiveNoFileComp) == 0
}

// Shells are offered the groups and nodes of the cluster, and the words that a flag takes;
// files only where a file is meant.
func TestCompletion(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	at := shootCluster(t).Flags.Kubeconfig
	for _, c := range []struct {
		line string // "_" stands for the word that is completed, where nothing of it is typed
		want string
	}{
		{"upgrade _", "web"},
		{"upgrade web _", ""},
		{"plan _", "web"},
		{"watch _", "web"},
		{"watch web _", ""},
		{"status _", "web"},
		{"pause _", "web"}, {"resume _", "web"}, {"approve _", "web"}, {"abort _", "web"},
		{"upgrade web --only _", "n1 n2"},
		{"upgrade web --only n1,_", "n1,n2"},
		{"upgrade --instance-group _", "web"},
		{"groups --context _", "c"},
		{"groups --cluster _", "c"},
		{"groups --provider _", "auto asg eks kops gardener"},
		{"demo --provider _", "asg kops"},
		{"groups -o _", "text wide name json yaml"},
		{"plan web -o _", "text wide json yaml"},
		{"status -o _", "text json yaml"},
		{"version -o _", "text json yaml"},
		{"upgrade web -o _", "text json yaml"}, {"pause web -o _", "text json yaml"},
		{"upgrade web --max-surge _", "eks fit"},
		{"report web -o _", "markdown html"},
		{"upgrade web --approve _", "batch canary phase none"},
		{"upgrade web --order oldest,_", "oldest,random oldest,name oldest,fewest-blockers oldest,apart"},
		{"upgrade web --order name,random,_", ""},
		{"plan web --max-surge _", "eks fit"},
		{"plan web --instance-group-roles node,_", "node,bastion node,control-plane node,apiserver"},
		{"upgrade web --launch-template-version _", "$Latest $Default"},
		{"upgrade web --on-drain-timeout _", "fail skip force wait"},
		{"upgrade web --unreachable _", "wait terminate fail"},
		{"upgrade web --record _", "fitting discard"},
		{"upgrade web --hook run-s_", "run-started= approval-wanted= before-node= blocked= after-node= unwritten= failed= run-paused= run-finished="},
		{"upgrade web --drain-timeout _", ""},
		{"groups _", ""}, {"version _", ""}, {"demo _", ""},
		{"help up_", "upgrade"},
	} {
		args := strings.Fields(strings.ReplaceAll(c.line, "_", "\x00"))
		for i, a := range args {
			args[i] = strings.TrimSuffix(a, "\x00")
		}
		if !strings.HasPrefix(c.line, "help") && !strings.HasPrefix(c.line, "version") && !strings.HasPrefix(c.line, "demo _") {
			args = append([]string{args[0], "--kubeconfig", at}, args[1:]...)
		}
		offered, files := completed(t, args...)
		want := strings.Fields(c.want)
		if c.line == "help up_" {
			offered = slices.DeleteFunc(offered, func(o string) bool { return !strings.HasPrefix(o, "up") })
		}
		if !slices.Equal(offered, want) || files {
			t.Errorf("%s: %q, files: %v", c.line, offered, files)
		}
	}
	for _, line := range []string{"groups --kubeconfig", "report web --to", "plan --change", "report"} { // a journal can be named by its file
		if _, files := completed(t, append(strings.Fields(line), "")...); !files {
			t.Errorf("%s: no files", line)
		}
	}
}

// A shell is offered nothing, and does not wait, where the cluster does not answer.
func TestCompletionOfADeadCluster(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", dir)
	kubeconfigAt(t, dir, leadingTo("http://127.0.0.1:1"))
	for _, line := range []string{"upgrade", "status", "upgrade ng --only"} {
		code, out, errOut := called(t.Context(), "", append(append([]string{cobra.ShellCompRequestCmd}, strings.Fields(line)...), "")...)
		if code != 0 || out != ":4\n" || strings.Contains(errOut, "again") {
			t.Errorf("%s: exit code %d\n%s%s", line, code, out, errOut)
		}
	}
}

// choices are flags that take one of a few words, on command lines that are refused for another
// word before a cluster is looked for.
var choices = []struct{ line, flag string }{
	{"upgrade a --plain", "provider"}, {"plan a", "provider"}, {"watch a", "provider"}, {"status a", "provider"}, {"groups", "provider"}, {"demo --auto", "provider"},
	{"upgrade a --plain", "strategy"}, {"plan a", "strategy"}, {"upgrade a --plain", "update-strategy"}, {"plan a", "update-strategy"},
	{"upgrade a --plain", "approve"}, {"upgrade a --plain", "order"}, {"plan a", "order"},
	{"upgrade a --plain", "unreachable"}, {"upgrade a --plain", "on-drain-timeout"}, {"plan a", "on-drain-timeout"},
	{"upgrade a --plain", "record"}, {"upgrade a --plain", "webhook-format"}, {"upgrade a --plain", "instance-group-roles"}, {"plan a", "instance-group-roles"},
	{"upgrade a --plain --strategy gardener", "node-conditions"}, {"upgrade a --plain --strategy drainboard", "on-trouble"},
	{"upgrade a --plain", "theme"}, {"watch", "theme"}, {"demo --auto", "theme"},
	{"groups", "output"}, {"plan a", "output"}, {"status", "output"}, {"version", "output"}, {"report a", "output"}, {"upgrade a --auto", "output"}, {"abort a", "output"}, {"demo --auto", "output"},
	{"demo --plain -o json", "scenario"}, // the prompts have no JSON: nothing is played
}

// listing is what a refusal lists. A note in brackets may follow.
var listing = regexp.MustCompile(`(?:choose one of|is not one of|choose from|choose|there are) ([^;()\n]+)`)

// What a shell offers for a flag of a few words is what the flag's refusal of another word lists,
// and each of it is taken.
func TestChoices(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("KUBECONFIG", filepath.Join(dir, "none"))
	writeFiles(t, dir, map[string]string{"drainboard/themes/mine.yaml": "based-on: dark\n"})
	sorted := func(words []string) []string { slices.Sort(words); return words }
	checked := map[string]bool{}
	for _, c := range choices {
		line := strings.Fields(c.line)
		checked[c.flag] = true
		_, _, refused := called(t.Context(), "", append(line, "--"+c.flag+"=zzz")...)
		said := listing.FindAllStringSubmatch(refused, -1)
		if len(said) == 0 || !strings.Contains(refused, "zzz") {
			t.Errorf("%s --%s zzz: %s", c.line, c.flag, refused)
			continue
		}
		taken := strings.Split(strings.ReplaceAll(strings.TrimSpace(said[len(said)-1][1]), " or ", ", "), ", ")
		offered, files := completed(t, append(line, "--"+c.flag, "")...)
		if c.flag == "scenario" {
			taken = append(taken, "list")
		}
		if !slices.Equal(sorted(slices.Clone(offered)), sorted(taken)) || files {
			t.Errorf("%s --%s: %q are offered (files: %v), %q are taken", c.line, c.flag, offered, files, taken)
		}
		if strings.Contains(c.line, "demo --auto") {
			continue // would be played; what is said of it is what upgrade says
		}
		for _, word := range offered {
			_, _, said := called(t.Context(), "", append(line, "--"+c.flag+"="+word)...)
			if strings.Contains(said, "--"+c.flag+": ") || strings.Contains(said, "-o: ") {
				t.Errorf("%s --%s %s is offered and refused: %s", c.line, c.flag, word, said)
			}
		}
	}
	for key := range words() {
		flag := key[strings.LastIndex(key, " ")+1:]
		if !checked[flag] && flag != "max-surge" && flag != "launch-template-version" { // which take numbers too
			t.Errorf("what is offered for --%s is not compared with what it takes", flag)
		}
	}
}

// Each flag that takes text offers something, but for those whose words no list has.
func TestFreeFlags(t *testing.T) {
	free := []string{
		"ami", "batch", "cloud-profile", "cluster-name", "control-namespace", "expect-label", "hash", "kubernetes-version", "machine-image-version", "max-unavailable",
		"metrics", "metrics-push", "operation", "profile", "reason", "record-namespace", "region", "release-version", "shoot", "until",
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("KUBECONFIG", shootCluster(t).Flags.Kubeconfig)
	for _, cmd := range documented(program()) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Value.Type() != "string" && f.Value.Type() != "stringSlice" && f.Value.Type() != "stringArray" || slices.Contains(fileFlags, f.Name) {
				return
			}
			offered, _ := completed(t, append(strings.Fields(cmd.CommandPath())[1:], "--"+f.Name, "")...)
			if (len(offered) == 0) != slices.Contains(free, f.Name) {
				t.Errorf("%s --%s: %q are offered", cmd.CommandPath(), f.Name, offered)
			}
		})
	}
}

// Each flag that takes a value has something to offer, or says that there is nothing: no file
// names where none are meant.
func TestEveryFlagIsCompleted(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("KUBECONFIG", os.DevNull)
	for _, cmd := range documented(program()) {
		for _, g := range groupedFlags(cmd) {
			for _, name := range g.flags {
				if cmd.Flag(name).Value.Type() == "bool" {
					continue
				}
				args := append(strings.Fields(cmd.CommandPath())[1:], "--"+name, "")
				if _, files := completed(t, args...); files != slices.Contains(fileFlags, name) {
					t.Errorf("%q: files: %v", args, files)
				}
			}
		}
	}
}

// What was read is kept, and offered when the cluster cannot be asked any more.
func TestCompletionIsCached(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	at := shootCluster(t).Flags.Kubeconfig
	if offered, _ := completed(t, "upgrade", "--kubeconfig", at, ""); !slices.Equal(offered, []string{"web"}) {
		t.Fatalf("%q", offered)
	}
	if err := os.WriteFile(at, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if offered, _ := completed(t, "upgrade", "--kubeconfig", at, ""); !slices.Equal(offered, []string{"web"}) {
		t.Errorf("not kept: %q", offered)
	}
	files, err := filepath.Glob(filepath.Join(cache, "drainboard", "complete", "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%q, %v", files, err)
	}
	old := []byte(`{"groups":[{"name":"of-old"}]}`)
	if err := os.WriteFile(files[0], old, 0o600); err != nil {
		t.Fatal(err)
	}
	long := time.Now().AddDate(-1, 0, 0)
	if err := os.Chtimes(files[0], long, long); err != nil {
		t.Fatal(err)
	}
	if offered, _ := completed(t, "upgrade", "--kubeconfig", at, ""); !slices.Equal(offered, []string{"of-old"}) {
		t.Errorf("what is old is better than nothing: %q", offered)
	}
}
