package text

import (
	"fmt"
	"strings"
	"time"
)

// WaveFull is why no further node begins: as many as the wave has are on their way.
func WaveFull(size int) string {
	return "the next wave begins when what the " + Plural(size, "node") + " of this one held is Ready elsewhere"
}

// WaveTrouble is why no further node begins while replacements crash-loop.
func WaveTrouble(trouble string) string { return "waves hold: " + trouble }

func WaveTroubleOver(trouble string) string {
	return "waves continue at their size, this is over: " + trouble
}

// WaveSlow tells that the waves grow no more, because replacements were not Ready in time.
func WaveSlow(unready int, after time.Duration) string {
	return fmt.Sprintf("waves grow no more: %s not Ready after %s", Plural(unready, "replacement"), Seconds(after))
}

// MovesPerPod tells how often pods have moved.
func MovesPerPod(moves, pods int) string {
	return fmt.Sprintf("%s moved, %.2f moves per pod", Plural(pods, "pod"), float64(moves)/float64(max(1, pods)))
}

// mostRoutes is how many of those that route to a node are named.
const mostRoutes = 3

// RoutesAwaited tells what the wait after a drain was for: what routed to the node, and what still does;
// never: nobody has looked.
func RoutesAwaited(took time.Duration, routed, routes []string, never bool) string {
	span := Seconds(took)
	switch {
	case never:
		return fmt.Sprintf("waited %s: what routes to it is not known", span)
	case len(routes) > 0 && strings.HasPrefix(routes[0], unread):
		return fmt.Sprintf("waited %s: %s", span, routes[0])
	case len(routes) > 0:
		return fmt.Sprintf("waited %s: %s still routed to it", span, listed(routes))
	case len(routed) > 0:
		return fmt.Sprintf("waited %s: %s routed to it no more", span, listed(routed))
	}
	return fmt.Sprintf("waited %s: nothing routed to it", span)
}

// listed names the first few.
func listed(list []string) string {
	if more := len(list) - mostRoutes; more > 0 {
		return strings.Join(list[:mostRoutes], ", ") + ", " + Rest(more)
	}
	return strings.Join(list, ", ")
}

// unread begins what stands for routes that could not be read.
const unread = "what routes to it could not be read"

// RoutesUnread stands for them.
func RoutesUnread(why string) string { return Because(unread, why) }

// EveryNodeBalancer is a Service whose load balancer may use any node.
func EveryNodeBalancer(service string) string { return "load balancer " + service }
