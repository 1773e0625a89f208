package script

import (
	"strings"
	"testing"
)

// TestSetTwice: a line of a script that would replace what another line of the same command has set is refused.
func TestSetTwice(t *testing.T) {
	const cluster = "cluster zones=a nodes=2"
	for _, c := range []struct{ script, refused string }{
		{cluster + "\ncluster zones=a,b nodes=3", "cluster"},
		{"seed 1\nseed 2", "seed"},
		{"timing boot=5s\ntiming ready=2s boot=6s", "boot of timing"},
		{cluster + "\nworkload web replicas=2\nworkload web replicas=3", "workload web"},
		{cluster + "\nworkload web replicas=2\nbudget web max=1\nbudget web max=2", "budget web"},
		{cluster + "\nsettings max-surge=1\nsettings max-surge=2", "max-surge of settings"},
		{cluster + "\nsettings max-surge=1 max-surge=2", "max-surge"},
		{cluster + "\nstart\ncrash kind=evict\ncrash kind=label", "crash"},
		{cluster + "\nstart\nfault chance p=0.1\nfault chance p=0.2", "fault chance"},
		{cluster + "\nstart\nfault lose kind=evict count=1\nfault lose kind=evict count=2", "fault lose kind=evict"},
		{"timing boot=5s\ntiming ready=2s\n" + cluster + "\nworkload web replicas=2\nworkload db replicas=1\nbudget web max=1\nbudget second app=web max=1\nsettings max-surge=1\nsettings drain-timeout=1m", ""},
		{cluster + "\nstart\nfault lose kind=evict count=1\nfault lose kind=label count=1\nuser scale group=+1\nuser scale group=+1", ""},
	} {
		_, err := New().Do(c.script)
		switch want := ": " + c.refused + " is set a second time"; {
		case c.refused == "" && err != nil:
			t.Errorf("%s\nis refused: %v", c.script, err)
		case c.refused != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s\nis not refused for %q: %v", c.script, want, err)
		}
	}
}
