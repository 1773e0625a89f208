package sim

// What is drawn for runs by our own rules alone (strategy drainboard), so that the seeds of others play
// what they played before there were any.

// service lets a Service lead to a workload's pods.
func (p *player) service() string {
	if p.own == nil || p.own.IntN(2) == 0 {
		return ""
	}
	return " service"
}

// ownAsks is what the user asks for beside what is asked of all.
func (p *player) ownAsks() {
	if p.own == nil {
		return
	}
	pick := func(of ...string) string { return of[p.own.IntN(len(of))] }
	p.say("settings max-surge=%s max-unavailable=%s post-drain-wait=%s on-trouble=%s",
		pick("1", "1", "2", "3", "50%", "100%"), pick("0", "0", "1", "2", "50%"), pick("60s", "20s", "5s", "2s"), pick("hold", "pause"))
	p.say("timing routes=%dms", p.own.IntN(9000))
	if p.own.IntN(8) == 0 {
		p.say("balancer takes=%ds", p.own.IntN(20))
	}
}

// ownTurns are what may happen besides.
var ownTurns = []turn{
	line(8, "fault lose kind=routes count=%s", some),
	line(8, "fault refuse kind=routes as=%s count=%s", []string{"busy", "forbidden"}, some),
	line(6, "timing routes=%s", []string{"0s", "3s", "12s", "2m"}),
	line(3, "crash %s kind=routes for=%s", []string{"before-act", "mid-act", "after-act"}, spans),
}
