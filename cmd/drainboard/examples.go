package main

import "strings"

// example is a command line, without the program's name, and what it is for.
type example struct{ about, line string }

// examples are three or more for each command; that of the program itself is "".
var examples = map[string][]example{
	"": {
		{"Pick a group of the current context, and upgrade it", ""},
		{"See a roll without a cluster", "demo"},
		{"The groups of another context", "groups --context prod"},
	},
	"upgrade": {
		{"Roll what is outdated, batch by batch, each approved on the dashboard", "upgrade ng-web"},
		{"To a new image, one node first, the rest once that is approved", "upgrade ng-web --ami ami-0123456789abcdef0 --approve canary"},
		{"In a pipeline: no question, a JSON object for each event, an exit code", "upgrade ng-web --auto -o json --drain-timeout 30m"},
		{"All groups, three nodes at once, nothing that cannot end by five", "upgrade --all --max-unavailable 3 --until 05:00"},
	},
	"plan": {
		{"What an upgrade would do, and how long it takes", "plan ng-web"},
		{"The same for programs", "plan ng-web -o json"},
		{"With other limits", "plan ng-web --max-unavailable 20% --on-drain-timeout skip"},
	},
	"watch": {
		{"Look at a group, and at the run in it", "watch ng-web"},
		{"Pick the group", "watch"},
		{"In lines, for a screen reader or tee", "watch ng-web --plain"},
	},
	"groups": {
		{"The groups behind the current context", "groups"},
		{"For programs", "groups -o json"},
		{"The instance groups of kops only", "groups --provider kops"},
	},
	"status": {
		{"All runs", "status"},
		{"The run of a group", "status ng-web"},
		{"For programs: the batch that waits, and its hash", "status ng-web -o json"},
	},
	"pause": {
		{"Start nothing new in a group", "pause ng-web"},
		{"Say why, to those who watch", "pause ng-web --reason 'checkout is down'"},
		{"Wait longer for the answer", "pause ng-web --wait 1m"},
	},
	"resume": {
		{"Continue a paused run", "resume ng-web"},
		{"Say why", "resume ng-web --reason 'checkout is back'"},
		{"For programs", "resume ng-web -o json"},
	},
	"approve": {
		{"Show the batch that waits, and ask", "approve ng-web"},
		{"Approve what waits", "approve ng-web --yes"},
		{"Approve what was looked at before, and nothing else", "approve ng-web --batch 3 --hash 4f1d2a"},
	},
	"abort": {
		{"Show what stops and what is restored, and ask", "abort ng-web"},
		{"Without a question", "abort ng-web --yes --reason 'wrong image'"},
		{"And leave no machines behind: surplus nodes are drained and terminated", "abort ng-web --retire"},
		{"For programs", "abort ng-web --yes -o json"},
	},
	"retire": {
		{"Show the surplus nodes of the last run, and ask", "retire ng-web"},
		{"In a pipeline: no question, an exit code", "retire ng-web --auto"},
		{"For programs", "retire ng-web --auto -o json"},
	},
	"report": {
		{"The last run of a group, as Markdown", "report ng-web"},
		{"As a page with a timeline of each node", "report ng-web --to night.html"},
		{"A certain run", "report ng-web-20261102-090103-4f1d -o html --to night.html"},
	},
	"demo": {
		{"A roll with blocked pods", "demo"},
		{"The screen explained in six steps", "demo --tour"},
		{"By kops's rules, slower", "demo --provider kops --speed 5"},
		{"Headless, with the exit code of a real run", "demo --auto -o json"},
	},
	"completion": {
		{"Load it: source <(drainboard completion bash)", "completion bash"},
		{"For zsh", "completion zsh"},
		{"Names only", "completion fish --no-descriptions"},
	},
	"help": {
		{"What there is", "help"},
		{"All flags of an upgrade, below headings", "help upgrade"},
		{"The same, as a flag", "upgrade --help"},
	},
	"man": {
		{"For this user", "man ~/.local/share/man/man1"},
		{"For all users", "man /usr/local/share/man/man1"},
		{"Beside a package", "man package/man"},
	},
	"version": {
		{"Which version this is", "version"},
		{"For programs: commit, date and Go's version, too", "version -o json"},
		{"The same, as a flag", "--version"},
	},
}

// examplesOf are the examples of a command as its help has them, "" for none.
func examplesOf(command string) string {
	var lines []string
	for _, e := range examples[command] {
		lines = append(lines, "  # "+e.about, strings.TrimRight("  drainboard "+e.line, " "))
	}
	return strings.Join(lines, "\n")
}
