package text

import (
	"fmt"
	"strings"
)

// Workload is a sentence about a workload.
func Workload(kind, ref, what string) string {
	return strings.TrimSpace(strings.ToLower(kind)+" "+ref) + ": " + what
}

// What became of the pods of a workload that were moved.

func WorkloadCrashes(pod, node string, others int) string {
	return fmt.Sprintf("replacement %s crash-loops on %s%s", pod, node, beside(others))
}

func WorkloadPends(pod, reason string, others int) string {
	return Because(fmt.Sprintf("replacement %s is Pending%s", pod, beside(others)), reason)
}

func WorkloadShort(budget string, short int) string {
	return fmt.Sprintf("%s fewer healthy than PDB %s requires", Plural(short, "pod"), budget)
}

func WorkloadStarts(starting int) string { return does(starting, "replacement", "start") }

func WorkloadWell(ready, moved int) string {
	return fmt.Sprintf("%s Ready, %d moved", Plural(ready, "replacement"), moved)
}

// beside counts others that are so as well.
func beside(others int) string {
	if others == 0 {
		return ""
	}
	return fmt.Sprintf(", %d more too", others)
}
