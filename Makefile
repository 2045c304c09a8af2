# Every task of the repository. `make` alone lists them.

VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip install --disable-pip-version-check --quiet --constraint constraints.txt
UV     := UV_DEFAULT_INDEX="$${UV_DEFAULT_INDEX-$${UV_INDEX_URL-$${PIP_INDEX_URL-$$($(BIN)/python -m pip config get global.index-url 2>/dev/null)}}}" \
          $(BIN)/uv pip install --quiet --python $(BIN)/python --constraint constraints.txt
LOCKED := pyproject.toml constraints.txt $(VENV)/pyvenv.cfg

# Where `make up` keeps its data and listens; how long `make crash`, `make soak` and `make flips` run.
DATA   ?= $(or $(HANSANG_DATA),data/hansang.db)
PORT   ?= $(or $(HANSANG_PORT),8750)
ROUNDS ?= 100
COUNT  ?= 1000

# Compiled modules are kept even where the environment forbids it: the tests start hundreds of processes.
unexport PYTHONDONTWRITEBYTECODE

# The first Python of 3.11 or later, unless one is named: make test PYTHON=/path/to/python
PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$python; break; }; \
	done)

# Says what is missing before anything is created.
define check-python
if test -z '$(PYTHON)'; then \
  echo 'Hansang needs Python 3.11 or later, and none was found on the PATH.' >&2; \
  echo 'Install one, or name it: make PYTHON=/path/to/python3' >&2; exit 1; \
elif ! $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then \
  echo 'Hansang needs Python 3.11 or later; $(PYTHON) is not.' >&2; \
  echo 'Name another one: make PYTHON=/path/to/python3' >&2; exit 1; \
elif ! $(PYTHON) -c 'import ensurepip, venv' 2>/dev/null; then \
  echo '$(PYTHON) cannot create a virtual environment: ensurepip or venv is missing.' >&2; \
  echo 'On Debian and Ubuntu: apt install python3-venv (or the one of that version).' >&2; exit 1; \
fi
endef

.DEFAULT_GOAL := help
.PHONY: help up test suite browser lint style types format bench bench-rankings bench-codex crash soak flips audit lock clean
.DELETE_ON_ERROR:

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

up: $(VENV)/.installed ## Start the server with sample data (DATA=data/hansang.db PORT=8750)
	@mkdir -p $(dir $(DATA))
	@$(BIN)/python -m tools.register > /dev/null
	@exec $(BIN)/hansang up --data $(DATA) --port $(PORT) --demo --log text

test: ## Check format, lint and types, and run every test
	@$(MAKE) --no-print-directory -j2 browser suite types

suite: $(VENV)/.compiled browser
	$(BIN)/python -m pytest -n 4

browser: ## Install Chromium and Korean fonts for the browser tests (Debian and Ubuntu, as root)
	@sh tests/browser/install

lint: types ## Check format, lint and types

style: $(VENV)/.installed-dev
	$(BIN)/python -m ruff format --check
	$(BIN)/python -m ruff check

types: style
	$(BIN)/python -m mypy

format: $(VENV)/.installed-dev ## Rewrite the sources in the one format
	$(BIN)/python -m ruff format
	$(BIN)/python -m ruff check --fix

bench: $(VENV)/.installed-bench ## Measure the engine beside its peers and bare SQLite
	$(BIN)/python bench/engine.py
	$(BIN)/python bench/design.py
	$(BIN)/python bench/http_load.py
	$(BIN)/python bench/news.py
	$(BIN)/python bench/testing.py

bench-rankings: $(VENV)/.installed-bench ## Measure a day of the rankings, and Redis beside it
	$(BIN)/python bench/rankings.py --players $(or $(PLAYERS),1000000)

bench-codex: $(VENV)/.installed-dev ## Migrate many posts while they are written to, killed and resumed (POSTS=100000)
	$(BIN)/python -m bench.codex_migration --posts $(or $(POSTS),100000)

crash: $(VENV)/.installed-dev ## Kill a writing process again and again, and check what is left (ROUNDS=100)
	$(BIN)/python -m tests.crash.storm --rounds $(ROUNDS)

flips: $(VENV)/.installed-dev ## Flip bytes of a data file, and check that each is found or harmless (COUNT=1000)
	$(BIN)/python -m tests.engine.flips --count $(COUNT)

audit: $(VENV)/.installed-dev ## Ask what is known of the locked packages' vulnerabilities (needs the network)
	@$(PIP) pip-audit
	$(BIN)/python -m pip_audit --requirement constraints.txt --no-deps --disable-pip --strict

soak: $(VENV)/.installed-dev ## Do everything to several processes on one file, and check what is left (ROUNDS=100)
	$(BIN)/python -m tests.soak.soak --rounds $(ROUNDS)

lock: ## Rebuild constraints.txt from a fresh environment
	@$(check-python)
	@fresh=$$(mktemp -d) && trap 'rm -rf "$$fresh"' EXIT && \
	$(PYTHON) -m venv "$$fresh" && \
	"$$fresh/bin/python" -m pip install --disable-pip-version-check --quiet '.[dev,bench]' && \
	{ echo '# Every package that make installs, with its exact version. Renew it with: make lock'; \
	  "$$fresh/bin/python" -m pip freeze --disable-pip-version-check --exclude hansang; } > "$$fresh/locked" && \
	cp "$$fresh/locked" constraints.txt

clean: ## Remove the environment, the caches and what was built; data/ stays
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# What each task needs is installed once, and again when the locked versions change. The many development tools are
# installed by uv, which takes an eighth of pip's processor time, from pip's index; where that can't be done, by pip.
$(VENV)/.installed: $(LOCKED)
	@echo 'Installing Hansang into $(VENV) ...'
	@$(PIP) --editable '.[server]'
	@touch $@

$(VENV)/.installed-dev: $(LOCKED)
	@echo 'Installing Hansang and its development tools into $(VENV) ...'
	@{ $(PIP) uv && $(UV) --editable '.[dev]'; } || $(PIP) --no-compile --editable '.[dev]'
	@touch $@ $(VENV)/.installed

# The modules that tests import are compiled once, and not by each of the processes that run them.
$(VENV)/.compiled: $(VENV)/.installed-dev
	@$(BIN)/python -m pytest --collect-only -qq > $@ || { cat $@; rm $@; exit 1; }

$(VENV)/.installed-bench: $(LOCKED)
	@echo 'Installing Hansang and its benchmark peers into $(VENV) ...'
	@$(PIP) --editable '.[bench]'
	@touch $@ $(VENV)/.installed

$(VENV)/pyvenv.cfg:
	@$(check-python)
	@echo 'Creating $(VENV) with $(PYTHON) ...'
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }
