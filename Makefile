# Building and testing need only Go; .ci/run, releases and packages also need curl and
# the GNU tools. Other tools are fetched into the cache directory, never into the
# repository.

CACHE     ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/ccwatchd-development
LINTER    := $(CACHE)/golangci-lint-v2.15.0
NFPM      := $(CACHE)/nfpm-v2.45.1/nfpm
RELEASER  := $(CACHE)/goreleaser-v2.13.3/goreleaser
PLATFORMS := $(foreach os,linux darwin windows freebsd,$(os)/amd64 $(os)/arm64) linux/arm
ORACLE    ?=
TREES     ?= testdata/fixtures
CUTS      ?= 8
SIZE      ?= 2GB
RUNS      ?= 5
REQUESTS  ?=
CORPUS    ?= $(CACHE)/corpus-$(SIZE)$(REQUESTS:%=-requests-%)
CCUSAGE   := $(CACHE)/ccusage-20.0.24
FILES     ?= 5000
DIRS      ?= 800
DURATION  ?= 1m
SEED      ?=
SESSIONS  ?=
MEGABYTES ?= 200
VERSION   ?= $(or $(patsubst v%,%,$(shell git describe --tags --exact-match 2>/dev/null)),0.0.0)
SUITE     ?= bookworm
RELEASED  := $(patsubst linux-arm,linux-armv7,$(subst /,-,$(PLATFORMS)))
export CACHE

.PHONY: help build test race arm64 purego lint cross check-metrics check-rules check-units check-scripts reference genuine live compare latency enums claude torture polling tools servers endtoend fleet vuln docs \
        dashboards check-dashboards generated check-compose check-preview check-page pictures dist packages \
        release snapshot check-packages reproducible machine-test clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## /{printf "%-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## Build ./ccwatchd
	CGO_ENABLED=0 go build -trimpath ./cmd/ccwatchd

test: ## Run the tests
	go test ./...

# The packages that start goroutines, or whose methods are called concurrently.
CONCURRENT := ./cmd/ccwatchd ./daemon ./follow ./internal/... ./metrics ./push ./server ./state/... ./tailer ./usage/api ./usage/top ./watcher

race: ## Run the tests with the race detector, in random order; RACE=concurrent omits packages without goroutines
	go test -race -shuffle=on $(if $(filter concurrent,$(RACE)),$(CONCURRENT),./...)

arm64: ## Test the vector instructions of arm64, and timestamps on 32 bits, in an emulator
	.ci/arm64

purego: ## Test without vector instructions
	go test -tags purego -run 'Mark|Scan|OddLines|FuzzParse' ./transcript

lint: $(LINTER)/golangci-lint ## Check format, style, common mistakes and go.mod
	$< config verify
	$< run ./...
	go mod tidy -diff

$(LINTER)/golangci-lint:
	GOBIN=$(@D) go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(subst golangci-lint-,,$(notdir $(@D)))

cross: $(PLATFORMS) ## Build for every supported platform, and vet for systems other than Linux

# Builds that only check compilation are not optimized, which saves a third of the
# time; linux/amd64 is, because packages are built from the same cache.
.PHONY: $(PLATFORMS)
$(PLATFORMS): export CGO_ENABLED = 0
$(PLATFORMS): FLAGS = -trimpath $(if $(filter-out linux/amd64,$@),-gcflags='all=-N -l')
$(PLATFORMS):
	GOOS=$(@D) GOARCH=$(@F) go build $(FLAGS) -o /dev/null ./cmd/ccwatchd
	$(if $(filter %/amd64,$(filter-out linux/%,$@)),GOOS=$(@D) GOARCH=$(@F) go vet $(FLAGS) ./...)

check-metrics: ## Check the exposition with promtool
	CACHE="$(CACHE)" .ci/check-metrics

check-rules: ## Check and test the rules for Prometheus with promtool
	CACHE="$(CACHE)" .ci/check-rules

check-units: ## Check the units with systemd
	.ci/check-units

check-scripts: ## Check shell scripts with ShellCheck, and workflows with actionlint
	CACHE="$(CACHE)" .ci/check-scripts

reference: ## Compare with the references: make reference ORACLE=oracle.py TREES="--each DIR..." CUTS=8
	go run ./test/reference/compare $(if $(ORACLE),--oracle "$(ORACLE)") --cuts "$(CUTS)" $(TREES)

genuine: ## Compare with a reference and genuine sessions that are not in the repository: make genuine GENUINE=DIR
	.ci/genuine "$(GENUINE)"

live: ## Write genuine sessions into a daemon that is killed repeatedly: make live SESSIONS=DIR MEGABYTES=200
	CCWATCHD_SESSIONS="$(abspath $(SESSIONS))" CCWATCHD_SESSIONS_MB=$(MEGABYTES) go test -count=1 -run '^TestSessions$$' -v -timeout 30m ./cmd/ccwatchd

compare: $(CORPUS) ## Compare speed and totals with wc, jq and ccusage: make compare SIZE=200MB REQUESTS=30 RUNS=3
	CGO_ENABLED=0 go build -trimpath -o "$(CACHE)/compared/ccwatchd" ./cmd/ccwatchd
	-[ -e "$(CCUSAGE)" ] || npm install --prefix "$(CCUSAGE)" --no-save --no-audit --no-fund ccusage@$(patsubst ccusage-%,%,$(notdir $(CCUSAGE)))
	-chmod +x "$(CCUSAGE)"/node_modules/@ccusage/*/bin/ccusage
	.ci/compare "$(CORPUS)" $(RUNS) "$(CACHE)/compared/ccwatchd" "$$(echo "$(CCUSAGE)"/node_modules/@ccusage/*/bin/ccusage)"

$(CACHE)/corpus-%:
	rm -rf "$@.new"
	go run ./test/corpus/generate --size=$(firstword $(subst -, ,$*)) $(REQUESTS:%=--requests=%) "$@.new"
	mv "$@.new" "$@"

latency: RUNS = 20
latency: ## Measure polling, the time to the counter and the idle cost: make latency FILES=5000 DIRS=800 RUNS=20
	FILES=$(FILES) DIRS=$(DIRS) go test -tags endtoend -run '^$$' -bench Polling -benchtime $(RUNS)x -timeout 2h ./test/endtoend

tools: $(LINTER)/golangci-lint $(NFPM) ## Build the tools for checks and packages

servers: ## Build or fetch the servers that the end-to-end tests run
	for name in prometheus promtool alertmanager victoria-metrics mimir; do test/endtoend/servers/path $$name || exit 1; done
	test/endtoend/servers/path old/prometheus || [ $$? = 3 ]

endtoend: servers ## Run ccwatchd with Prometheus, Alertmanager and VictoriaMetrics
	go vet -tags endtoend ./test/endtoend/...
	go test -tags endtoend -count=1 -v -timeout 20m ./test/endtoend/...

fleet: ## Run 200 daemons that send to one Mimir, with known totals
	test/endtoend/servers/path mimirtool
	go vet -tags endtoend,fleet ./test/endtoend
	go test -tags endtoend,fleet -count=1 -v -run '^TestFleet$$' -timeout 30m ./test/endtoend

# Versions of Claude Code, the newest and one of each way of writing transcripts.
CLAUDE_ERAS := newest 2.1.300 2.1.260 2.1.232 2.1.97 2.1.70 2.1.45 2.1.20 2.0.60 2.0.36 1.0.30

claude: ## Run the real Claude Code against a scripted API, and compare: make claude VERSION=2.1.332 UPDATE=1 GOLDEN=1
	go run ./test/claudecode/run --claude="$(if $(filter command environment,$(firstword $(origin VERSION))),$(VERSION),newest)" \
		$(if $(UPDATE),--update) $(if $(GOLDEN),--golden=testdata/claudecode)

vuln: ## Look for known vulnerabilities in dependencies; queries https://vuln.go.dev
	go run golang.org/x/vuln/cmd/govulncheck@v1.8.0 ./...

enums: ## Compare our lists of values with the newest public declarations of Claude Code, from npm
	rm -rf "$(CACHE)/agent-sdk"
	mkdir -p "$(CACHE)/agent-sdk"
	cd "$(CACHE)/agent-sdk" && npm pack --silent @anthropic-ai/claude-agent-sdk && tar -xzf *.tgz package/sdk.d.ts
	go run ./test/enums "$(CACHE)/agent-sdk/package/sdk.d.ts"

torture: ## Check under random faults that no count is lost: make torture DURATION=1h SEED=7
	go run ./test/torture/run --duration "$(DURATION)" $(if $(SEED),--seed "$(SEED)")

polling: ## Run the tests of the daemon, of faults and the torture without file events
	go test -tags polling -timeout 30m ./daemon ./cmd/ccwatchd
	go run ./test/torture/run --polling --duration "$(DURATION)"

docs: ## Generate the documentation
	go test ./metrics -run Document -update
	go test ./docs -run Architecture -update
	go test ./cmd/ccwatchd -run Manual -update

dashboards: ## Generate the dashboards for Grafana
	go run -C packaging/grafana/generate .

check-dashboards: $(LINTER)/golangci-lint ## Check the dashboards and their generator
	cd packaging/grafana/generate && go test ./... && go vet ./... && go mod tidy -diff && $< run ./...

check-compose: $(LINTER)/golangci-lint ## Check the files for Docker Compose with its own parser
	cd packaging/compose && go test ./... && go vet ./... && go mod tidy -diff && $< run ./...

check-preview: ## Draw the dashboards with Grafana's packages in a browser, and check them
	packaging/grafana/preview/run

check-page: ## Open the page of the daemon in a browser, and check it
	test/page/run

pictures: ## Draw the dashboards and the page, and update their pictures in the documentation
	packaging/grafana/preview/run --pictures=../../../docs/images
	test/page/run --document=../../docs/images/page.png

dist: $(RELEASED:%=dist/ccwatchd-%) ## Build the programs of a release: make dist VERSION=1.2.3

.PHONY: $(RELEASED:%=dist/ccwatchd-%)
$(RELEASED:%=dist/ccwatchd-%): dist/ccwatchd-%:
	VERSION=$(VERSION) packaging/build $(subst -, ,$*) $@$(if $(filter windows-%,$*),.exe)

packages: $(NFPM) ## Build the packages for Linux: make packages VERSION=1.2.3
	NFPM=$< VERSION=$(VERSION) packaging/packages dist/packages

$(NFPM):
	GOBIN=$(@D) go install github.com/goreleaser/nfpm/v2/cmd/nfpm@$(subst nfpm-,,$(notdir $(@D)))

release:  ## Draft a signed release of the tag of this commit
snapshot: ## Build everything that a release contains, without signing or publishing
release:  OPTIONS = --release-notes=dist/changes.md
snapshot: OPTIONS = --snapshot --skip=publish,sign
release snapshot: $(RELEASER) $(NFPM)
	$< check
	mkdir -p dist
	$(if $(filter release,$@),VERSION=$(VERSION) packaging/changes >dist/changes.md)
	NFPM=$(NFPM) VERSION=$(VERSION) LDFLAGS="$$(VERSION=$(VERSION) packaging/ldflags)" $< release --clean $(OPTIONS)
	VERSION=$(VERSION) packaging/manifests dist/release/SHA256SUMS dist/manifests

$(RELEASER):
	GOBIN=$(@D) go install github.com/goreleaser/goreleaser/v2@$(subst goreleaser-,,$(notdir $(@D)))

check-packages: packages ## Check the packages with the tools of their systems, and run programs for other machines
	packaging/test/check-packages dist/packages $(VERSION)
	packaging/test/container
	packaging/test/windows

reproducible: $(NFPM) ## Build the packages of the last commit twice and compare them
	NFPM=$< packaging/test/reproducible

machine-test: $(NFPM) ## Test the packages in a Debian booted by systemd: make machine-test SUITE=bookworm
	NFPM=$< packaging/test/machine $(SUITE)

generated: ## Check that generated documents and dashboards are current
	.ci/generated

# The parts of "make nightly". Each takes less than an hour on two cores.
NIGHTLY := nightly-tests nightly-race nightly-polling nightly-systems nightly-references nightly-servers nightly-torture nightly-claude nightly-packages
.PHONY: nightly $(NIGHTLY)
nightly: $(NIGHTLY) ## Run everything that takes too long for each change, in parts
$(NIGHTLY): export CCWATCHD_TESTS = large

nightly-tests: ## Run all tests with large inputs, and each fuzz test for a minute
	go test -timeout 30m ./...
	.ci/fuzz 1m

nightly-race: ## Run all tests with the race detector and large inputs
	go test -race -shuffle=on -timeout 50m ./...

nightly-polling: DURATION = 10m
nightly-polling: polling ## Run tests without file events, with large inputs

nightly-systems: arm64 purego cross vuln ## Test and build for other systems and processors

nightly-references: ## Compare fixtures and new generated sessions with the second implementation, and with ORACLE
	rm -rf "$(CACHE)/corpus-nightly"
	go run ./test/corpus/generate --size 100MB --seed "$$(date +%s)" "$(CACHE)/corpus-nightly"
	$(MAKE) reference TREES="--each testdata/fixtures" && $(MAKE) reference TREES="$(CACHE)/corpus-nightly/projects" CUTS=0

nightly-servers: endtoend fleet ## Run ccwatchd with real servers

nightly-torture: DURATION = 30m
nightly-torture: torture ## Check under random faults for half an hour that no count is lost

nightly-claude: ## Run the newest Claude Code and ten older versions against a scripted API
	go run ./test/claudecode/run --require $(CLAUDE_ERAS:%=--claude=%)

nightly-packages: check-rules check-packages reproducible machine-test check-units check-scripts check-compose check-dashboards check-preview check-page ## Check packages, pages and dashboards

clean: ## Remove the build output
	rm -rf ccwatchd dist
