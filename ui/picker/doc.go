// Package picker is choosing a group: Pick on a screen, with a filter and a list that
// follows the cluster, PickFromLines by a number or a name.
package picker
