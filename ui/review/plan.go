package review

// Plan is a plan to be decided on.
type Plan struct {
	// Title names the group and what is to be done.
	Title string
	// Verdict is how the run would end; Alarms: not well.
	Verdict string
	Alarms  bool
	// Facts are what is to be known at once, a sentence each.
	Facts []string
	// Sections follow, to scroll.
	Sections []Section
	// Refused is why it cannot be started, "" if it can.
	Refused string
}

// Section is a part of a plan.
type Section struct {
	Name string
	// Lines are sentences, which are wrapped, or the lines of a Table, which are cut.
	Lines []string
	Table bool
	// Trouble: it is about what may go wrong.
	Trouble bool
}

// Variant is the plan by other settings.
type Variant struct {
	Plan
	// Cells are its row, as Comparison.Heads has them.
	Cells []string
}

// Comparison is what different settings would make of a plan; the first are those given.
type Comparison struct {
	// Heads name the columns. Where they do not all fit, the last ones go.
	Heads    []string
	Variants []Variant
}
