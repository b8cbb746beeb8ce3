# SPDX-License-Identifier: BSD-3-Clause
"""The notebook of the digits: committed without outputs, and run in the long tests."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

BOOK = Path(__file__).parents[1] / "examples" / "digits" / "digits.ipynb"


def test_it_is_a_notebook_without_outputs() -> None:
    book = nbformat.read(BOOK, as_version=4)
    nbformat.validate(book)
    code = [cell for cell in book.cells if cell.cell_type == "code"]
    assert len(code) > 5
    assert not [cell for cell in code if cell.outputs or cell.execution_count]


@pytest.mark.sweep
def test_it_runs(tmp_path: Path) -> None:
    """From the model to the classes: all proofs hold, and the simulated boards recognise the digits."""
    book = nbformat.read(BOOK, as_version=4)
    NotebookClient(book, timeout=None, resources={"metadata": {"path": str(tmp_path)}}).execute()
    said = [
        "".join(output.get("text", "") for output in cell.outputs)
        for cell in book.cells
        if cell.cell_type == "code"
    ]
    assert said[-3].startswith("True ")
    assert "frames/s" in said[-3]
    assert "ms from image to result" in said[-2]
    assert "of 20 images are right" in said[-2]
    assert int(said[-2].rsplit("\n", 2)[-2].partition("%")[0]) >= 90
    pictures = [output for cell in book.cells for output in cell.get("outputs", ()) if "data" in output]
    drawn = [output["data"]["image/svg+xml"] for output in pictures if "image/svg+xml" in output["data"]]
    assert len(drawn) == 2
    assert drawn[1].count("<text") == 10
