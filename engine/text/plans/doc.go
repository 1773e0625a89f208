// Package plans has the sentences that an operator reads before a run: the plan, what stands in
// its way (preflight), the forecast, the rights that it needs, and the order of several groups.
// Package text has those of a run.
package plans
