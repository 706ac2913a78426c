# make setup   environment in .venv: the package, editable, with all extras and the tools
# make demo    cluster two sets next to k-means and draw the result
# make test    lint, types, tests
# make test-long    tests that take seconds each
# make bench   the price of k-means: times, memory and quality on the paper's sets

PYTHON ?= python3
BIN := .venv/bin
RESULTS := build/bench/results.jsonl
ifneq ($(wildcard ../shared/data),)
export DNCSC_DATA ?= $(abspath ../shared/data)
endif

# Modules are compiled when they are first imported, and kept: most of what is installed never is.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: setup demo test test-long lint bench clean

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
	rm -rf .venv build .pytest_cache .mypy_cache .ruff_cache
