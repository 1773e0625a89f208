package cloud

var stsHandlers = map[string]handler{
	"GetCallerIdentity": func(c *Cloud, r *request) ([]node, *apiError) {
		return []node{text("Arn", identity), text("UserId", "AIDALABLABLABLABLABLA"), text("Account", Account)}, nil
	},
}
