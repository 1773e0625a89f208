# Three commands are all it takes on a fresh machine: `make demo` opens the
# dashboard on a simulated cluster, `make lab` on a real control plane with an Auto
# Scaling group behind it, `make test` runs all tests. Only Go, make and git are
# needed.

STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
LAB_FLAGS ?= --nodes 12 --zones 3
UPGRADE_FLAGS ?= --force-unmanaged --delete-emptydir-data --post-drain-wait 5s

SHELL = bash
.SHELLFLAGS = -eo pipefail -c

.PHONY: build demo pictures test crash-test lint lab bench labtools clean

# Without cgo: with it, kubectl's libraries can load plugins, for which the linker has
# to keep every method of every library. The program is then three times as large.
build: ## the binary, in bin/drainboard
	CGO_ENABLED=0 go build -o bin/drainboard ./cmd/drainboard

demo: build ## the dashboard on a simulated cluster, twenty times as fast as a real one
	bin/drainboard demo $(DEMO_FLAGS)

pictures: build ## the pictures of the README and the docs, from the demo (half a minute)
	cd lab && go run ./cmd/picture

labtools: ## the lab's programs (the first build takes some minutes)
	cd lab && go run ./cmd/build

test: build labtools ## unit tests, scenarios, and rolls on the real control plane
	go test -timeout 40m ./...
	cd lab && go test -count=1 $$(go list ./... | grep -v /e2e)
	cd lab && go test -count=1 -timeout 60m -v ./e2e | grep -vE '^(=== |    --- |$$)'

SEEDS ?= 20000
BOUNDARIES ?= 3000
crash-test: ## many random clusters with random faults, every rule checked at every step; prints the figures
	go test ./engine/sim -count=1 -timeout 2h -v -run '^TestRandom$$' -seeds=$(SEEDS) | grep -vE '^=== '
	go test ./engine/sim -count=1 -timeout 2h -v -run '^TestCrashAtEveryAction$$' -boundaries=$(BOUNDARIES) | grep -vE '^(=== |    --- )'
	go test ./engine/live -count=1 -timeout 1h -v -run '^TestRivals$$' -rivals=$(SEEDS) | grep -vE '^=== '

lint: ## gofmt, go vet, staticcheck
	@out=$$(gofmt -l $$(git ls-files '*.go')); test -z "$$out" || { echo "not gofmt-ed:"; echo "$$out"; exit 1; }
	go vet ./...
	cd lab && go vet ./...
	go run $(STATICCHECK) ./...
	cd lab && go run $(STATICCHECK) ./...

lab: build labtools ## a control plane with a node group to upgrade, and the dashboard on it
	bin/lab up $(LAB_FLAGS) -- bin/drainboard upgrade ng-web $(UPGRADE_FLAGS)

bench: build labtools ## every figure of docs/speed.md, beside what it is compared with (a quarter of an hour)
	cd lab && go run ./bench

clean:
	rm -rf bin
