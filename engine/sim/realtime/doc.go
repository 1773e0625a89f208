// Package realtime lets engine/live's loop drive a simulated world as it drives a real cluster: the world
// moves with the wall clock, some times as fast. It is for the demo, and for tests of the loop.
package realtime
