// Package accuracy measures forecasts on random clusters. Each Cluster has durations, capacities,
// crash-loops and launch failures that are drawn apart and that the forecast cannot read: it gets
// the View, as a driver does. Play forecasts the roll at its start and while it lasts, rolls the
// cluster to its end, and says what was foreseen and what came. Table counts misses and false
// alarms by kind of fault.
//
// `cd lab && go run ./bench -only foresee` plays 200 clusters; a sample is a test.
package accuracy
