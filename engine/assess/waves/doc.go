// Package waves works out how many nodes a run begins at a time, where its strategy grows: the next
// wave is twice the last one, once what that moved is Ready. It only reads.
package waves
