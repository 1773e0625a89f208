// Package send sends commands to runs that another process drives: pause, resume, approve, abort.
//
// An Order finds the run, shows what the command does and prompts where needed, writes the
// command object (providers/kube/commands), and waits for the answer; answer.go returns the result as
// text, JSON and exit code. A command that no driver has received is withdrawn. A run that no
// process drives is aborted by this process itself: internal/driver resumes it to end it.
package send
