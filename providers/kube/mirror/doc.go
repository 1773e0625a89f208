// Package mirror keeps slim copies of the objects of one kind in step with the API. A Source lists and
// watches them and knows whether what was read is up to date (source.go); a Mirror takes them in, and
// passes on what differs (mirror.go); Reflector ties the two to client-go's reflector, which lists
// again when a watch ends. What happens with a change is for the caller: package feed makes the world
// of it, package commands hands commands to a run.
//
// Large lists are read while they come: of each object only the wanted fields are decoded, and the
// whole is never in memory (stream.go).
package mirror
