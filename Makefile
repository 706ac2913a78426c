# make setup   environment in .venv: the package, editable, with all extras and the tools
# make demo    cluster two sets next to k-means and draw the result
# make test    lint, types, tests
# make test-long    tests that take seconds each
# make test-oldest  the tests with the oldest versions of all dependencies
# make bench   the price of k-means: times, memory and quality on the paper's sets
# make docs    the site, in build/site: warnings are errors, and a browser looks at every page
# make docs-serve   show it
# make dist    sdist and wheel, checked, and the wheel tried alone in an empty environment

PYTHON ?= python3
BIN := .venv/bin
DOCS := build/docs-env/bin
OLDEST := build/oldest-env/bin
RESULTS := build/bench/results.jsonl
ifneq ($(wildcard ../shared/data),)
export DNCSC_DATA ?= $(abspath ../shared/data)
endif

# Modules are compiled when they are first imported, and kept: most of what is installed never is.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: setup demo test test-long test-oldest lint bench docs docs-check docs-serve dist clean

setup: .venv/ready

.venv/ready: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --no-compile --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --no-compile --editable ".[all]" --group dev
	touch $@

demo: setup
	$(BIN)/dncsc demo --force

lint: setup
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

# One thread for BLAS: two that contend for a core are far slower than one.
test: lint
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses 2 --dist loadfile -m "not long"

test-long: setup
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses 2 --dist loadfile -m long

build/oldest-env/ready: pyproject.toml tests/oldest.py
	$(PYTHON) tests/oldest.py > build/oldest.txt
	$(PYTHON) -m venv --clear build/oldest-env
	$(OLDEST)/python -m pip install --quiet --no-compile --upgrade "pip>=25.1"
	$(OLDEST)/python -m pip install --quiet --no-compile --editable ".[all]" --group dev --constraint build/oldest.txt
	touch $@

test-oldest: build/oldest-env/ready
	OPENBLAS_NUM_THREADS=1 $(OLDEST)/python -m pytest --numprocesses 2 --dist loadfile -m "not long"

build/docs-env/ready: pyproject.toml
	$(PYTHON) -m venv --clear build/docs-env
	$(DOCS)/python -m pip install --quiet --no-compile --upgrade "pip>=25.1"
	$(DOCS)/python -m pip install --quiet --no-compile --editable ".[all]" --group docs
	touch $@

docs: build/docs-env/ready
	OPENBLAS_NUM_THREADS=1 $(DOCS)/python -m sphinx --fail-on-warning --keep-going docs build/site
	$(MAKE) docs-check

docs-check: build/docs-env/ready
	DNCSC_SITE=build/site $(DOCS)/python -m pytest tests/site tests/test_scanpy.py

docs-serve: build/docs-env/ready
	$(DOCS)/python -m http.server --directory build/site 8000

dist: build/release-env/ready
	rm -rf dist
	build/release-env/bin/python -m build
	build/release-env/bin/python -m twine check --strict dist/*
	$(PYTHON) tests/wheel.py dist

build/release-env/ready: pyproject.toml
	$(PYTHON) -m venv --clear build/release-env
	build/release-env/bin/python -m pip install --quiet --no-compile --upgrade "pip>=25.1"
	build/release-env/bin/python -m pip install --quiet --no-compile --group release
	touch $@

bench: setup
	rm -rf build/bench
	$(BIN)/python -m dncsc.bench.startup
	$(BIN)/dncsc bench price --repeats 3 -o $(RESULTS)
	$(BIN)/dncsc bench scaling --methods dnc-sc --repeats 2 -o $(RESULTS)
	$(BIN)/dncsc bench many-landmarks --repeats 2 -o $(RESULTS)
	$(BIN)/dncsc bench files --repeats 1 -o $(RESULTS)
	$(BIN)/dncsc bench engines --sets fl-20m --rows 10000000 --repeats 3 -o $(RESULTS)
	$(BIN)/dncsc bench paper --methods dnc-sc --rows 300000 --repeats 10 -o $(RESULTS)
	$(BIN)/dncsc bench report $(RESULTS) -o build/bench/report
	cat build/bench/report/report.md

clean:
	rm -rf .venv build dist docs/generated .pytest_cache .mypy_cache .ruff_cache
