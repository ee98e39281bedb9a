# Every target sets up what it needs: a machine with python3 and make is enough.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PAGES := docs/_build/html
# Tests run on all cores; the linear algebra inside each of them on one.
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1
export MPLBACKEND := Agg

.PHONY: help setup demo reproduce test lint validate bench docs clean
help:            ## show this list
	@grep -E '^[a-z]+:.*##' Makefile | sed 's/:.*##/ -/'

setup: $(READY)  ## make the environment in .venv

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	PIP_CONSTRAINT=constraints.txt $(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[app,dev]'
	@touch $@

demo: $(READY)   ## fit and audit a winter of anonymous meter readings: tables, pictures, pages
	$(BIN)/vieta demo --output demo

reproduce: $(READY) ## the paper's Examples 1-4: figures and verdicts
	$(BIN)/vieta reproduce all --output demo

lint: $(READY)   ## style, types, layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

test: lint       ## everything that must pass
	$(BIN)/pytest -n 2 -m 'not slow'

validate: $(READY) ## the long studies, with the slow tests; a run that was ended goes on
	$(BIN)/python -m studies

bench: $(READY)  ## timings, as ratios within one run
	$(BIN)/python -m benchmarks

$(VENV)/.docs: $(READY)
	PIP_CONSTRAINT=constraints.txt $(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[docs]'
	@touch $@

docs: $(VENV)/.docs ## the documentation in docs/_build/html; it needs no network
	$(BIN)/sphinx-build -q -E -W -b html docs $(PAGES)
	$(BIN)/python docs/_ext/offline.py $(PAGES)
	@echo "Open $(PAGES)/index.html"

clean:           ## remove what the other targets made
	rm -rf $(VENV) demo docs/_build .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +
