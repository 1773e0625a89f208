// Package forecast foresees how runs end: By returns what rehearses a run, within a limit of time.
// Plans, drivers and watches use it.
package forecast
