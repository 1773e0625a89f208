// Package rehearse forecasts how a run will end: it plays the run to its end by the engine's own rules in a
// copy of the world (sim.From), by durations that were learnt (engine/learn) or are guessed. Foresee plays
// it by the likeliest ones and again by drawn ones, and sums that up; Once plays it once. Both stop where
// their context ends, and change neither the world nor the run.
//
// What the group's own controller does meanwhile, in a run that follows one, is played as well
// (sim.Sim.DrivesItself).
package rehearse
