# Set-up, tests and measurements. `make run` and `make test` need Python 3.11 or newer and nothing else.
# `make bench BENCH='--case matmul* --gpu gfx942'` passes options on.

PYTHON ?= python3
BENCH  ?=
VENV   := .venv
BIN    := $(VENV)/bin
# A process a CPU, up to eight; PARALLEL= runs the tests one by one.
PARALLEL ?= -n logical --maxprocesses 8 --dist loadfile
STAMP  := $(VENV)/.softrock-installed
DEV    := $(VENV)/.softrock-dev-installed

.PHONY: run test test-all bench lint prebuild clean

run: prebuild
	$(BIN)/softrock run examples/nbody.cu

test: $(DEV) lint
	$(BIN)/python -m pytest -q $(PARALLEL) -m "not long"

test-all: $(DEV) lint
	$(BIN)/python -m pytest -q $(PARALLEL)

lint: $(DEV)
	$(BIN)/ruff check
	$(BIN)/mypy --strict

bench: prebuild $(DEV)
	@mkdir -p build
	$(BIN)/python bench/run.py --json build/bench.json --png build/bench.png $(BENCH)

prebuild: $(STAMP)
	$(BIN)/softrock prebuild

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "error: Python 3.11 or newer is needed; $(PYTHON) is $$($(PYTHON) -V 2>/dev/null || echo missing)" >&2; \
		echo "  mend: install a newer Python, or name one: make run PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { \
		echo "error: $(PYTHON) cannot make a virtual environment" >&2; \
		echo "  mend: install its venv module (Debian, Ubuntu: apt install python3-venv)" >&2; exit 1; }

$(STAMP): pyproject.toml $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(DEV): pyproject.toml $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[dev]"
	@touch $@ $(STAMP)

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
