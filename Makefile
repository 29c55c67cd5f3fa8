SHELL := /bin/sh
.DEFAULT_GOAL := help
export PATH := $(CURDIR)/node_modules/node/bin:$(CURDIR)/node_modules/.bin:$(PATH)

.PHONY: help install packages build fmt lint unit e2e test test-cluster fuzz conformance bench demo image clean

##@ Build
build: install ## Everything that ships, into dist/
	@node tools/build.mjs

image: ## Container image `multusd` with the builder at hand (BUILDER=docker, podman, buildah)
	@tools/image.sh

clean: ## Remove what was built (node_modules stays)
	rm -rf dist shim/target

##@ Check
test: install packages ## All checks and tests; the last line adds them up
	@node tools/test.mjs

unit: build ## Unit, contract and architecture tests only
	@vitest run --project unit

e2e: build packages ## Integration and end-to-end tests against dist/ (root, real kernel)
	@vitest run --project integration --maxWorkers=3

lint: install ## Format, lint, types, layers, dead code, clippy; changes nothing
	@node tools/test.mjs --only static

fmt: install ## Format TypeScript, JSON and Rust
	@biome check --write .
	@cd shim && cargo fmt

test-cluster: ## Tests in a real cluster
	@tools/test-cluster.sh

fuzz: install ## Hostile bytes for the readers of CNI configurations, results, cache records and VERSION answers
	@node test/fuzz/fuzz.ts

conformance: build ## The same scenarios through cnitool of the real libcni and through ours (Go, root)
	@tools/conformance.sh

bench: build packages ## Start, ADD, DEL and memory beside the same plugin run bare
	@node test/bench/bench.ts

##@ See
demo: build ## A pod gets its networks and gives them back, whatever fails on the way (root)
	@tools/install-packages.sh
	@node deploy/demo/demo.mjs

help: ## This list
	@awk 'BEGIN { FS = ":.*## " } \
	  /^##@/ { printf "\n%s\n", substr($$0, 5) } \
	  /^[a-z0-9-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# Parts of the above.
install:
	@tools/install-modules.sh

# Tests that need what is not there are skipped with their reason.
packages:
	@tools/install-packages.sh || true
	@tools/install-promtool.sh || true
