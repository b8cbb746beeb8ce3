# SPDX-License-Identifier: BSD-3-Clause
"""A page for each block of ip/, made from its header, its drawings, its costs and its proofs.

python -m tools.blocks.pages -o out/docs       # write all pages: `make docs`
python -m tools.blocks.pages --draw axis_fifo  # fill in the outputs of ip/axis_fifo/wave.json from simulation
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from shellgen.registers import block_registers
from shellgen.resources import rtl_blocks
from tools.blocks.block_bench import TOOLS, block_file, block_folder, closure
from tools.blocks.pages_header import Block, HeaderError, Paragraph, Parameter, read_block
from tools.blocks.pages_prose import paragraph, prose
from tools.blocks.pages_sim import complete, judge
from tools.blocks.pages_status import cost_rows, proof_rows, settings, summary
from tools.blocks.pages_svg import svg
from tools.blocks.pages_wave import Drawing, WaveError, dump, load
from tools.blocks.placed import method
from tools.blocks.registers import blocks as register_blocks
from tools.blocks.registers import rows

# The order of the index. Every block is in one group (tests/blocks/test_pages.py).
GROUPS = {
    "Storage": ("axis_register", "axis_fifo", "axis_frame_fifo", "axis_fifo_cdc"),
    "Width": ("axis_width", "axis_width_framed", "axis_width_narrow", "axis_width_narrow_fast"),
    "Framing": (
        "axis_frame_rx",
        "axis_frame_tx",
        "axis_run_rx",
        "axis_run_tx",
        "axis_swallow",
        "axis_tid",
        "axis_tlast",
        "axis_pad",
        "axis_strip",
    ),
    "Fan-out and fan-in": (
        "axis_broadcast",
        "axis_join",
        "axis_concat",
        "axis_add",
        "axis_arbiter",
        "axis_demux",
        "axis_switch",
        "axis_deal",
        "axis_gather",
        "axis_turn",
        "axis_tag_deal",
        "axis_frame_tag",
        "axis_frame_label",
        "axis_frame_match",
    ),
    "Layers": ("layer_dot",),
    "AXI-Lite": (
        "axil_crossbar",
        "axil_root",
        "axil_node",
        "axil_register",
        "axil_bridge",
        "axil_slot",
        "axil_cdc",
    ),
    "Links over VNx": (
        "vnx_sender",
        "vnx_pack",
        "vnx_window",
        "vnx_emit",
        "vnx_sender_status",
        "vnx_receiver",
        "vnx_match",
        "vnx_session",
        "vnx_unpack",
        "vnx_receiver_status",
        "vnx_seal",
        "vnx_check",
        "crc32c",
        "vnx_port",
    ),
    "Links over ACCL": (
        *("accl_command", "accl_gate", "accl_port", "accl_demux", "accl_frames"),
        *("accl_number", "accl_told"),
    ),
    "Rings in memory": ("axis_ddr_fifo", "ddr_ring_port", "ring_requests"),
    "Status and checking": (
        "shell_status",
        "shell_turns",
        "axil_counters",
        "shell_reset",
        "shell_sync",
        "split_counter",
        "axis_checker",
    ),
    "Parts of the width converters": (
        "axis_width_up_rational",
        "axis_width_up_integer",
        "axis_width_down",
        "axis_width_down_keep",
    ),
}

__all__ = ["GROUPS", "pages"]


def drawings_file(block: str) -> Path:
    """Return the file with the drawings of a block."""
    return block_folder(block) / "wave.json"


def pages() -> dict[str, str]:
    """Return the text of every page by its path below the folder of the pages.

    Raises:
        HeaderError: A header lacks a part.
        WaveError: A drawing is malformed.
        ValueError: A block is in no group, or a cost table lacks a key.
    """
    blocks = {name: read_block(block_file(name)) for name in rtl_blocks()}
    needs = {name: sorted(path.stem for path in closure(name)[1:]) for name in blocks}
    grouped = {name for members in GROUPS.values() for name in members}
    if set(blocks) - grouped:
        raise ValueError(f"tools/blocks/pages.py: no group for {', '.join(sorted(set(blocks) - grouped))}")
    rows = {}
    result = {}
    for name, block in blocks.items():
        context = _context(block, blocks, needs)
        rows[name] = context
        result[f"blocks/{name}.html"] = _environment().get_template("block.html.j2").render(context)
    groups = {group: [rows[name] for name in members if name in rows] for group, members in GROUPS.items()}
    index = _environment().get_template("index.html.j2")
    return {
        "index.html": index.render(groups={key: value for key, value in groups.items() if value})
    } | result


def _context(block: Block, blocks: dict[str, Block], needs: dict[str, list[str]]) -> dict[str, object]:
    names = {port.name for port in block.ports} | {parameter.name for parameter in block.parameters}

    def text(words: str) -> Markup:
        return prose(words, names, blocks, block.name)

    def section(kind: str) -> list[Markup]:
        return [paragraph(item, names, blocks, block.name) for item in getattr(block, kind)]

    has = block.name in register_blocks()
    proofs = proof_rows(block.name)
    used_by = sorted(name for name, others in needs.items() if block.name in others)
    return {
        "block": block,
        "title": text(block.title),
        "headline": prose(block.title, names, (), block.name),
        # The table of registers has a part of its own, from the file that it was written from.
        "body": [item for item, told in zip(section("body"), block.body, strict=True) if not _is_table(told)],
        "registers": [
            (place, name, access, reset, text(meaning))
            for place, name, access, reset, meaning in (rows(block_registers(block.name)) if has else ())
        ],
        "notes": section("notes"),
        "facts": [(fact.label, [text(line) for line in fact.text.split("\n")]) for fact in block.facts],
        "parameters": [(parameter, text(parameter.meaning)) for parameter in block.parameters],
        "ports": [(port, text(port.meaning)) for port in block.ports],
        "port_meanings": any(port.meaning for port in block.ports),
        "rules": [text(_rule(rule, block.parameters)) for rule in block.rules],
        "drawings": [
            _figure(drawing, f"w{number}") for number, drawing in enumerate(load(drawings_file(block.name)))
        ],
        "placed": method()["device"],
        "costs": cost_rows(block_folder(block.name) / "costs.toml"),
        "proofs": proofs,
        "proof_summary": summary(proofs),
        "needs": needs[block.name],
        "used_by": used_by,
        "proved_within": [name for name in used_by if (block_folder(name) / "formal.toml").is_file()],
    }


def _is_table(item: Paragraph) -> bool:
    return item.indented and item.text.split()[:3] == ["offset", "name", "access"]


def _rule(rule: str, parameters: tuple[Parameter, ...]) -> str:
    """Return a rule in words; the underscores of parameters stay."""
    words = f"_{rule}_"
    for name in sorted((parameter.name for parameter in parameters), key=len, reverse=True):
        words = words.replace(f"_{name}_", f"_{name.replace('_', '~')}_")
    return words.strip("_").replace("_", " ").replace("~", "_")


def _figure(drawing: Drawing, prefix: str) -> dict[str, object]:
    constants = [f"{name} = {value}" for name, value in drawing.get("constants", {}).items()]
    return {
        "title": drawing["title"],
        "settings": settings(drawing.get("parameters", {})),
        "constants": ", ".join(constants),
        "stops": drawing.get("stops"),
        "svg": Markup(svg(drawing, prefix)),  # noqa: S704 - WaveDrom escapes the labels
    }


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(TOOLS / "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=True,
    )


def _draw(names: Sequence[str]) -> None:
    for name in names:
        block, path = read_block(block_file(name)), drawings_file(name)
        text = dump([complete(block, drawing) for drawing in load(path)])
        if text != path.read_text(encoding="ascii"):
            path.write_text(text, encoding="ascii")
            print(f"{name}: redrawn")


def _check() -> None:
    """Refuse to write pages with a picture that is not what the block does now."""
    for name in rtl_blocks():
        block = read_block(block_file(name))
        for drawing in load(drawings_file(name)):
            if found := judge(block, drawing):
                lines = [
                    f"{name}: {drawing['title']}",
                    *found,
                    f"Remedy: python -m tools.blocks.pages --draw {name}",
                ]
                raise WaveError("\n  ".join(lines))


def _main() -> int:
    parser = argparse.ArgumentParser(description="Pages of the blocks in ip/.")
    parser.add_argument("-o", "--output", type=Path, default=Path("out/docs"))
    parser.add_argument("--draw", nargs="+", metavar="BLOCK", help="fill in wave.json; 'all' for every block")
    options = parser.parse_args()
    try:
        if options.draw:
            _draw(rtl_blocks() if options.draw == ["all"] else options.draw)
            return 0
        _check()
        written = pages()
    except (HeaderError, WaveError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    for name, text in written.items():
        path = options.output / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    print(f"{len(written)} pages: {options.output / 'index.html'}")
    return 0


if __name__ == "__main__":
    sys.exit(_main())
