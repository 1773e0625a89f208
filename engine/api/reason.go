package api

// Reason is the reason of an event as programs get it. The record and the journal have older
// words for some; what is no word of the engine, such as who approved, stays as it is.
func Reason(reason string) string {
	if public, known := reasons[reason]; known {
		return public
	}
	if apart[reason] {
		return Word(reason)
	}
	return reason
}

// reasons are those that have another word here.
var reasons = map[string]string{
	"gate":          "drain-gate",
	"in sight":      "source-available",
	"left behind":   "unrestored",
	"let go on":     "continued",
	"not by us":     "external-change",
	"not complete":  "controller-not-complete",
	"not heard":     "commands-unavailable",
	"command waits": "command-waits",
	"out of sight":  "source-unavailable",
	"put back":      "restored",
	"rival":         "external-mover",
	"rival gone":    "external-mover-gone",
	"trace":         "earlier-run",
}

// apart are those of several parts, which are joined here.
var apart = map[string]bool{
	"API trouble": true, "comes back": true, "force order": true, "given up": true, "grace period": true, "in place": true,
	"launch failed": true, "launch overdue": true, "left out": true, "lock held": true, "lock lost": true, "looked up": true, "needs consent": true,
	"no journal": true, "no room": true, "nodes left by choice": true, "not evaluated": true, "not started": true,
	"record unwritten": true, "record written": true, "two budgets": true, "update failed": true,
}
