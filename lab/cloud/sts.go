package cloud

var stsHandlers = map[string]handler{
	"GetCallerIdentity": func(c *Cloud, r *request) ([]node, *apiError) {
		return []node{text("Arn", c.faults.caller(r.key)), text("UserId", "AIDALABLABLABLABLABLA"), text("Account", Account)}, nil
	},
}
