# Needs make and Python 3.11 to 3.15, nothing else; everything is run from .venv, so nothing need be activated.
PYTHON ?=
BIN := .venv/bin
STAMP := .venv/.stamp

.DEFAULT_GOAL := help
.PHONY: help venv bench test lint style types tests format docs clean

help: ## show this list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST)

venv: $(STAMP) ## set up .venv with the package and all tools (skipped while pyproject.toml has not changed)

$(STAMP): pyproject.toml tools/make-venv
	@PYTHON="$(PYTHON)" tools/make-venv
	@touch $@

bench: venv ## run the JavaGrande benchmarks: make bench ARGS="--class B --workers 1,2,4"
	$(BIN)/python -m benchmarks.javagrande $(ARGS)

# mypy, which uses one core, runs beside the tests
test: style ## everything that CI checks: lint and all tests; one test: make test ARGS="tests/language/test_markers.py -k dim"
	@$(MAKE) --no-print-directory --jobs 2 types tests

tests: venv
	$(BIN)/python -m pytest --numprocesses auto $(ARGS)

lint: style types ## style, formatting, types, and which room imports which

style: venv
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports > .venv/layers.txt || { cat .venv/layers.txt; exit 1; }

types: venv
	$(BIN)/mypy --strict somd pytest_somd.py

format: venv ## let ruff put formatting and imports right
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: .venv/.stamp-docs ## build the documentation into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

.venv/.stamp-docs: $(STAMP)
	@EXTRAS=docs tools/make-venv
	@touch $@

clean: ## remove .venv, caches and results
	rm -rf .venv site .mypy_cache .ruff_cache .pytest_cache .hypothesis benchmarks/results
