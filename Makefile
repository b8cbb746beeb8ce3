# Every target installs what it needs, so that `make demo` and `make test` work on a fresh machine.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
OUT    ?= out/demo
WORKERS ?= 3
PYTHON_IMAGE ?= 3.13
ARM_LIBRARIES ?= $(CURDIR)/out/arm_libraries

.DEFAULT_GOAL := help
.PHONY: notice tutorials container sbom finn-pins help demo demo6 demo-residual demo-out-of-order demo-replicas demo-branches demo-loop demo-mixed demo-transformer demo-vnx test test-fast test-sweep test-arm pythons networks fuzz docs site site-version example formal costs verdicts fmax registers protocol lint format hooks bench-sim bench-estimate bench-report bench-split \
	bench-generate bench-commands bench-check ip-facts oracle mutants variants options bench-area bench-fmax bench-tree bench-bridge bench-build bench-vnx bench-host bench-mutants soak-vnx clean

help:  ## this list
	@echo 'make TARGET, which also installs what the target needs:'
	@awk -F ':.*## ' '/^[a-z][a-z0-9-]*:.*## / { printf "  %-15s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

# Tests start Python some thousand times, which would compile shellgen anew each time.
unexport PYTHONDONTWRITEBYTECODE

# --- environments ---------------------------------------------------------------------------------------
$(VENV)/.base:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "$(PYTHON) is Python %d.%d: shellgen needs 3.11 or later. Name one: make PYTHON=python3.11" % sys.version_info[:2])'
	$(PYTHON) -m venv --without-pip $(VENV)
	$(PYTHON) -m pip --python $(BIN)/python install --quiet pip uv 2>/dev/null || $(PYTHON) -m venv $(VENV)
	touch $@

$(VENV)/.demo: $(VENV)/.base pyproject.toml
	tools/install.sh $(BIN) --editable '.[sim]'
	touch $@

$(VENV)/.dev: $(VENV)/.base pyproject.toml
	tools/install.sh $(BIN) --editable '.[dev]'
	touch $@ $(VENV)/.demo

$(VENV)/.site: $(VENV)/.dev
	tools/install.sh $(BIN) --editable '.[dev,site]'
	touch $@

# --- for users ------------------------------------------------------------------------------------------
demo: $(VENV)/.demo  ## digits on two ZedBoards, with FINN's RTL; OUT=out/demo
	$(BIN)/shellgen demo --boards 2 -o $(OUT)

demo6: $(VENV)/.demo  ## the same on six
	$(BIN)/shellgen demo --boards 6 -o $(OUT)6

demo-residual: $(VENV)/.demo  ## a residual CNN on three ZedBoards
	$(BIN)/shellgen demo --example residual -o $(OUT)_residual

demo-replicas: $(VENV)/.demo  ## the same CNN, its first parts on two ZedBoards that take images in turn
	$(BIN)/shellgen demo --example replicas -o $(OUT)_replicas

demo-out-of-order: $(VENV)/.demo  ## the same CNN on two, its first and last part on one
	$(BIN)/shellgen demo --example out-of-order -o $(OUT)_out_of_order

demo-branches: $(VENV)/.demo  ## digits by two narrow branches on two PYNQ-Z1, which meet on a third
	$(BIN)/shellgen demo --example branches -o $(OUT)_branches

demo-loop: $(VENV)/.demo  ## digits in a loop over three U280 cards, one of them a gateway without a part of the network
	$(BIN)/shellgen demo --example loop -o $(OUT)_loop

demo-mixed: $(VENV)/.demo  ## digits on a ZedBoard and a U280, joined by UDP
	$(BIN)/shellgen demo --example mixed -o $(OUT)_mixed

demo-transformer: $(VENV)/.demo  ## a transformer encoder on two ZCU104
	$(BIN)/shellgen demo --example transformer -o $(OUT)_transformer

demo-vnx: $(VENV)/.demo  ## digits on three U280 cards, over a network that loses packets; BOARDS=2: on two U55C back to back
	$(BIN)/shellgen demo --platform vitis --boards $(or $(BOARDS),3) -o $(OUT)_vnx

demo-coyote: $(VENV)/.demo  ## digits on two U55C cards under Coyote, with ACCL between them
	$(BIN)/shellgen demo --platform coyote -o $(OUT)_coyote

# --- tests ----------------------------------------------------------------------------------------------
test: $(VENV)/.dev  ## what CI runs: tests, and lints beside them; WORKERS=3
	@$(BIN)/python -m tools.compile_tests & tools/ensure_tools.sh; code=$$?; wait; exit $$code
	tools/with_lint.sh $(BIN) $(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup -m 'not sweep' $(PYTEST_ARGS)

test-fast: $(VENV)/.dev  ## tests that run Python code edited since their last run; the first run records all
	tools/ensure_tools.sh
	$(BIN)/python -m pytest --testmon --testmon-forceselect -m 'not sweep' $(PYTEST_ARGS)

test-arm: $(VENV)/.dev  ## shellgen-node compiled for both Arm processors of Zynq; its unit tests under qemu-user
	tools/host/arm_libraries.sh "$(ARM_LIBRARIES)"
	SHELLGEN_ARM_LIBRARIES="$(ARM_LIBRARIES)" $(BIN)/python -m pytest -m sweep tests/test_host_arm.py

pythons: $(VENV)/.dev  ## the package on each supported Python that is on PATH, several minutes each; ARGS="--session installed-3.13"
	$(BIN)/nox --noxfile tools/noxfile.py --envdir $(CURDIR)/out/nox $(ARGS)

test-sweep: $(VENV)/.site  ## the longer sweeps, and all that make test takes from tests/verdicts
	tools/ensure_tools.sh sweep
	tools/host/arm_libraries.sh "$(ARM_LIBRARIES)"
	SHELLGEN_VERDICTS=run $(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup -m 'not sweep' $$($(BIN)/python -m tools.blocks.verdicts --list)
	SHELLGEN_ARM_LIBRARIES="$(ARM_LIBRARIES)" SHELLGEN_VERDICTS=run $(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup -m 'sweep and not soak'

networks: $(VENV)/.dev  ## random exports of 17 kinds against ONNX's evaluator, 48 networks against numpy; two hours
	tools/ensure_tools.sh
	$(BIN)/python -m pytest -n $(WORKERS) tests/test_random_exports.py tests/test_numpy_networks.py

bench-mutants: $(VENV)/.dev  ## single mistakes in cores and blocks, of which the bench must find 98 %; COUNT=240 SEED=1
	$(BIN)/python -m tools.bench_mutants $(if $(COUNT),--count $(COUNT)) $(if $(SEED),--seed $(SEED))

soak-vnx: $(VENV)/.dev  ## a million packets over vnx_udp under each fault, hours
	$(BIN)/python -m pytest -m soak

fuzz: $(VENV)/.dev  ## damaged inputs, COUNT of shellgen and 1000 times as many of shellgen-node; COUNT=10000 SEED=1
	tools/ensure_tools.sh sweep
	OPENBLAS_NUM_THREADS=1 PYTHONPATH=tests:vivado_check/tests $(BIN)/python -m fuzz $(if $(COUNT),--count $(COUNT)) $(if $(SEED),--seed $(SEED))
	$(BIN)/python -m tools.host.fuzz $(if $(COUNT),--count $(COUNT)000) $(if $(SEED),--seed $(SEED))

ip-facts: $(VENV)/.dev  ## mine facts of IP from public repositories; CHECKOUTS="folder ..." ARGS="--only axi_dma --score"
	$(BIN)/python -m tools.ip_facts $(CHECKOUTS) $(ARGS)

oracle: $(VENV)/.dev  ## public scripts beside the designs that Vivado made of them; CHECKOUTS=folder
	$(BIN)/python -m tools.oracle $(CHECKOUTS)

mutants: $(VENV)/.dev  ## mistakes in our scripts that shellgen check sees; MUTANTS_ARGS="--count 1000 --seed 2"
	PYTHONPATH=tests:vivado_check/tests $(BIN)/python -m tools.mutants --workers $(WORKERS) $(MUTANTS_ARGS)

variants: $(VENV)/.dev  ## legal rewritings of our scripts that shellgen check must accept
	PYTHONPATH=tests:vivado_check/tests $(BIN)/python -m tools.variants

notice: $(VENV)/.dev  ## NOTICE: projects that facts of IP were mined from
	$(BIN)/python -m tools.notice

finn-pins: $(VENV)/.demo  ## digests of the packages that FINN's environment is made of
	cd shellgen/stitch && { echo '# From finn-requirements.in, by `make finn-pins`.'; \
	  ../../$(BIN)/uv pip compile --quiet --no-deps --no-header --no-annotate --generate-hashes --universal \
	  --python-version 3.11 finn-requirements.in; } > finn-requirements.new && mv finn-requirements.new finn-requirements.txt

options: $(VENV)/.dev  ## pairs of options of every platform and board through generate and check; OPTIONS_ARGS="--seed 2"
	PYTHONPATH=tests:vivado_check/tests $(BIN)/python -m tools.options $(OPTIONS_ARGS)

protocol: $(VENV)/.dev  ## readers, dissector and page of host/protocol.toml
	$(BIN)/python -m tools.host.protocol

registers: $(VENV)/.dev  ## write what registers.json and packet.json say into the sources of the blocks
	$(BIN)/python -m tools.blocks.registers
	$(BIN)/python -m tools.blocks.packet

formal: $(VENV)/.dev  ## prove the blocks and record it; BLOCKS="axis_fifo" SWEEP=1
	$(BIN)/python -m tools.blocks.formal --record $(BLOCKS)

costs: $(VENV)/.dev  ## synthesise the blocks that have changed and record what costs.toml is of; BLOCKS="axis_fifo"
	$(BIN)/python -m tools.blocks.cost_record $(BLOCKS)

fmax: $(VENV)/.dev  ## place and route the blocks and record their clock rates; BLOCKS="axis_fifo" ALL=1
	$(BIN)/python -m tools.blocks.fmax --record $(if $(ALL),--all) $(BLOCKS)

verdicts: $(VENV)/.dev  ## run what tests/verdicts lacks or has of other sources, and record it; TESTS="tests/blocks/..."
	tools/ensure_tools.sh
	$(BIN)/python -m tools.blocks.verdicts --workers $(WORKERS) $(TESTS)

lint: $(VENV)/.dev  ## ruff and mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# --- for changes ----------------------------------------------------------------------------------------
format: $(VENV)/.dev  ## let ruff fix the findings that it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

hooks: $(VENV)/.dev  ## lint before each commit, by pre-commit
	$(BIN)/pip install --quiet pre-commit
	$(BIN)/pre-commit install

example: $(VENV)/.dev  ## write docs/example and its picture anew
	$(BIN)/python -m tools.example

tutorials: $(VENV)/.dev  ## run the tutorials and write their outputs into the pages; PAGES="ci" SWEEP=1 for what takes minutes
	$(BIN)/python -m tools.tutorials --record $(if $(SWEEP),--sweep) $(PAGES)

docs: $(VENV)/.dev  ## docs/report.md; a page per RTL block in out/docs: diagram, cost, proofs
	$(BIN)/python -m tools.report_page
	tools/ensure_tools.sh
	$(BIN)/python -m tools.blocks.pages -o out/docs

site: $(VENV)/.site  ## the documentation as a site in out/site; a dead link is an error
	$(BIN)/python -m tools.site -o out/site

site-version: $(VENV)/.site  ## the same as one version among others, in a local branch; BRANCH=gh-pages VERSION=0.1.0
	$(BIN)/python -m tools.site --branch $(or $(BRANCH),gh-pages) $(if $(VERSION),--version $(VERSION))

container:  ## an image with shellgen, its simulators and FINN: needs podman or docker; PYTHON_IMAGE=3.13
	@engine=$$(command -v podman || command -v docker) || { echo 'make: container needs podman or docker' >&2; exit 1; }; \
	  "$$engine" build --file tools/Containerfile --build-arg PYTHON=$(PYTHON_IMAGE) --tag shellgen .

sbom: $(VENV)/.base  ## bills of materials in CycloneDX: of shellgen[sim] and of FINN's environment, in out/sbom
	$(BIN)/pip install --quiet 'cyclonedx-bom>=7'
	rm -rf out/sbom && $(PYTHON) -m venv --without-pip out/sbom/venv
	$(BIN)/pip --python out/sbom/venv/bin/python install --quiet '.[sim]'
	$(BIN)/cyclonedx-py environment --output-reproducible --pyproject pyproject.toml -o out/sbom/shellgen.json out/sbom/venv/bin/python
	$(BIN)/cyclonedx-py requirements --output-reproducible -o out/sbom/finn.json shellgen/stitch/finn-requirements.txt

# --- benchmarks: ratios within one run, never part of the tests -----------------------------------------
bench-sim: $(VENV)/.dev  ## how fast the bench runs
	$(BIN)/python -m benchmarks.sim_speed

bench-estimate: $(VENV)/.dev  ## how far the estimate is from the RTL
	PYTHONPATH=tests:vivado_check/tests $(BIN)/python -m benchmarks.estimate_error

bench-split: $(VENV)/.demo  ## CPU of split for 200 layers on 16 boards and ResNet-50 on 3
	$(BIN)/python -m benchmarks.split_speed --check

bench-report: $(VENV)/.dev  ## how fast we estimate and report 6 to 64 boards
	$(BIN)/python -m benchmarks.estimate_speed --check

bench-generate: $(VENV)/.dev  ## how fast we generate
	$(BIN)/python -m benchmarks.generate_speed

bench-commands: $(VENV)/.dev  ## CPU of list, plan and generate as a user runs them
	$(BIN)/python -m benchmarks.command_speed

bench-check: $(VENV)/.dev  ## how fast we check 6 to 64 boards
	$(BIN)/python -m benchmarks.check_speed --check

bench-build: $(VENV)/.dev  ## how fast large models build; CLUSTER=cluster.toml LARGE_ARGS=
	$(BIN)/python -m benchmarks.large_build $(if $(CLUSTER),'$(CLUSTER)') $(LARGE_ARGS)

bench-tree: $(VENV)/.dev  ## AXI-Lite trees beside the peers; COUNTS="4 64"
	tools/ensure_tools.sh
	$(BIN)/python -m benchmarks.axil_tree $(COUNTS)

bench-bridge: $(VENV)/.dev  ## bulk loads through the bridge
	tools/ensure_tools.sh
	$(BIN)/python -m benchmarks.bridge_load

bench-vnx: $(VENV)/.dev  ## payload over vnx_udp, of what the wire permits
	$(BIN)/python -m benchmarks.vnx_link

bench-host: $(VENV)/.dev  ## shellgen-node beside a bare writer and reader, and the server of the publication
	tools/ensure_tools.sh
	$(BIN)/python -m benchmarks.host

bench-area: $(VENV)/.dev  ## cost of our blocks beside the peers
	$(BIN)/python -m benchmarks.area

bench-fmax: $(VENV)/.dev  ## clock rate of our blocks, placed again, beside the peers, some ten minutes; ONLY="width 512"
	$(BIN)/python -m benchmarks.fmax $(if $(ONLY),--only $(ONLY))

clean:  ## remove outputs and caches of tools
	rm -rf out build dist .mypy_cache .ruff_cache .pytest_cache
