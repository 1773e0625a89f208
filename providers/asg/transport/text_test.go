package transport

import (
	"slices"
	"strings"
	"testing"
)

func TestShort(t *testing.T) {
	got := Short(strings.Repeat("ä", 400) + "\n")
	if len(got) > 310 || !strings.HasSuffix(got, "…") {
		t.Errorf("got %d bytes: %q", len(got), got)
	}
	if got := Short("  a \n\n b  "); got != "a b" {
		t.Errorf("got %q", got)
	}
}

func TestFirstSentence(t *testing.T) {
	for in, want := range map[string]string{
		"We currently do not have sufficient m5.large capacity in the Availability Zone you requested (eu-west-1a). Our system will be working on it. Launching EC2 instance failed.": "We currently do not have sufficient m5.large capacity in the Availability Zone you requested (eu-west-1a)",
		"Could not launch Spot Instances. UnfulfillableCapacity - Unable to fulfill capacity due to your request configuration. Launching EC2 instance failed.":                       "UnfulfillableCapacity - Unable to fulfill capacity due to your request configuration",
		"Launching EC2 instance failed.": "Launching EC2 instance failed.",
		"":                               "",
	} {
		if got := FirstSentence(in); got != want {
			t.Errorf("firstSentence(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestNear(t *testing.T) {
	names := []string{"web-blue", "web-green", "batch", "prod-workers-a", "prod-workers-b"}
	for in, want := range map[string][]string{
		"web-bleu":     {"web-blue"},
		"Batch":        {"batch"},
		"prod-workers": {"prod-workers-a", "prod-workers-b"},
		"zzz":          nil,
	} {
		if got := Near(in, names); !slices.Equal(got, want) {
			t.Errorf("near(%q) = %v, want %v", in, got, want)
		}
	}
}
