// Package actions carries out the engine's actions on nodes and pods. An Executor (executor.go) evicts
// and deletes pods, marks nodes and takes marks off (mark.go), reads what is on a node past every
// cache (lookup.go), and scales Deployments of one replica (deployment.go); routes/ reads what routes
// to a node.
//
// Each action is one change at most, never repeated behind the engine's back. Its outcome says
// whether it was done, was refused for certain and why, or may have happened: then CheckEffect
// reads directly whether it did.
package actions
