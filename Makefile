# `make demo` and `make test` set up everything they need in .venv; `make help` lists the rest.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
ARGS ?=

.PHONY: help demo test lint format types check lock clean
.DEFAULT_GOAL := help

help: ## Show this help
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  make \1\t\2/' | expand -t 18

demo: .stamps/sandbox ## Run the whole loop on this machine: make demo ARGS="--once --fault fifo"
	@$(BIN)/rankscope demo $(ARGS)

test: .stamps/dev lint types ## Run all checks and all tests: make test ARGS="-k analysis"
	$(BIN)/pytest $(ARGS)

lint: .stamps/dev ## Check style
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .stamps/dev ## Check types
	$(BIN)/mypy

format: .stamps/dev ## Rewrite the code in the project's style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

lock: .stamps/dev ## Pin and hash all dependencies anew (needs uv)
	@for extra in agent bot worker sandbox dev; do \
	  uv pip compile --quiet --upgrade --generate-hashes --universal --python-version 3.11 \
	    --custom-compile-command "make lock" --extra $$extra pyproject.toml -o requirements/$$extra.txt; \
	done
	@uv pip compile --quiet --upgrade --generate-hashes --universal --python-version 3.11 \
	  --custom-compile-command "make lock" requirements/build.in -o requirements/build.txt

clean: ## Remove what was installed and built
	rm -rf $(VENV) .stamps build dist var .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "rankscope needs Python 3.11 or newer: make $(MAKECMDGOALS) PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -m venv $(VENV) \
	  || { echo "No virtual environment could be made: install the package python3-venv."; exit 1; }

# pip checks every download against its hash; the project itself is then linked in without any.
.stamps/%: requirements/%.txt requirements/build.txt pyproject.toml | $(BIN)/python
	@echo "Installing what rankscope needs into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes \
	  -r requirements/build.txt -r $<
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps \
	  --no-build-isolation --editable .
	@mkdir -p .stamps && touch $@
