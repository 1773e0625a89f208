package api

// Exit is the last object of a command with -o json that ends with another exit code than 0 and
// has not told it yet: a refusal, and what ended a process but not its run.
type Exit struct {
	TypeMeta
	Result   string `json:"result" enum:"exit"`       // What the exit code stands for
	ExitCode int    `json:"exitCode" enum:"exitCode"` // Exit code of the process
	Message  string `json:"message"`                  // Why, for people
}
