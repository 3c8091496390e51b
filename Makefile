# Everything runs in .venv, which any target makes first. PYTHON may name another interpreter (3.11 or newer).
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export OMP_NUM_THREADS ?= 1
export GIEOK_TEST_MODELS ?= $(CURDIR)/.cache/models

.PHONY: demo test check format bench clean

$(VENV)/.ready: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "gieok needs Python 3.11 or newer; this is `$(PYTHON) --version` (make PYTHON=python3.12 …)"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.ready-dev: $(VENV)/.ready requirements-dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	@touch $@

demo: $(VENV)/.ready  ## index the example workspace and ask it four questions
	@$(BIN)/python examples/demo.py

check: $(VENV)/.ready-dev  ## formatting, lint, types, layers
	$(BIN)/ruff format --check src tests benchmarks examples
	$(BIN)/ruff check src tests benchmarks examples
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

test: check  ## everything that CI runs, on every core up to four
	$(BIN)/python -m pytest -q -n auto --maxprocesses 4 --dist worksteal

format: $(VENV)/.ready-dev
	$(BIN)/ruff format src tests benchmarks examples
	$(BIN)/ruff check --fix src tests benchmarks examples

bench: $(VENV)/.ready  ## retrieval quality and speed; DATA names a folder of data sets
	$(BIN)/python benchmarks/retrieval.py --data $(or $(DATA),../shared/data/memory) --models .cache/models
	$(BIN)/python benchmarks/speed.py --data $(or $(DATA),../shared/data/memory) --models .cache/models

clean:
	rm -rf $(VENV) .cache .demo
