# Everything runs in .venv, which any target makes first. PYTHON may name another interpreter (3.11 or newer).
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Python compiles what is imported, at its first import: to compile all of each package here takes a quarter of the whole.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile
export OMP_NUM_THREADS ?= 1
# Images of containers often set this. Each of the thousands of processes that tests start would then compile the package anew: a third of
# all time.
unexport PYTHONDONTWRITEBYTECODE
export GIEOK_TEST_MODELS ?= $(CURDIR)/.cache/models

.PHONY: demo acceptance test tests check format house docs site record screenshot locks release bench bench-peers train clean

$(BIN)/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "gieok needs Python 3.11 or newer; this is `$(PYTHON) --version` (make PYTHON=python3.12 …)"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.ready: requirements.lock pyproject.toml | $(BIN)/pip
	$(PIP) --no-deps --require-hashes -r requirements.lock
	$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

# The core and the test tools. A lock is complete: with its own resolver, pip 23 takes a newer release of what is asked for with an extra
# (`google-auth[requests]`) than the one that the lock names, and refuses it.
$(VENV)/.ready-test: requirements-test.lock $(VENV)/.ready
	$(PIP) --no-deps --require-hashes -r $<
	@touch $@

# Every extra and the linters too. uv checks the same hashes as pip, in a quarter of its time; so pip installs uv alone. But uv reads no
# settings of pip: where it does not find everything, pip goes on.
UV := $(BIN)/uv pip install --quiet --python $(BIN)/python
$(VENV)/.ready-dev: requirements-dev.lock pyproject.toml | $(BIN)/pip
	@awk '/^[^ ]/ { is_uv = /^uv==/ } is_uv' $< >$(VENV)/uv.lock
	$(PIP) --no-deps --require-hashes -r $(VENV)/uv.lock
	$(UV) --no-deps --require-hashes -r $< || $(PIP) --no-deps --require-hashes -r $<
	$(PIP) --no-deps --no-build-isolation --editable .
	@touch $(VENV)/.ready $@

demo: $(VENV)/.ready  ## index the example workspace and ask it four questions
	@$(BIN)/python examples/demo.py

acceptance: $(VENV)/.ready-dev  ## walk through what the five documents ask, each in a home of its own
	@$(BIN)/python examples/acceptance

check: $(VENV)/.ready-dev  ## formatting, lint, types, layers
	$(BIN)/ruff format --check src tests benchmarks examples scripts training
	$(BIN)/ruff check src tests benchmarks examples scripts training
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

ifdef PART
# Files of a part, and before them the lock that they need: `test`, or `dev` where a part uses other backends than the core's.
NEEDED := $(or $(shell $(PYTHON) tests/support/parts.py $(PART)),$(error PART=$(PART) names no tests))
test: $(VENV)/.ready-$(firstword $(NEEDED))  ## everything that CI runs; PART=text one part; ARGS="-x -k word" for pytest
	$(BIN)/python -m pytest -q $(wordlist 2,$(words $(NEEDED)),$(NEEDED)) $(ARGS)
else
# The types keep one core busy for a minute, so the checks run beside the tests; what they say comes behind theirs.
test: $(VENV)/.ready-dev
	@mkdir -p .cache
	@$(MAKE) --no-print-directory check >.cache/check.log 2>&1 & check=$$!; status=0; \
	$(MAKE) --no-print-directory tests || status=$$?; wait $$check || status=$$?; cat .cache/check.log; exit $$status

# One more than cores, since many tests wait for a process; more than four wait for each other.
WORKERS = $(shell $(PYTHON) -c 'import os; print(min(4, 1 + (os.cpu_count() or 1)))')
tests: $(VENV)/.ready-dev  ## the tests alone, all of them
	$(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal $(ARGS)
endif

docs: $(VENV)/.ready-dev  ## write the generated parts of the documents: commands, settings, tools, routes
	$(BIN)/python scripts/docs.py

site: $(VENV)/.ready-dev  ## build the site of the documents into .cache/site
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "see it: python3 -m http.server --directory .cache/site"

record: $(VENV)/.ready  ## record the terminal session of the README
	$(BIN)/python scripts/terminal_session.py

screenshot: $(VENV)/.ready-dev  ## take the picture of the pages; needs Chromium
	$(BIN)/python scripts/screenshot.py

format: $(VENV)/.ready-dev
	$(BIN)/ruff format src tests benchmarks examples scripts training
	$(BIN)/ruff check --fix src tests benchmarks examples scripts training

house:  ## write the ratchet on how the package reads, that tests hold it to
	@$(PYTHON) scripts/house.py --update

locks:  ## write the locks from pyproject.toml; needs uv
	scripts/lock

release: $(VENV)/.ready-dev  ## build, check the wheel bare on each Python, tag; ARGS=--dry-run does not tag
	$(BIN)/python scripts/release $(ARGS)

bench: $(VENV)/.ready-dev  ## measure the figures that documents quote, into docs/figures.json; ONLY="korean told", DATA names a folder of data sets
	$(BIN)/python benchmarks/figures.py $(if $(ONLY),--only $(ONLY)) $(if $(DATA),--data $(DATA))

# Each memory of others has an environment of its own: they disagree on versions.
.venv-peers/%/.ready:
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check $(if $(filter mem0,$*),mem0ai==2.2.1,$*)
	@touch $@

PEERS := mem0 memsearch mempalace
bench-peers: $(VENV)/.ready-dev $(PEERS:%=.venv-peers/%/.ready)  ## score memories of others on the Korean benchmark, beside Gieok and plain methods
	$(BIN)/python benchmarks/korean/score.py $(foreach peer,$(PEERS),--system '$(peer)=$(BIN)/python benchmarks/korean/peers.py $(peer) .venv-peers/$(peer)/bin/python') --system 'fused=$(BIN)/python benchmarks/korean/systems.py fused' --system 'hook=$(BIN)/python benchmarks/korean/systems.py hook' --system 'search=$(BIN)/python benchmarks/korean/systems.py search'

# torch is needed for training alone, so it has an environment of its own.
TRAINING := .cache/training
.venv-train/.ready:
	$(PYTHON) -m venv .venv-train
	.venv-train/bin/python -m pip install --quiet --disable-pip-version-check 'torch>=2.6' 'numpy>=2.1'
	@touch $@

train: $(VENV)/.ready .venv-train/.ready  ## fit the reader's adapters anew into .cache/training; HEADS="find relation", SETS names measuring sets
	$(BIN)/python training/kit.py --models $(GIEOK_TEST_MODELS) $(if $(SETS),--sets $(SETS)) --out $(TRAINING)/kit
	.venv-train/bin/python $(TRAINING)/kit/training/train.py --kit $(TRAINING)/kit --heads $(or $(HEADS),find bears relation worth spans rules breaks) --out $(TRAINING)/out --seconds 36000 $(ARGS)

clean:
	rm -rf $(VENV) .venv-train .venv-peers .cache .demo
