package driver

import (
	"bytes"
	"testing"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/console"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/planner"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/session"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
)

// A plan by other settings is started by their rules, in the same roll.
func TestTakesOtherSettings(t *testing.T) {
	var out bytes.Buffer
	d := &driver{Upgrade: &Upgrade{Console: console.Console{Out: &out}, Group: "web"}, rules: strategy.EKS{}, view: session.View{World: world.New()}}
	p := snapshot.Plan{Group: "web", Strategy: "eks"}
	p.Run.Roll, p.Run.ID = "roll-1", "web-1"
	other := present.Compared{Flags: []string{"--strategy=eks-minimal"}, Plan: snapshot.Plan{Group: "web", Strategy: "eks-minimal", Limit: 2, Warnings: []string{"w"}}}
	terms := planner.Terms{Rules: strategy.EKSMinimal{}, Settings: strategy.EKSMinimal{}.Defaults()}
	d.takes(&p, other, planner.Variation{Terms: terms})
	if p.Strategy != "eks-minimal" || p.Limit != 2 || p.Run.Roll != "roll-1" || d.rules.Name() != "eks-minimal" || d.terms.Rules.Name() != "eks-minimal" || len(p.Warnings) != 1 {
		t.Errorf("%+v by %s", p, d.rules.Name())
	}
	if got := out.String(); got != "web: started with --strategy=eks-minimal\n" {
		t.Errorf("it says %q", got)
	}
}
