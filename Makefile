# Three commands are all it takes on a fresh machine: `make demo` opens the
# dashboard on a simulated cluster, `make lab` on a real control plane with an Auto
# Scaling group behind it, `make test` runs all tests. Only Go, make and git are
# needed.

# GoReleaser 2.18 needs Go 1.27, and 2.17 a module (go-msix 0.3.1) that cannot be downloaded.
GORELEASER ?= go run github.com/goreleaser/goreleaser/v2@v2.16.0
ACTIONLINT = github.com/rhysd/actionlint/cmd/actionlint@v1.7.12
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOCYCLO = github.com/fzipp/gocyclo/cmd/gocyclo@v0.6.0
LAB_FLAGS ?= --nodes 12 --zones 3
UPGRADE_FLAGS ?= --force-unmanaged --delete-emptydir-data --post-drain-wait 5s

SHELL = bash
.SHELLFLAGS = -eo pipefail -c

.PHONY: build demo pictures test test-units test-root test-lab test-e2e crash-test crash-test-e2e mutation-test lint lab bench labtools release-check clean

# Without cgo, for all programs and tests: with it, plugins can be loaded, for which the
# linker has to keep every method of every library (the program is then three times as
# large), and what the tests share with the program would be compiled twice. -s -w leaves
# the debugger's tables out. -trimpath leaves the machine's folders out; it is in GOFLAGS,
# for the tests too, because what is compiled without it would be compiled once more.
export CGO_ENABLED = 0
export GOFLAGS += -trimpath
build: ## the binary, in bin/drainboard
	go build -ldflags='-s -w' -o bin/drainboard ./cmd/drainboard

demo: build ## the dashboard on a simulated cluster, twenty times as fast as a real one
	bin/drainboard demo $(DEMO_FLAGS)

pictures: build ## the pictures of the README and the docs, from the demo (half a minute)
	cd lab && go run ./cmd/picture

labtools: ## the lab's programs (the first build takes some minutes)
	cd lab && go run ./cmd/build

test: build labtools test-units test-e2e ## unit tests, scenarios, and rolls on the real control plane

# The lab's own tests wait most of the time, and the others compute.
test-units: ## all tests but those of rolls on the real control plane
	$(MAKE) -j2 test-root test-lab

test-root: ## unit tests, scenarios, and a sample of the random suites
	go test -timeout 40m $$(go list ./... | grep -vE '/engine/(sim|sim/play|live)$$')
	@echo "random suites: a sample from seed $(FROM) on"
	go test -timeout 40m ./engine/live -from=$(FROM)
	go test -timeout 40m ./engine/sim/play -from=$(FROM) -seeds=60
	go test -timeout 40m ./engine/sim -mutations=6 -mutations-seed=$(FROM)

test-lab: labtools ## the lab's own tests
	cd lab && go test -count=1 -p 4 $$(go list ./... | grep -v /e2e)

test-e2e: build labtools ## rolls on the real control plane; of the stories a sample, a quarter and more
	cd lab && go test -count=1 -timeout 60m -v ./e2e -sample=$(FROM) | grep -vE '^(=== |    --- |$$)'

# Random suites play seeds FROM to FROM+SEEDS-1. The first one comes from the commit's date
# (with three digits more, so that two commits have no seed in common): each commit plays
# seeds of its own, and the same ones whenever it is tested.
FROM ?= $(shell git log -1 --format=%ct000 2>/dev/null || echo 1)
SEEDS ?= 20000
# Slower suites play fewer: 3 in 20 for the rolls that crash at their actions, 1 in 10 for
# the storms and the followed updates.
BOUNDARIES ?= $(shell expr $(SEEDS) '*' 3 / 20)
STORMS ?= $(shell expr $(SEEDS) / 10)
COMPETING ?= $(SEEDS)
UPDATES ?= $(STORMS)
STARTED ?= $(SEEDS)
crash-test: ## every random suite at length, every rule checked at every step; prints figures and times (hours)
	@failed=0; \
	go test ./engine/sim/play -count=1 -timeout 24h -v -run '^Test(Random(Kops|Gardener.*|Drainboard)?|AbortInAStorm|CrashAtEveryAction.*)$$' \
		-from=$(FROM) -seeds=$(SEEDS) -storms=$(STORMS) -boundaries=$(BOUNDARIES) | grep --line-buffered -vE '^(=== | +--- PASS)' || failed=1; \
	go test ./engine/live -count=1 -timeout 24h -v -run '^Test(CompetingDrivers|FollowedUpdates|StartedUpdates)$$' \
		-from=$(FROM) -competing=$(COMPETING) -updates=$(UPDATES) -started=$(STARTED) | grep --line-buffered -vE '^(=== | +--- PASS)' || failed=1; \
	go test ./engine/sim -count=1 -timeout 2h -run '^TestMutations$$' || failed=1; \
	exit $$failed

N ?= 70
SEED ?= 1
MUTATIONS ?= bin/mutations.jsonl
mutation-test: ## mutations of the engine drawn by SEED, and who finds each (two hours; continues where it was ended)
	@mkdir -p $(dir $(MUTATIONS))
	go run ./engine/sim/mutate -n $(N) -seed $(SEED) -results $(MUTATIONS)

crash-test: crash-test-e2e
crash-test-e2e: build labtools ## all stories, of which test-e2e plays a sample
	cd lab && go test -count=1 -timeout 3h -v ./e2e | grep -vE '^(=== |    --- |$$)'

lint: ## gofmt, go vet, staticcheck, and no function of engine and cmd above complexity 20
	@out=$$(gofmt -l $$(git ls-files '*.go')); test -z "$$out" || { echo "not gofmt-ed:"; echo "$$out"; exit 1; }
	go vet ./...
	cd lab && go vet ./...
	go run $(STATICCHECK) ./...
	cd lab && go run $(STATICCHECK) ./...
	go run $(GOCYCLO) -over 20 -ignore _test engine cmd

lab: build labtools ## a control plane with a node group to upgrade, and the dashboard on it
	bin/lab up $(LAB_FLAGS) -- bin/drainboard upgrade ng-web $(UPGRADE_FLAGS)

bench: build labtools ## every figure of docs/internals/speed.md, beside what it is compared with (an hour)
	cd lab && go run ./bench

# In a clone without a remote GoReleaser asks for its address in vain, and then knows no commit
# either: git is told the address. What needs the network, once the tools are there, is skipped.
ADDRESS = https://github.com/drainboard/drainboard
release-check: ## the workflows, the release's configuration, and a release that stays in bin/release (compiles GoReleaser: 15 minutes)
	go run $(ACTIONLINT)
	$(GORELEASER) check --config .github/goreleaser.yaml
	git ls-remote --get-url >/dev/null 2>&1 || export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=remote.origin.url GIT_CONFIG_VALUE_0=$(ADDRESS); \
	$(GORELEASER) release --config .github/goreleaser.yaml --snapshot --clean --skip=sign,sbom,docker,publish

clean:
	rm -rf bin
