// Package flags has the flags that several commands take: where groups are (Where), what a run
// does (Roll), and what a Gardener worker pool is changed to.
//
//   - rollflags.go is what all rolls have; paceflags.go, kopsflags.go, gardenerflags.go and
//     strategyflags.go are its parts. Their values become settings of a run in one place, Roll.Request.
//   - whereflags.go finds a group: provider, account, Shoot. scopeflags.go selects several groups.
//   - commandline.go returns the flags that were given, for commands that are suggested to the user.
//   - variations.go sets one flag after the other, for plan --compare.
//
// Flags of one command alone are with the command. Nothing here talks to a cluster.
package flags
