package shoot_test

import (
	"fmt"
	"time"

	"github.com/drainboard/drainboard/providers/gardener/shoot"
)

// Plan says what a change of a Shoot does to each of its worker pools before anybody
// applies it.
func ExampleChange_Plan() {
	old, err := shoot.Decode("shoot.yaml", []byte(`
apiVersion: core.gardener.cloud/v1beta1
kind: Shoot
metadata: {name: checkout-prod, namespace: garden-shop}
spec:
  kubernetes: {version: 1.32.4}
  provider:
    type: aws
    workers:
    - name: web
      machine: {type: m5.large, image: {name: gardenlinux, version: 1592.1.0}}
      minimum: 3
      maximum: 6
      maxSurge: 1
      maxUnavailable: 0
      zones: [eu-west-1a, eu-west-1b, eu-west-1c]
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	become, err := old.WithImage("1592.2.0", []string{"web"})
	if err != nil {
		fmt.Println(err)
		return
	}
	plan := shoot.Change{Old: old, New: become, Now: time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)}.Plan()
	for _, p := range plan.Pools {
		for _, c := range p.Causes {
			fmt.Printf("%s: %s, %s → %s: %s\n", p.Name, c.Field, c.Old, c.New, c.Effect)
		}
	}
	// Output: web: spec.provider.workers[web].machine.image.version, 1592.1.0 → 1592.2.0: rolling
}
