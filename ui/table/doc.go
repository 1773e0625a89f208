// Package table draws a node in a line: which columns fit a width, their headings, and the
// cells of a row. It knows no cursor and no window; the board decides which rows are shown.
package table
