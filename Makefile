# Everything a fresh machine needs is installed by the targets themselves: `make demo`, `make test`.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
OUT    ?= out/demo
WORKERS ?= 2

.PHONY: demo demo6 demo-residual test test-sweep fuzz docs formal lint format bench-sim bench-generate bench-area test-peers bench-tree bench-bridge bench-build clean

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
demo: $(VENV)/.demo
	$(BIN)/shellgen demo --boards 2 -o $(OUT)

demo6: $(VENV)/.demo
	$(BIN)/shellgen demo --boards 6 -o $(OUT)6

demo-residual: $(VENV)/.demo
	$(BIN)/shellgen demo --example residual -o $(OUT)_residual

test: $(VENV)/.dev lint
	tools/ensure_tools.sh
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup -m 'not sweep' $(PYTEST_ARGS)

test-sweep: $(VENV)/.dev
	tools/ensure_tools.sh
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup -m sweep

# Damaged files of every kind that is read: each is taken or refused in a sentence. COUNT=10000 SEED=1 by default.
fuzz: $(VENV)/.dev
	OPENBLAS_NUM_THREADS=1 PYTHONPATH=tests $(BIN)/python -m fuzz $(if $(COUNT),--count $(COUNT)) $(if $(SEED),--seed $(SEED))

docs: $(VENV)/.dev
	tools/ensure_tools.sh
	$(BIN)/python -m tools.blocks.pages -o out/docs

# All proofs of the blocks, and their record in ip/proofs.json. SWEEP=1 adds the long ones; BLOCKS="axis_fifo ..." chooses.
formal: $(VENV)/.dev
	$(BIN)/python -m tools.blocks.formal --record $(BLOCKS)

# --- house rules ----------------------------------------------------------------------------------------
lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# --- benchmarks: ratios within one run, never part of the tests -----------------------------------------
bench-sim: $(VENV)/.dev
	$(BIN)/python -m benchmarks.sim_speed

bench-generate: $(VENV)/.dev
	$(BIN)/python -m benchmarks.generate_speed

# What our blocks cost beside the peers; PEERS is a folder with checkouts, without it their figures are the known ones.
bench-area: $(VENV)/.dev
	$(BIN)/python -m benchmarks.area $(if $(PEERS),--peers '$(PEERS)')

# The test suites of verilog-axis with our blocks in place of theirs; VERILOG_AXIS is a checkout.
test-peers: $(VENV)/.dev
	tools/ensure_tools.sh
	$(BIN)/python -m benchmarks.peers '$(or $(VERILOG_AXIS),$(error VERILOG_AXIS=/path/to/verilog-axis is missing))'

# The AXI-Lite tree over 1 to 1024 slaves beside the peers: LUT, FF, levels, cycles an access.
bench-tree: $(VENV)/.dev
	tools/ensure_tools.sh
	$(BIN)/python -m benchmarks.axil_tree $(COUNTS)

# Cold build, another cluster.toml and simulation of a large cluster; CLUSTER is a cluster.toml, e.g. by shellgen init.
bench-build: $(VENV)/.dev
	$(BIN)/python -m benchmarks.large_build $(if $(CLUSTER),'$(CLUSTER)') $(LARGE_ARGS)

bench-bridge: $(VENV)/.dev
	tools/ensure_tools.sh
	$(BIN)/python -m benchmarks.bridge_load

clean:
	rm -rf out build dist .mypy_cache .ruff_cache .pytest_cache
