// Package watch shows groups to those who only look: Watch is one call of `drainboard watch`, which
// shows a group and the run in it, wherever that is driven, as a dashboard or in lines. It has no
// executor, no store and no lock, and its session only reads.
//
// PickGroup lets the user choose a group from a list that follows the cluster; the program without
// a subcommand uses it, too.
package watch
