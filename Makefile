# make demo, make test: these two are all that a fresh machine needs.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed
STAMP_DEV := .venv/.installed-dev
SERVICES := .venv-services
STAMP_SERVICES := $(SERVICES)/.installed
STAMP_NODE := node_modules/.installed
# npm and Node.js of the environment, so that any machine checks scripts with the same ones.
NODE := PATH="$(CURDIR)/$(BIN):$$PATH"
DOCS := .venv-docs
STAMP_DOCS := $(DOCS)/.installed
# Modules are compiled when they are first imported, and most of them never are: to compile all took half of an installation.
# The lock files name every package: to resolve their requirements again would take 12 s.
PIP_OPTIONS := --quiet --disable-pip-version-check --no-compile --no-deps
unexport PYTHONDONTWRITEBYTECODE
# What tests read and print is UTF-8 in any locale.
export PYTHONUTF8 := 1
# Nothing of the machine that it runs on gets into the lock files.
COMPILE := $(BIN)/pip-compile --quiet --strip-extras --no-header --no-emit-index-url --no-emit-find-links

.PHONY: demo test pytest scripts slow late fuzz lint format check bench rehearsal release-check docs requirements plotly machine browser services clean

demo: $(STAMP)
	$(BIN)/python -m app demo

# COVERAGE=1 runs the slow tests too and tells which lines no test runs; tracing makes it about a third longer.
# What is missing is installed first, two parts at a time. `lint` is apart: checking types takes most of a minute of one core.
test:
	@$(MAKE) --no-print-directory -j 2 $(STAMP_DEV) machine
	@$(MAKE) --no-print-directory -j 2 scripts pytest

pytest:
	$(BIN)/pytest -n auto $(if $(COVERAGE),--cov --cov-report=term:skip-covered,-m "not slow")

# Tests that cost a second of processor each, further cases, most journeys and kills: `test` stays quick. WORKERS=1 leaves room for others,
# PART=tests/e2e/test_lab_journeys.py runs those of a part.
slow: browser services
	$(BIN)/pytest -n $(or $(WORKERS),auto) -m slow $(PART)

# Tests with threads and processes that are late: a test fails that reads an effect which it did not wait for.
# MODE=before lets threads begin late, MODE=clock makes the machine slow, PART=tests/unit/ingest runs those of a part.
# MODE=responses, MODE=frames and MODE=processor run browser tests, with pages that are late.
LATE_PAGES := $(filter responses frames processor,$(MODE))
late: $(STAMP_DEV) services $(if $(LATE_PAGES),browser)
	LATE=$(or $(MODE),after) $(BIN)/python -m pytest -n $(or $(WORKERS),auto) \
		-p tests.support.$(if $(LATE_PAGES),late_pages,late_threads) \
		-m "$(if $(LATE_PAGES),e2e,not slow and not e2e)" $(or $(PART),$(if $(LATE_PAGES),tests/e2e,tests/contract \
		tests/unit/services tests/unit/storage tests/unit/ingest tests/unit/client tests/unit/app))

# The tests that draw their inputs, with many more of them and others each time. A failure prints the input, and
# @reproduce_failure(...) to paste above the test meanwhile. SEED=number draws the same inputs again
# if the same modules are imported, PART=tests/unit/components those of a part.
fuzz: SEED := $(or $(SEED),$(shell od -An -N4 -tu4 /dev/urandom))
fuzz: $(STAMP_DEV) services
	@echo "make fuzz SEED=$(strip $(SEED)) $(if $(PART),PART=$(PART) )draws these inputs again"
	$(BIN)/pytest -n $(or $(WORKERS),auto) --hypothesis-profile=fuzz --hypothesis-seed=$(strip $(SEED)) \
		-m "hypothesis and not e2e" $(PART)

lint: $(STAMP_DEV) $(STAMP_NODE)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(NODE) node_modules/.bin/eslint .
	$(NODE) node_modules/.bin/tsc --project jsconfig.json

# The pure parts of assets/*.js, without a browser.
scripts: $(STAMP_DEV)
	$(NODE) node --test --test-reporter=dot tests/js/*.test.mjs

format: $(STAMP_DEV)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# AREA=components/memory: what a change of one room needs, in half a minute. Its tests lie below tests/unit in a folder of its name.
check: $(STAMP_DEV)
	$(BIN)/ruff check $(AREA) tests/unit/$(AREA)
	$(BIN)/ruff format --check $(AREA) tests/unit/$(AREA)
	$(BIN)/mypy $(AREA)
	$(BIN)/pytest -n auto -m "not slow and not e2e" tests/unit/$(AREA)

# REFERENCE=path/to/script.py prints ratios against the script that the method `reference` reproduces,
# TINYGRAD=path/to/python, of a Python with tinygrad 0.12, those against its viewer,
# TOOLS=path/to/python, of a Python with perfetto, viztracer, HolisticTraceAnalysis, pandas<3 and torch, their rows in the
# table of growth (TRACE_PROCESSOR=path/to/trace_processor_shell where perfetto cannot download it),
# ONLY="trends searches" runs these modules of benchmarks/ alone,
# COPIES=0 leaves out the 10,000,000 runs of month_queries, which need 20 GB of disk and half an hour.
bench: $(STAMP_DEV) services
	$(NODE) $(BIN)/python -m benchmarks.run $(if $(ONLY),--only $(ONLY)) $(if $(REFERENCE),--reference "$(REFERENCE)") $(if $(TINYGRAD),--tinygrad "$(TINYGRAD)") $(if $(TOOLS),--tools "$(TOOLS)") $(if $(COPIES),--copies $(COPIES))

# A team's installation on this machine: 100,000 runs, 100 people for five minutes, and parts of it killed meanwhile.
# OPTIONS="--runs 10000 --people 20 --seconds 60" makes it smaller.
rehearsal: $(STAMP_DEV) services
	$(BIN)/python -m benchmarks.rehearsal $(OPTIONS)

# Whether versions, changelog, lock files and generated documents agree.
release-check: $(STAMP_DEV)
	$(BIN)/python .ci/release_check.py

# The documentation as a site in build/docs; a server in this checkout has it at /docs.
docs: $(STAMP_DOCS)
	$(DOCS)/bin/python -m sphinx -W --keep-going -q -b html docs build/docs

requirements: $(STAMP_DEV)
	$(COMPILE) --output-file requirements.txt requirements.in
	$(COMPILE) --output-file requirements-full.txt requirements-full.in
	$(COMPILE) --output-file requirements-hosting.txt requirements-hosting.in
	$(COMPILE) --allow-unsafe --output-file requirements-dev.txt requirements-dev.in
	$(COMPILE) --allow-unsafe --output-file requirements-services.txt requirements-services.in
	$(COMPILE) --output-file requirements-docs.txt requirements-docs.in

# The part of plotly.js that pages and snapshots carry, in the version that plotly.py writes for.
# Its default address of maps, which the cartesian part cannot draw, is another site's: it becomes one of our own.
plotly: $(STAMP_DEV)
	version=$$($(BIN)/python -c 'from plotly.offline import get_plotlyjs_version; print(get_plotlyjs_version())') && \
	work=$$(mktemp -d) && trap 'rm -rf "$$work"' EXIT && \
	$(NODE) npm pack --silent --pack-destination "$$work" "plotly.js-cartesian-dist-min@$$version" && \
	tar -xzf "$$work"/*.tgz -C "$$work" && \
	sed 's#https://cdn.plot.ly/un/#/#' "$$work/package/plotly-cartesian.min.js" > assets/vendor/plotly-cartesian.min.js && \
	cp "$$work/package/LICENSE" assets/vendor/plotly-cartesian.LICENSE

clean:
	rm -rf .venv $(SERVICES) $(DOCS) node_modules build

# One after another, as the package manager of a machine works for one at a time.
machine: browser
	@$(MAKE) --no-print-directory services

# The headless shell opens a page in two thirds of the processor time of the whole browser; either will do.
browser:
	@command -v chromium-headless-shell >/dev/null && exit 0; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq </dev/null && \
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium-headless-shell </dev/null; then exit 0; fi; \
	for name in chromium chromium-browser google-chrome; do command -v $$name >/dev/null && exit 0; done; \
	echo "The browser tests need Chromium: install it (Debian: apt-get install chromium-headless-shell)," \
		"then run make test again." >&2; exit 1

# A database server, object storage, a provider of sign-in and a proxy, which the tests start and stop themselves.
services: $(STAMP_SERVICES)
	@ls /usr/lib/postgresql/*/bin/initdb /usr/sbin/nginx >/dev/null 2>&1 && exit 0; \
	command -v initdb >/dev/null && command -v nginx >/dev/null && exit 0; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq </dev/null && \
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
		postgresql nginx-light </dev/null; then exit 0; fi; \
	echo "The tests of hosting need PostgreSQL and nginx: install them" \
		"(Debian: apt-get install postgresql nginx-light), then run make test again." >&2; exit 1

$(STAMP_SERVICES): requirements-services.txt
	$(PYTHON) -m venv $(SERVICES)
	$(SERVICES)/bin/pip install $(PIP_OPTIONS) -r requirements-services.txt
	@touch $@

$(STAMP_NODE): package-lock.json $(STAMP_DEV)
	$(NODE) npm ci --silent --no-audit --no-fund
	@touch $@

$(STAMP_DOCS): requirements-docs.txt
	$(PYTHON) -m venv $(DOCS)
	$(DOCS)/bin/pip install $(PIP_OPTIONS) -r requirements-docs.txt
	@touch $@

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or later is needed; name one: make PYTHON=python3.11" >&2; exit 1; }
	$(PYTHON) -m venv .venv

$(STAMP): requirements.txt requirements-full.txt | .venv/bin/python
	$(BIN)/pip install $(PIP_OPTIONS) -r requirements.txt -r requirements-full.txt
	@touch $@

$(STAMP_DEV): requirements.txt requirements-full.txt requirements-hosting.txt requirements-dev.txt | .venv/bin/python
	$(BIN)/pip install $(PIP_OPTIONS) -r requirements.txt -r requirements-full.txt \
		-r requirements-hosting.txt -r requirements-dev.txt
	@touch $(STAMP) $@
