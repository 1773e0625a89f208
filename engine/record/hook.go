package record

// Hooks are the user's own commands around a node: those before it say whether its
// drain may start, those after it are told that its machine is gone. What they run is
// the business of what carries out RunHook; that there are some is in the settings.

// HookPhase says on which side of a node its hooks run.
type HookPhase string

// Hook phases.
const (
	BeforeNode HookPhase = "before-node"
	AfterNode  HookPhase = "after-node"
)

// Gone is a node whose machine is gone, and whose hooks are yet to run.
type Gone struct {
	Machine string `json:"machine"`
	Node    string `json:"node"`
	Zone    string `json:"zone,omitempty"`
}

// Side is "before" or "after".
func (a Action) Side() string {
	if a.Phase == BeforeNode {
		return "before"
	}
	return "after"
}
