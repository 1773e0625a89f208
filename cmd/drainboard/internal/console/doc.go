// Package console is a command's user interface: Console has the streams of the process,
// without control characters, prompts, and has the appearance of a dashboard; Face
// chooses between a dashboard, plain lines, and no prompts at all.
package console
