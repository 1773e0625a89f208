// Package watch shows groups read-only: Watch is one call of `drainboard watch`, which shows a
// group and its run, on whichever machine that is driven, as a dashboard or in plain lines. It
// has no executor, no store and no lock, and its session only reads.
//
// PickGroup lets the user choose a group from a list that follows the cluster; the program without
// a subcommand uses it as well.
package watch
