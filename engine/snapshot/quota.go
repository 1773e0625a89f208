package snapshot

// Quota is an account's limit on the vCPUs of running machines of some kinds.
type Quota struct {
	// Name is the cloud's own; Family is that of the group's machines, Spot: they are counted apart.
	Name   string `json:"name"`
	Family string `json:"family"`
	Spot   bool   `json:"spot,omitempty"`
	// Limit and Used are in vCPUs, Each is how many the largest machine of the group has.
	Limit int `json:"limit"`
	Used  int `json:"used"`
	Each  int `json:"each"`
}

// Room is how many machines more the limit admits.
func (q Quota) Room() int {
	if q.Each == 0 {
		return 0
	}
	return max(0, (q.Limit-q.Used)/q.Each)
}
