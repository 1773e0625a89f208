// Package records keeps runs in the cluster. A Record is that of one group's run (record.go): a
// ConfigMap that is written before anything else is done, and only over what this process has read
// or written last. Its form, as JSON, zipped or cut in pieces, is form.go; what keeps the pieces of
// a large one whole and removes those of earlier writes is parts.go. A few records of earlier runs
// are kept beside it (past.go).
//
// All and Past read records once, for lists; Follow has a feed tell of each change, for a dashboard
// that only looks on (follow.go). What is read is clean, also where another user has changed it.
package records
