# Two commands on a fresh machine (Python 3.10+ and make): `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Locks are complete, so nothing is resolved; build tools are locked too, so nothing is built in isolation.
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation
LOCKED := $(INSTALL) --require-hashes -r
# Tags and answers must be the same on another processor: they decide texts and scores.
KERNEL_TESTS := tests/language/test_tagger.py tests/models/test_onnx_model.py
# Where this is set, every process compiles some 500 modules again: seconds per start.
export PYTHONDONTWRITEBYTECODE =

.PHONY: demo test kernels lint bench soak docs pictures lock sbom clean
.DEFAULT_GOAL := help

help:  ## what there is to make
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

$(VENV)/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
		{ echo "askew needs Python 3.10 or newer; name one with: make PYTHON=python3.11 $(MAKECMDGOALS)"; exit 1; }
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/user: pyproject.toml locks/build.txt locks/user.txt | $(VENV)/pip
	@echo "Installing askew into $(VENV) ..."
	@$(LOCKED) locks/build.txt
	@$(LOCKED) locks/user.txt
	@$(INSTALL) -e .
	@touch $@

$(VENV)/dev: pyproject.toml locks/build.txt locks/dev.txt locks/torch.txt locks/cuda.txt | $(VENV)/pip
	@echo "Installing askew and its development tools into $(VENV) ..."
	@$(LOCKED) locks/build.txt
	@$(LOCKED) locks/dev.txt
	@# A file that pip finds without an index comes first for PyTorch: the CPU build, where there is one.
	@$(LOCKED) locks/torch.txt --no-index 2>/dev/null || $(LOCKED) locks/torch.txt
	@if $(BIN)/python -m pip show torch | grep -q '^Requires:.*nvidia'; then $(LOCKED) locks/cuda.txt; fi
	@$(INSTALL) -e .
	@$(BIN)/python -m pip check
	@touch $@ $(VENV)/user

demo: $(VENV)/user  ## install, run the main job on the embedded world, end in a report
	$(BIN)/askew demo --output demo

test: lint  ## install and run every test
	$(BIN)/python -m pytest -n 2 --dist worksteal
	$(MAKE) kernels

kernels: $(VENV)/dev  ## what must not depend on the processor, with the float kernels of another one
	OPENBLAS_CORETYPE=$$($(BIN)/python tools/other_blas.py) ATEN_CPU_CAPABILITY=default ONEDNN_MAX_CPU_ISA=SSE41 \
		$(BIN)/python -m pytest -n 2 --dist loadfile $(KERNEL_TESTS)

lint: $(VENV)/dev  ## format, lint and types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

pictures: $(VENV)/dev  ## the images of the docs, of a demo's report, gate, playground and service; needs Chromium
	test -d demo || $(BIN)/askew demo --output demo
	$(BIN)/python tools/screenshots.py demo docs/images

bench: $(VENV)/dev  ## speed and memory, as ratios against named peers
	@for file in benchmarks/bench_*.py; do echo "== $$file"; $(BIN)/python $$file || exit 1; done

soak: $(VENV)/dev  ## long runs: kills at random, thousands of scenes
	$(BIN)/python -m pytest -m soak tests/soak

docs: $(VENV)/dev  ## the documentation as a web site, in site/ (Python 3.11+)
	$(BIN)/zensical build --strict --clean
	@echo "To read it with search: $(PYTHON) -m http.server --directory site"

lock:  ## write locks/ anew, for what pyproject.toml asks for; UPGRADE=--upgrade takes newest versions
	@$(BIN)/python -c 'import uv' || $(LOCKED) locks/dev.txt
	$(BIN)/python tools/lock.py $(UPGRADE)

sbom: $(VENV)/user  ## a bill of materials of what the locks install, in sbom.json (CycloneDX)
	$(BIN)/python tools/sbom.py sbom.json

clean:  ## remove what was made
	rm -rf $(VENV) demo site build dist sbom.json .pytest_cache .mypy_cache .ruff_cache
