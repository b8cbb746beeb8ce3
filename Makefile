# Everything a fresh machine needs is installed by the targets themselves: `make demo`, `make test`.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
OUT    ?= out/demo
WORKERS ?= 2

.PHONY: demo demo6 demo-residual test test-sweep fuzz docs formal lint format bench-sim bench-generate bench-area bench-tree bench-bridge bench-build clean

# --- environments ---------------------------------------------------------------------------------------
$(VENV)/.base:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "shellgen needs Python 3.11 or later")'
	$(PYTHON) -m venv $(VENV)
	touch $@

$(VENV)/.demo: $(VENV)/.base pyproject.toml
	$(BIN)/pip install --quiet --editable '.[sim]'
	touch $@

$(VENV)/.dev: $(VENV)/.base pyproject.toml
	$(BIN)/pip install --quiet --editable '.[dev]'
	touch $@ $(VENV)/.demo

# --- what users run -------------------------------------------------------------------------------------
demo: $(VENV)/.demo  ## real FINN partitions on two ZedBoards, proved bit-exact
	$(BIN)/shellgen demo --boards 2 -o $(OUT)

demo6: $(VENV)/.demo  ## the same network on six boards
	$(BIN)/shellgen demo --boards 6 -o $(OUT)6

demo-residual: $(VENV)/.demo  ## a network with a skip edge, on three ZedBoards
	$(BIN)/shellgen demo --example residual -o $(OUT)_residual

test: $(VENV)/.dev lint  ## everything that is tested by default, on Verilator and Icarus
	tools/ensure_tools.sh
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup -m 'not sweep' $(PYTEST_ARGS)

test-sweep: $(VENV)/.dev  ## the long tests
	tools/ensure_tools.sh
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup -m sweep

# Damaged files of every kind that is read: each is taken or refused in a sentence. COUNT=10000 SEED=1 by default.
fuzz: $(VENV)/.dev  ## damaged input files: COUNT=10000 SEED=1
	OPENBLAS_NUM_THREADS=1 PYTHONPATH=tests $(BIN)/python -m fuzz $(if $(COUNT),--count $(COUNT)) $(if $(SEED),--seed $(SEED))

docs: $(VENV)/.dev  ## a page for each RTL block, with timing, cost, clock rate and proofs, in out/docs
	tools/ensure_tools.sh
	$(BIN)/python -m tools.blocks.pages -o out/docs

formal: $(VENV)/.dev  ## all proofs of the blocks, recorded in ip/proofs.json: BLOCKS="axis_fifo" SWEEP=1
	$(BIN)/python -m tools.blocks.formal --record $(BLOCKS)

# --- house rules ----------------------------------------------------------------------------------------
lint: $(VENV)/.dev  ## ruff and mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/.dev  ## ruff, in place
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# --- benchmarks: ratios within one run, never part of the tests -----------------------------------------
bench-sim: $(VENV)/.dev  ## speed of our bench beside cocotb and bare C++
	$(BIN)/python -m benchmarks.sim_speed

bench-generate: $(VENV)/.dev  ## time to generate 2 to 64 boards
	$(BIN)/python -m benchmarks.generate_speed

bench-area: $(VENV)/.dev  ## cost of our blocks beside the peers
	$(BIN)/python -m benchmarks.area

bench-tree: $(VENV)/.dev  ## cost and cycles of AXI-Lite trees of 1 to 1024 slaves: COUNTS="16 64"
	tools/ensure_tools.sh
	$(BIN)/python -m benchmarks.axil_tree $(COUNTS)

# Cold build, another cluster.toml and simulation of a large cluster; CLUSTER is a cluster.toml, e.g. by shellgen init.
bench-build: $(VENV)/.dev  ## build and simulation of a large cluster: CLUSTER=cluster.toml
	$(BIN)/python -m benchmarks.large_build $(if $(CLUSTER),'$(CLUSTER)') $(LARGE_ARGS)

bench-bridge: $(VENV)/.dev  ## bulk loads through the AXI-Lite bridge
	tools/ensure_tools.sh
	$(BIN)/python -m benchmarks.bridge_load

clean:  ## remove what was built here
	rm -rf out build dist .mypy_cache .ruff_cache .pytest_cache
