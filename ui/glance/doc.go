// Package glance draws a whole group at a glance: a strip of one glyph a node, the pace of a
// run, and its timeline, nodes replaced over time against the forecast.
package glance
