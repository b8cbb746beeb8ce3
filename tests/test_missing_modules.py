# SPDX-License-Identifier: BSD-3-Clause
"""Modules that a build does not bring: our models, Vivado's originals, or one sentence."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest
from cluster_bench import generate_fake, streams_only
from fake_network import one_each, partition
from odd_partition import VENDOR_FIFO, chain_of, odd

from shellgen.cli import main
from shellgen.errors import InputError, SimulationError
from shellgen.model import Network
from shellgen.read.missing import missing_modules
from shellgen.read.verilog import Verilog
from shellgen.resources import vendor_models
from shellgen.simulate import SIMULATORS, Simulator

BRANCH = "generate if (%d) begin : g_x xpm_memory_unheard u_x (.clk(ap_clk)); end endgenerate\n"


def network_with(body: str) -> Network:
    """A partition whose streams are joined by ``body``, and a plain one."""
    return chain_of(odd("odd", body), partition("plain"))


def written(body: str, out: Path) -> Path:
    network = network_with(body)
    return generate_fake(network, one_each(network), out)


PASSES = "assign m_axis_0_tdata = s_axis_0_tdata, m_axis_0_tvalid = s_axis_0_tvalid;\n"
PASSES += "assign s_axis_0_tready = m_axis_0_tready;\n"


@pytest.fixture(scope="module")
def vendor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With a branch that is not taken, whose module nobody needs."""
    return written(VENDOR_FIFO + BRANCH % 0, tmp_path_factory.mktemp("vendor") / "out")


def test_a_vendor_fifo_is_simulated_by_our_model(vendor: Path) -> None:
    report = streams_only(vendor, "icarus")
    assert report["passed"], report["problem"]
    bench = json.loads((vendor / "bench" / "bench.json").read_text())
    names = ["vendor_fifo", "vendor_sync", "xpm_fifo_axis"]
    assert bench["sources"]["vendor"] == [f"bench/vendor/{name}.sv" for name in names]
    everything = {path.name for node in ("n0", "n1") for path in (vendor / node).rglob("*")}
    assert "xpm_fifo_axis.sv" not in everything  # Vivado has its own


@pytest.mark.sweep
def test_vivados_originals_take_the_place_of_our_models(vendor: Path, tmp_path: Path) -> None:
    """Stubs in Vivado's folders; their output shows that they are used."""
    hdl = tmp_path / "xpm" / "xpm_fifo" / "hdl"
    hdl.mkdir(parents=True)
    original = "".join(
        vendor_models()[name].read_text() for name in ("vendor_fifo", "vendor_sync", "xpm_fifo_axis")
    )
    original = original.replace(
        "    wire full, ack,", '    initial $display("the original");\n    wire full, ack,'
    )
    (hdl / "xpm_fifo.sv").write_text(original)
    report = streams_only(vendor, "icarus", xpm=str(tmp_path / "xpm"))
    assert report["passed"], report["problem"]
    assert "the original" in (vendor / "bench/run_icarus/simulation.log").read_text()
    with pytest.raises(InputError, match="it holds no XPM sources"):
        streams_only(vendor, "icarus", xpm=str(tmp_path))


def test_a_partition_that_defines_it_is_left_alone() -> None:
    text = "module xpm_fifo_axis; endmodule\nmodule top; xpm_fifo_axis u_x (); endmodule\n"
    assert not list(missing_modules("top", {"a.v": Verilog(text)}))


def test_an_unknown_module_is_one_sentence_before_anything_is_built(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    with caplog.at_level(logging.WARNING):
        out = written(f"{PASSES}secret_core #(.W(3)) u_core (.clk(ap_clk));\n", tmp_path / "out")
    assert "odd: odd.v:14 instantiates secret_core, which no source of the build defines" in caplog.text
    for simulator in SIMULATORS:
        assert main(["simulate", str(out), "--simulator", simulator, "--quiet"]) == 2
        said = capsys.readouterr().err.strip().splitlines()
        assert len(said) == 1
        assert "n0/partition/odd.v:14: it instantiates secret_core, which no source" in said[0]
        assert "all_verilog_srcs.txt" in said[0]


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_a_branch_that_is_taken_is_told_by_the_simulator(simulator: Simulator, tmp_path: Path) -> None:
    with pytest.raises(SimulationError) as caught:
        streams_only(written(PASSES + BRANCH % 1, tmp_path / "taken"), simulator)
    (problem,) = caught.value.problems
    assert problem.where.endswith("n0/partition/odd.v:14")
    assert "xpm_memory_unheard" in problem.found
    assert "--xpm <Vivado>/data/ip/xpm" in problem.remedy


def test_a_black_box_is_generated_and_refused_by_name(tmp_path: Path) -> None:
    network = network_with(PASSES)
    box = network.partitions[0].model_copy(update={"black_box": "conv.v is encrypted"})
    network.partitions = (box, network.partitions[1])
    out = generate_fake(network, one_each(network), tmp_path / "out")
    assert (out / "n0" / "vivado" / "build.tcl").is_file()
    with pytest.raises(InputError, match=r"partition odd: it cannot be simulated: conv\.v is encrypted"):
        streams_only(out, "verilator")


def test_what_is_an_instance() -> None:
    text = """
module top #(parameter W = 3) (input clk);
  wire [3:0] a; my_type_t b; assign c = f(a);
  sure u_sure (.a(a));
  sized #(.W(f(3)), .N(2)) u_sized [3:0] (.a(a));
  function automatic int f(int x); return x; endfunction
  initial begin : named  $display("no (x) here"); do_it(a); end
  if (W > 2) maybe u_maybe (); else perhaps u_perhaps ();
  for (genvar i = 0; i < W; i++) begin : g_each each u_each (); end
  case (W) 1: one_of u_one (); default: other_of u_other (); endcase
`ifdef SYNTHESIS
  silicon u_silicon ();
`endif
  (* keep = "true" *) kept u_kept ();
  inner u_inner ();
endmodule
module inner; deep u_deep (); deeper #(4) u_deeper (); endmodule
module nobody_uses; lost u_lost (); endmodule
"""
    found = {entry.module: entry.certain for entry in missing_modules("top", {"a.v": Verilog(text)})}
    unsure = {"maybe", "perhaps", "each", "one_of", "other_of", "silicon"}
    assert found == dict.fromkeys(unsure, False) | dict.fromkeys(
        ("sure", "sized", "kept", "deep", "deeper"), True
    )
