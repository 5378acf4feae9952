# What CI runs and what a developer types. Every target builds .venv by itself, once.
#
#   make demo PYTHON=python3.13      to choose the interpreter .venv is made from

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin

# Other environments: the lowest versions, and the packages that `make bench` compares with.
VENV_MIN   := .venv-min
VENV_BENCH := .venv-bench

# Where processes share the cores, or processor time is measured.
ONE_THREAD := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

.DEFAULT_GOAL := help
.NOTPARALLEL:
.DELETE_ON_ERROR:

.PHONY: help
help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: demo
demo: $(VENV)/.installed-core ## compare 8 classifiers on 16 UCI datasets and write report.html
	@echo "bayescompare: every pair of the bundled jansen-uci example; the page goes to report.html"
	@$(BIN)/bayescompare pairwise --example jansen-uci --report report.html --force

.PHONY: test
test: $(VENV)/.installed-test ## tests and doctests, without the slow ones
	@echo "pytest: all but the slow tests"
	@$(ONE_THREAD) $(BIN)/python -m pytest -n 2 --dist loadscope

.PHONY: test-all
test-all: $(VENV)/.installed-test ## tests and doctests, the slow ones too
	@echo "pytest: everything, slow tests included"
	@$(ONE_THREAD) HYPOTHESIS_PROFILE=whole $(BIN)/python -m pytest -n 2 --dist loadscope -m ""

# The kernels, and one file for each part that relies on other packages: tables, models, graphs,
# linear programmes, files, pages, the command line.
CORE := tests/kernels tests/table/test_results.py tests/test_statements.py \
        tests/methods/dirichlet tests/methods/network tests/methods/gsd \
        tests/methods/context/test_poisson_binomial.py tests/methods/_shared/test_trees.py \
        tests/outcome/test_files.py tests/test_pairwise.py tests/report/test_page.py \
        tests/cli/test_same_as_python.py tests/cli/test_printing.py tests/cli/test_files.py \
        tests/cli/test_process.py tests/cli/test_refusals.py

# Old releases use what newer releases of other packages have deprecated. These warnings are not ours.
QUIET := -W ignore::DeprecationWarning -W ignore::PendingDeprecationWarning -W ignore::FutureWarning \
         -W 'ignore:Cannot cache compiled function'

.PHONY: test-min
test-min: $(VENV_MIN)/.installed ## core tests with the lowest versions that pyproject.toml allows
	@echo "pytest: core tests with $$($(VENV_MIN)/bin/python tools/lowest_versions.py | tr '\n' ' ')"
	@$(VENV_MIN)/bin/python -m pytest -n 2 --dist loadscope $(QUIET) $(CORE)

.PHONY: test-machines
test-machines: $(VENV)/.installed-test ## tests of stored figures as other processors would compute them
	@echo "pytest: stored figures under other settings of numpy, glibc, OpenBLAS, numba and threads"
	@$(BIN)/python tools/machines.py

.PHONY: golden
golden: $(VENV)/.installed-test ## every stored answer, asked again: before each landing
	@echo "golden file: all questions, two to three minutes"
	@$(ONE_THREAD) $(BIN)/python -m golden

.PHONY: lint
lint: $(VENV)/.installed-test ## ruff check, ruff format --check, mypy --strict
	@echo "ruff and mypy"
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

# Both measure processor time with one thread, so that a loaded machine changes little but the wait.
.PHONY: bench
bench: $(VENV)/.installed-test $(VENV_BENCH)/.installed ## speed, memory and error: our goals, and other packages
	@echo "benchmarks: our goals, as ratios measured in one run"
	@$(ONE_THREAD) $(BIN)/python -m benchmarks
	@echo "benchmarks: other packages on the same data; figures in build/bench.json, build/bench.png"
	@mkdir -p build
	@$(BIN)/python -m benchmarks.peers --python $(VENV_BENCH)/bin/python \
	    --save build/bench.json --figure build/bench.png

.PHONY: bench-full
bench-full: $(VENV)/.installed-test ## how the dominance test grows up to 500 datasets
	@echo "benchmarks: growth of generalised stochastic dominance"
	@$(BIN)/python -m benchmarks.bench_gsd --full

.PHONY: reproduce
reproduce: $(VENV)/.installed-test ## the papers' tables and figures again, quickly: published and obtained
	@$(ONE_THREAD) $(BIN)/python -m reproduction all --quick --seed 1

.PHONY: reproduce-full
reproduce-full: $(VENV)/.installed-test ## the studies behind docs/verdicts.md and docs/ranking.md in full: hours
	@$(ONE_THREAD) $(BIN)/python -m reproduction.intervals docs/data
	@$(ONE_THREAD) $(BIN)/python -m reproduction.verdicts docs/data 2000 200

.PHONY: docs
docs: $(VENV)/.installed-docs ## the HTML documentation, in docs/_build/html
	@echo "sphinx: docs/_build/html/index.html"
	@$(ONE_THREAD) $(BIN)/sphinx-build -j auto -W --keep-going -q -b html docs docs/_build/html

.PHONY: docs-keep
docs-keep: $(VENV)/.installed-docs ## run slow pages whose code has changed, and keep what they show in docs/kept
	@$(BIN)/python docs/_ext/kept.py

# --no-isolation: hatchling is in .venv, so the build downloads nothing.
.PHONY: dist-check
dist-check: $(VENV)/.installed-dist ## build wheel and source archive, and check both
	@echo "build, twine and check-wheel-contents: dist/"
	@rm -rf dist
	@$(BIN)/python -m build --no-isolation --outdir dist . >/dev/null
	@$(BIN)/twine check --strict dist/*
	@$(BIN)/check-wheel-contents dist/*.whl

.PHONY: clean
clean: ## remove what the targets above wrote, .venv apart
	@echo "Removing caches, built documentation and report.html; .venv stays"
	@rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage build dist \
	        docs/_build docs/api/generated report.html
	@find bayescompare benchmarks docs golden reproduction tests -name __pycache__ -type d -prune -exec rm -rf {} +

# ---------------------------------------------------------------------------------------- the venv
# One stamp per set of extras, so that `make demo` installs no test tools. A stamp older than
# pyproject.toml installs again.

$(VENV)/.installed-core: pyproject.toml
	$(call install,.)
	@touch $@

$(VENV)/.installed-test: pyproject.toml
	$(call install,.[test])
	@touch $@ $(VENV)/.installed-core

$(VENV)/.installed-docs: pyproject.toml
	$(call install,.[docs])
	@touch $@ $(VENV)/.installed-core

$(VENV)/.installed-dist: pyproject.toml
	$(call install,.[dist])
	@touch $@ $(VENV)/.installed-core

# Created from scratch each time, because pip would keep newer versions that are already there.
$(VENV_MIN)/.installed: pyproject.toml tools/lowest_versions.py
	$(if $(call new-enough,$(PYTHON)),,$(error $(too-old)))
	@echo "Making $(VENV_MIN) with the lowest versions (takes a few minutes)"
	@$(PYTHON) -m venv --clear $(VENV_MIN)
	@$(VENV_MIN)/bin/python tools/lowest_versions.py > $(VENV_MIN)/lowest.txt
	@$(VENV_MIN)/bin/python -m pip install -qq --disable-pip-version-check --editable . \
	    --requirement $(VENV_MIN)/lowest.txt pytest pytest-xdist hypothesis mpmath pyarrow baycomp
	@touch $@

# One by one: a package that cannot be installed here has rows that say so.
$(VENV_BENCH)/.installed: pyproject.toml
	$(if $(call new-enough,$(PYTHON)),,$(error $(too-old)))
	@echo "Making $(VENV_BENCH) with the packages that we compare with (takes a few minutes)"
	@$(PYTHON) -m venv --clear $(VENV_BENCH)
	@for package in $(PEERS); do \
	    $(VENV_BENCH)/bin/python -m pip install -qq --disable-pip-version-check $$package \
	        || echo "$$package could not be installed"; \
	done
	@touch $@

PEERS := baycomp autorank scikit-posthocs

# Make expands a whole recipe before it runs its first line: a Python too old stops here with
# nothing created. A .venv whose own Python is new enough is kept, any other is made anew.
define install
$(if $(call new-enough,$(BIN)/python),,$(if $(call new-enough,$(PYTHON)),,$(error $(too-old))))
$(if $(call new-enough,$(BIN)/python),,@echo "Making $(VENV) with $(PYTHON) -m venv" \
  && $(PYTHON) -m venv --clear $(VENV))
@echo "Installing $(1) into $(VENV) (the first time takes a few minutes)"
@$(BIN)/python -m pip install -qq --disable-pip-version-check --editable '$(1)'
endef

too-old = bayescompare needs Python 3.12 or newer, but $(PYTHON) is $(call version,$(PYTHON)): name a \
  newer one, as in `make PYTHON=python3.12 $(MAKECMDGOALS)`
new-enough = $(shell $(1) -c 'import sys; sys.exit(sys.version_info < (3, 12))' >/dev/null 2>&1 && echo yes)
version = $(or $(shell $(1) -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])' 2>/dev/null),not there)
