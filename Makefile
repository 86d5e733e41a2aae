# Each target sets up what it needs first (scripts/setup), which does nothing twice. The work is in scripts/.
# PORT=8788 make run     serves on another port; PORT=8788 make demo uses what serves there
# VERBOSE=1 make demo    prints every request, program and response
# CODEMODE_CACHE=/path   keeps toolchain and caches elsewhere than ~/.cache/codemode-database

.DEFAULT_GOAL := help
.PHONY: help setup build run test demo bench size openapi mcp-tools limits lint fmt deploy-build package package-times template-lock picture clean

help: ## List the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' Makefile | awk -F'|' '{printf "%-20s %s\n", $$1, $$2}'

setup: ## Install everything that the other targets need
	@scripts/setup

build: ## Build the Worker into build/
	@scripts/build run

run: ## Build the Worker and serve it on http://127.0.0.1:8787
	@scripts/run

test: ## Run every test: host, contract, workerd
	@scripts/test

demo: ## Load real tables and analyse them through the HTTP API
	@scripts/build run
	@scripts/with-env node demo/run.mjs

bench: ## Measure against a JavaScript Durable Object and SQLite in Node
	@scripts/build bench
	@scripts/build test
	@scripts/setup bench
	@scripts/with-env node bench/run.mjs

size: ## Show what each crate adds to the bundle
	@scripts/build bench
	@scripts/with-env node bench/size.mjs

openapi: ## Write the OpenAPI document again, after routes or operations have changed
	@CODEMODE_WRITE_OPENAPI=1 scripts/with-env cargo test --quiet --lib api::openapi

mcp-tools: ## Write the reference of the MCP tools again, after the table of tools has changed
	@CODEMODE_WRITE_MCP_TOOLS=1 scripts/with-env cargo test --quiet --test it docs::mcp_tools

limits: ## Write the values of limits into their pages again, after a limits.rs has changed
	@CODEMODE_WRITE_LIMITS=1 scripts/with-env cargo test --quiet --test it both_pages_of_limits

lint: ## Format, lints, licences, documentation; warnings are errors
	@scripts/lint

fmt: ## Format the Rust code
	@scripts/with-env cargo fmt --all

deploy-build: ## Make what would be deployed and check its size
	@scripts/deploy-build

package: ## Make the npm package codemode-database in build-package/ and check its size
	@scripts/package

package-times: ## Print sizes of the npm package, and times from one line in a shell to the first response
	@scripts/package
	@scripts/with-env node bench/package.mjs

template-lock: ## Write template/package-lock.json again, after an update of what the template depends on
	@scripts/package test
	@scripts/with-env node scripts/template-lock.mjs build-package-test

picture: ## Make the picture of the README again, from the console in Chromium
	@scripts/setup test
	@scripts/build test
	@scripts/with-env node scripts/picture.mjs

clean: ## Remove what was built here, and the local data
	@scripts/clean
