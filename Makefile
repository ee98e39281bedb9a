# Every target sets up what it needs: a machine with python3 and make is enough.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
comma := ,
# What is installed so far: a file for each extra. The demonstration waits for the first only.
APP := $(VENV)/.app
READY := $(VENV)/.ready
DOCS := $(VENV)/.docs
DATA := $(VENV)/.data
PEERS := $(VENV)/.peers
PYTHONS ?= python3.11 python3.12 python3.13
PAGES := docs/_build/html
# Tests run on all cores; the linear algebra inside each of them on one.
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1
export MPLBACKEND := Agg

.PHONY: help setup demo reproduce test tests kernels browser pythons version lint validate reality peers bench docs clean
help:            ## show this list
	@grep -E '^[a-z]+:.*##' Makefile | sed 's/:.*##/ -/'

# A step that takes a while: says what it does, a dot each second, and what the tools printed only if they fail.
define step
@mkdir -p $(VENV); printf '%s ' '$(1)'; begun=$$(date +%s); \
(while sleep 1 && kill -0 $$$$ 2> /dev/null; do printf .; done) & dots=$$!; \
{ $(2); } > $(VENV)/log 2>&1; status=$$?; kill $$dots; wait $$dots 2> /dev/null; \
if [ $$status -eq 0 ]; then echo " $$(( $$(date +%s) - begun )) s"; else echo ' failed:'; cat $(VENV)/log; fi; exit $$status
endef
# Kernels that the demonstration needs, compiled in the background; what fails here is compiled when it is needed.
compiled = PYTHONPATH=src $(BIN)/python -m vieta.warm_up & kernels=$$!
install = PIP_CONSTRAINT=constraints.txt $(BIN)/python -m pip install --disable-pip-version-check

setup: $(READY)  ## make the environment in .venv

$(APP): pyproject.toml constraints.txt
	$(call step,making the environment in $(VENV),$(PYTHON) -m venv $(VENV))
	$(call step,installing what computes,$(install) --no-compile numba scipy)
	$(call step,installing vieta and what reads and draws$(comma) and compiling kernels meanwhile,$(compiled); $(install) -e '.[app]'; \
	  status=$$?; wait $$kernels; (exit $$status))
	@touch $@

$(READY): $(APP)
	$(call step,installing the tools of the tests,$(install) -e '.[app$(comma)dev]')
	@touch $@

$(DOCS): $(READY)
	$(call step,installing the tools of the pages,$(install) -e '.[docs]')
	@touch $@

$(DATA): $(READY)
	$(call step,installing the packages with data,$(install) -e '.[reality]')
	@touch $@

$(PEERS): $(READY)
	$(call step,installing the packages to compare with,$(install) -e '.[peers]')
	@touch $@

demo: $(APP)     ## fit and audit a winter of anonymous meter readings: tables, pictures, pages
	$(BIN)/vieta demo --output demo

reproduce: $(APP) ## the paper's Examples 1-4: figures and verdicts
	$(BIN)/vieta reproduce all --output demo

lint: $(READY)   ## style, types, layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

# What takes one core each goes side by side: tools and checks on one, kernels on the other, once for all processes of the tests.
test:            ## everything that must pass
	@$(MAKE) --no-print-directory -j 2 lint kernels
	@$(MAKE) --no-print-directory tests

kernels: $(APP)  # what fails here is compiled when it is needed
	@$(BIN)/vieta doctor --compile > $(VENV)/kernels 2>&1 || true

pythons:         ## the tests with every Python that is declared, each in an environment of its own
	@for python in $(PYTHONS); do \
	  $(MAKE) --no-print-directory PYTHON=$$python VENV=$(VENV)-$$python version tests || exit 1; done

version: $(READY)
	@$(BIN)/python --version

tests: $(READY)
	$(BIN)/pytest -n 2 -m 'not slow and not browser'

browser: docs     ## every flow of the page in a browser, and the docs, whose pages must fit their window; skipped without chromium
	$(BIN)/pytest -rs tests/page/test_browser.py tests/page/test_live_server.py

validate: $(READY) $(DATA) $(PEERS) ## the long studies, with the slow tests; a run that was ended goes on
	$(BIN)/python -m studies

reality: $(DATA)  ## real panels without names: a table, docs/reality.md, and pictures in validate/reality
	$(BIN)/python -m studies --only reality

peers: $(PEERS)   ## other packages on the same data: tables, docs/peers.md; a run that was ended goes on
	$(BIN)/python -m studies --only peers

bench: $(READY)  ## timings, as ratios within one run, on a machine without other work; ONLY="threads parquet" runs these
	$(BIN)/python -m benchmarks $(ONLY)

docs: $(DOCS)     ## the documentation in docs/_build/html; it needs no network
	$(BIN)/sphinx-build -q -E -W -b html docs $(PAGES)
	$(BIN)/python docs/_ext/offline.py $(PAGES)
	@echo "Open $(PAGES)/index.html"

clean:           ## remove what the other targets made
	rm -rf $(VENV) $(PYTHONS:%=$(VENV)-%) demo docs/_build .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +
