# SPDX-License-Identifier: BSD-3-Clause
"""FINN's packaged IP replaces sources where -ip_repo gives it; otherwise the sources are built."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from fake_network import chain, lite, partition, plan_of, spec
from read.build_fixture import Build, write_stitched
from vivado_session import Outcome, Vivado, run_script, texts
from zynq_project import WORD, with_files, write_project

from shellgen.model import Network, PackagedIp, Plan
from shellgen.read.component import read_component
from vivado_check.recording import Run

VLNV = "xilinx_finn:finn:{}:1.0"
CREATED = "2024-05-17T09:15:3{}Z"


def project(folder: Path, *names: str) -> Path:
    """One node with two partitions that were packaged under these names; they share helper.sv."""
    return write_project(*planned(*names), folder)


def planned(*names: str) -> tuple[Plan, Network]:
    made = [with_files(partition(f"part{k}", (WORD,), (WORD,), (lite(0),)), False) for k in range(len(names))]
    parts = tuple(
        part.model_copy(update={"packaged": PackagedIp(vlnv=VLNV.format(name), created=CREATED.format(k))})
        for k, ((part, _), name) in enumerate(zip(made, names, strict=True))
    )
    files = {key: value for _, own in made for key, value in own.items()}
    edges = chain(*((part, b"") for part in parts)).edges
    network = Network(parts, edges, files, "build")
    node = {"name": "n0", "board": "zedboard", "partitions": list(range(len(names)))}
    return plan_of(network, spec([node])), network


def repository(folder: Path, created: str) -> Path:
    """A folder as FINN leaves it, seen from above stitched_ip."""
    path = folder / "stitched_ip" / "ip"
    path.mkdir(parents=True)
    text = f"<c><xilinx:coreCreationDateTime>{created}</xilinx:coreCreationDateTime></c>"
    (path / "component.xml").write_text(text)
    return folder


def build(node: Path, vivado: Vivado, *arguments: object) -> Outcome:
    outcome = run_script(vivado, node / "vivado" / "build.tcl", *map(str, arguments))
    assert outcome.code == 0, outcome.error or outcome.printed
    return outcome


def settings(run: Run) -> dict[str, str]:
    return {name: setting.value for name, setting in run.properties.items()}


def rtl(vivado: Vivado) -> set[str]:
    return {name for name, one in vivado.files.items() if "Verilog" in one.get("file_type", "")}


def test_the_ip_of_one_partition(tmp_path: Path) -> None:
    node = project(tmp_path / "out", "sdp_0", "sdp_1")
    vivado = Vivado(
        "2024.2", readable=(tmp_path,), user_ip={VLNV.format("sdp_0"): "1", VLNV.format("sdp_1"): "1"}
    )
    outcome = build(node, vivado, "-ip_repo", repository(tmp_path / "my ip", CREATED.format(0)))
    assert {name: vlnv for name, (vlnv, _) in vivado.current.ips.items()} == {
        "part0_wrapper": VLNV.format("sdp_0")
    }
    assert {"part1.v", "helper.sv", "n0_core.v"} <= rtl(vivado)
    assert "part0.v" not in rtl(vivado)
    runs = vivado.current.runs
    assert settings(runs["part0_wrapper_synth_1"]) == settings(runs["synth_1"])
    assert (node / "vivado" / "project" / "n0.runs" / "part0_wrapper_synth_1" / "runme.log").exists()
    assert any("part1_wrapper is made of its sources" in line for line in outcome.printed)


@pytest.mark.parametrize(
    ("created", "supported", "said"),
    [
        (CREATED.format(9), "1", "no xilinx_finn:finn:sdp_0:1.0 of 2024-05-17T09:15:30Z in"),
        (CREATED.format(0), "0", "inside a module"),
        (CREATED.format(0), None, "inside a module"),
    ],
)
def test_sources_where_the_ip_will_not_do(
    created: str, supported: str | None, said: str, tmp_path: Path
) -> None:
    """An IP of another build, one that cannot replace a module reference, a Vivado that does not know."""
    node = project(tmp_path / "out", "sdp_0")
    vivado = Vivado("2022.2", readable=(tmp_path,), user_ip={VLNV.format("sdp_0"): supported})
    outcome = build(node, vivado, "-ip_repo", repository(tmp_path / "ip", created))
    assert any(said in line for line in outcome.printed)
    assert not vivado.current.ips
    assert "part0.v" in rtl(vivado)


def test_no_repository_no_ip(tmp_path: Path) -> None:
    vivado = Vivado("2024.2", readable=(tmp_path,), user_ip={VLNV.format("sdp_0"): "1"})
    build(project(tmp_path, "sdp_0"), vivado)
    assert not vivado.current.ips


def test_two_partitions_of_one_name(tmp_path: Path) -> None:
    """FINN calls every stitched IP finn_design by default, and a catalogue holds only one."""
    node = project(tmp_path / "out", "finn_design", "finn_design")
    vivado = Vivado("2024.2", readable=(tmp_path,), user_ip={VLNV.format("finn_design"): "1"})
    outcome = build(node, vivado, "-ip_repo", repository(tmp_path / "ip", CREATED.format(0)))
    assert not vivado.current.ips
    assert any("no partition of n0 tells" in line for line in outcome.printed)


def test_a_module_that_is_left_out_is_missed(tmp_path: Path) -> None:
    """Sources left out without an IP in their place would be seen."""
    plan, network = planned("sdp_0")
    script = write_project(plan, network, tmp_path) / "vivado" / "build.tcl"
    script.write_text(script.read_text().replace("set left_out {}", "set left_out partition/part0.v"))
    vivado = Vivado("2024.2")
    run_script(vivado, script)
    assert "part0_wrapper" in texts(vivado.said(plan))


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    script = project(tmp_path, "sdp_0") / "vivado" / "build.tcl"
    assert run_script(Vivado("2024.2"), script, "-ip_repo", "nowhere").code == 2


def test_what_component_xml_tells(tmp_path: Path) -> None:
    path = write_stitched(tmp_path / "conv", Build()) / "ip/component.xml"
    text = path.read_text()
    assert read_component(path).packaged is None  # ours: Vivado did not package it
    date = "<spirit:vendorExtensions><xilinx:coreCreationDateTime>{}</xilinx:coreCreationDateTime>"
    date = date.replace("xilinx:", "spirit:") + "</spirit:vendorExtensions></spirit:component>"

    def told(created: str, name: str = "conv") -> PackagedIp | None:
        changed = text.replace("</spirit:component>", date.format(created))
        named = re.sub(r"(?<=<spirit:name>)\w+", name, changed, count=1)
        path.write_text(named)
        return read_component(path).packaged

    found = told(CREATED.format(0))
    assert found == PackagedIp(vlnv=VLNV.format("conv"), created=CREATED.format(0))
    assert told("[exec touch x]") is None
    assert told(CREATED.format(0), "[exec touch x]") is None
