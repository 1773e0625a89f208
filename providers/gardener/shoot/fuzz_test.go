package shoot

import (
	"os"
	"testing"
)

// FuzzPlan plans the change from one manifest to another, whatever they are: it ends in an
// error or a plan, and in a plan of no change if they are the same.
func FuzzPlan(f *testing.F) {
	base, err := os.ReadFile("testdata/base.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(base, []byte(small))
	f.Add([]byte(small), base)
	f.Add([]byte(small), []byte(small[:len(small)-2]+", provider: {workers: [{name: a, kubernetes: {kubelet: {kubeReserved: {cpu: 1}, evictionHard: {}}}, zones: [], maxSurge: 1%}]}}\nstatus: {inPlaceUpdates: {pendingWorkerUpdates: {manualInPlaceUpdate: [a]}}}\n"))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		old, err := Decode("a", a)
		if err != nil {
			return
		}
		wanted, err := Decode("b", b)
		if err != nil {
			return
		}
		become, _, err := old.Apply(wanted)
		if err != nil {
			return
		}
		for _, again := range []func() (*Shoot, error){
			func() (*Shoot, error) { return become, nil },
			func() (*Shoot, error) { return become.WithKubernetes("1.32.0", nil) },
			func() (*Shoot, error) { return become.WithImage("1.0.0", nil) },
			func() (*Shoot, error) { return become.WithOperation("rollout-workers=*") },
		} {
			if s, err := again(); err == nil {
				Change{Old: old, New: s, Now: start}.Plan()
			}
		}
		if p := (Change{Old: old, New: old, Now: start}).Plan(); p.Start.When == StartWindow {
			t.Errorf("no change waits for %v", p.Start)
		}
	})
}
