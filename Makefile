# Two commands on a fresh machine (Python 3.10+ and make): `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
HASHED := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r resources.txt

.PHONY: demo test lint bench soak docs clean
.DEFAULT_GOAL := help

help:  ## what there is to make
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

$(VENV)/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
		{ echo "askew needs Python 3.10 or newer; name one with: make PYTHON=python3.11 $(MAKECMDGOALS)"; exit 1; }
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/user: pyproject.toml constraints.txt resources.txt | $(VENV)/pip
	@echo "Installing askew into $(VENV) ..."
	@$(HASHED)
	@$(PIP) -e '.[language,translate,rank,bundled]'
	@touch $@

$(VENV)/dev: pyproject.toml constraints.txt resources.txt | $(VENV)/pip
	@echo "Installing askew and its development tools into $(VENV) ..."
	@$(HASHED)
	@$(PIP) -e '.[language,translate,rank,parquet,bundled,train,hf,dev,docs]'
	@touch $@ $(VENV)/user

demo: $(VENV)/user  ## install, run the main job on the embedded world, end in a report
	$(BIN)/askew demo --output demo

test: lint  ## install and run every test
	$(BIN)/python -m pytest -n 2 --dist worksteal

lint: $(VENV)/dev  ## format, lint and types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

bench: $(VENV)/dev  ## speed and memory, as ratios against named peers
	@for file in benchmarks/bench_*.py; do echo "== $$file"; $(BIN)/python $$file || exit 1; done

soak: $(VENV)/dev  ## long runs: kills at random, thousands of scenes
	$(BIN)/python -m pytest -m soak tests/soak

docs: $(VENV)/dev  ## the documentation as a web site, in site/
	$(BIN)/mkdocs build --strict

clean:  ## remove what was made
	rm -rf $(VENV) demo site build dist .pytest_cache .mypy_cache .ruff_cache
