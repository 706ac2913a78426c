# make setup   environment in .venv: the package, editable, with all extras and the tools
# make demo    cluster two sets next to k-means and draw the result
# make test    lint, types, tests
# make bench   the price of k-means: times, memory and quality on the paper's sets

PYTHON ?= python3
BIN := .venv/bin
ifneq ($(wildcard ../shared/data),)
export DNCSC_DATA ?= $(abspath ../shared/data)
endif

# Modules are compiled when they are first imported, and kept: most of what is installed never is.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: setup demo test lint bench clean

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

test: lint
	$(BIN)/python -m pytest --numprocesses 2 --dist loadfile

bench: setup
	$(BIN)/python benchmarks/startup.py
	$(BIN)/python benchmarks/price.py
	$(BIN)/python benchmarks/scaling.py
	$(BIN)/python benchmarks/files.py
	$(BIN)/python benchmarks/cluster.py
	$(BIN)/python benchmarks/quality.py

clean:
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache
