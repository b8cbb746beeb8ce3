# SPDX-License-Identifier: BSD-3-Clause
"""Initial contents of a layer's weight or threshold memory: found, regenerated from the ONNX, or lost.

FINN generates each layer in a folder ``code_gen_ipgen_<node>_<8 random characters>``, and the sources and
the model of a run name theirs. One of the same node with other characters comes from another run: what lies
there is believed only if the model says the same. A folder that is named after the layer is the layer's own.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath

from shellgen.read.finn_onnx import FinnModel
from shellgen.read.initial import is_zero, memblock, noise, threshold_files, words_of
from shellgen.read.instance import Beside, tree_shapes
from shellgen.read.refusal import Refusal, check_readable
from shellgen.read.tree import Tree, node_of_folder
from shellgen.read.weights import layer_of
from vivado_check.formats.files import file_bytes
from vivado_check.formats.looks import glob, is_file

_LOG = logging.getLogger("shellgen.read")
_GENERATED = "code_gen_ipgen_"
_NAMED = 4  # lost layers that a warning names
_SIM, _SYNTH = "memblock_sim_0.dat", "memblock_synth_0.dat"


@dataclass(frozen=True)
class Asked:
    """A literal and what is known about it.

    Attributes:
        text: The path as written.
        layer: FINN node.
        remedy: What to do if nobody has the file.
        around: Parameters of the memory.
        plain: Every layer has files of these names, so that only the folder tells whose one is.
    """

    text: str
    layer: str
    remedy: str
    around: Beside
    plain: bool = True

    @property
    def folder(self) -> PurePosixPath:
        """Folder that the files lay in."""
        return PurePosixPath(self.text) if self.text.endswith("/") else PurePosixPath(self.text).parent


@dataclass
class Contents:
    """The memories of a partition.

    Attributes:
        tree: Where to look for files.
        model: Where lost ones are made from.
        runs: Folders that sources and model name.
        lost: Layers whose contents are unknown, with a file of each that nobody has.
        uram: Layers whose memories are URAM, which has no initial values before Versal.
    """

    tree: Tree
    model: FinnModel | None
    runs: frozenset[str]
    lost: dict[str, Asked] = field(default_factory=dict)
    uram: set[str] = field(default_factory=set)
    _packed: dict[tuple[str, str], bytes | None] = field(default_factory=dict)

    def knows(self, asked: Asked) -> bool:
        """Whether there is anything for a folder: files, or a layer of the model."""
        made = self._made(asked, _SIM)
        names = (_SIM, _SYNTH, "memblock_0.dat")
        return made is not None or any(any(self._candidates(asked, name)) for name in names)

    def memory(self, asked: Asked, names: Sequence[str]) -> dict[str, bytes]:
        """Return the files of a memstream by name.

        Raises:
            Refusal: Files that differ, are too short or belong to another run; or nobody knows the
                contents, nor how many words there are.
        """
        found = {name: self._found(asked, name, self._made(asked, name)) for name in names}
        if _SIM in found and _SYNTH in found:
            found = self._both(asked, found)
        for name in [name for name, content in found.items() if content is None]:
            found[name] = self._made(asked, name) or self._noise(asked, name, asked.around.shape)
        whole = {name: content for name, content in found.items() if content is not None}
        if self._is_ultra(asked):
            self.uram.add(asked.layer)
        return whole

    def _is_ultra(self, asked: Asked) -> bool:
        """Whether a memory is made of URAM."""
        node = layer_of(self.model, asked.layer) if self.model else None
        told = asked.around.texts.get("RAM_STYLE") or (node.text("ram_style") if node else "")
        return told == "ultra"

    def thresholds(self, asked: Asked, prefix: str) -> dict[str, bytes]:
        """Return the files of a threshold tree by name.

        Args:
            asked: The literal.
            prefix: What the names begin with.

        Raises:
            Refusal: As for `memory`.
        """
        numbers = asked.around.numbers
        made = (threshold_files(self.model, asked.layer, numbers) if self.model else None) or {}
        shapes = tree_shapes(numbers)
        names = {f"{prefix}{name}" for name in {*made, *shapes}}
        if not names:
            every = {*self.tree.files, *(path.name for path in _beside(asked.folder, prefix))}
            names = {name for name in every if name.startswith(prefix) and name.endswith(".dat")}
        if not names:
            raise Refusal(
                f"it reads the data prefix {asked.text}, which is nowhere in the build", asked.remedy
            )
        found = {}
        for name in sorted(names):
            short = name.removeprefix(prefix)
            content = self._found(asked, name, made.get(short), shapes.get(short)) or made.get(short)
            found[name] = content or self._noise(asked, name, shapes.get(short))
        return found

    def _made(self, asked: Asked, name: str) -> bytes | None:
        """Return what the model tells, if it is a model of this very memory."""
        key = (asked.layer, name)
        if key not in self._packed:
            made = memblock(self.model, asked.layer, name) if self.model else None
            self._packed[key] = made if made is None or self._fits(asked, made) else None
        return self._packed[key]

    def _fits(self, asked: Asked, made: bytes) -> bool:
        words, bits = asked.around.shape or (0, 0)
        count, digits = made.count(b"\n"), len(made.partition(b"\n")[0])
        # A memory is as wide as its stream, in whole bytes.
        if not words or (count == words and bits - 7 <= 4 * digits <= bits + 3):
            return True
        text = "%s has %d words of %d digits for %s, whose memory has %d of %d bits; it is not what was built"
        _LOG.warning(text, self._model_name, count, digits, asked.layer, words, bits)
        return False

    def _found(
        self, asked: Asked, name: str, made: bytes | None, shape: tuple[int, int] | None = None
    ) -> bytes | None:
        """Return the content of a file that somebody has and that can be believed."""
        own, foreign = self._candidates(asked, name)
        paths = own or (foreign if made is not None else [])
        contents = {file_bytes(path): path for path in reversed(paths)}
        words = None if made is None else words_of(made)
        if len(contents) > 1:
            agreeing = [content for content in contents if words_of(content) == words]
            if not agreeing:
                found = f"it reads the data file {name} of {asked.layer}"
                raise Refusal(f"{found}, of which there are {len(contents)} that differ", asked.remedy)
            return agreeing[0]
        for content, path in contents.items():
            check_readable(path, content)
            if content == made:
                return content
            got = words_of(content)
            whole = content
            count = len(words) if words else (shape or asked.around.shape or (len(got), 0))[0]
            if len(got) > count and len(got) % count == 0 and got == got[:count] * (len(got) // count):
                # FINN of 2020 appends to the file each time it generates a layer again.
                got, whole = got[:count], b"\n".join(got[:count]) + b"\n"
            if len(got) != count:
                found = f"the data file {path} has {len(got)} words, and the memory {count}"
                raise Refusal(found, "Copy the whole file of this very build")
            if words and got != words and not (name == _SYNTH and is_zero(content)):
                found = f"the data file {path} holds other words than {asked.layer} has in {self._model_name}"
                if not own:
                    raise Refusal(f"{found}, and its folder is not the one that is read", asked.remedy)
                _LOG.warning("%s; the file is what is built", found)
            return whole
        return None

    @property
    def _model_name(self) -> str:
        return str(self.model.path) if self.model else ""

    def _candidates(self, asked: Asked, name: str) -> tuple[list[Path], list[Path]]:
        """Return the layer's own files, and those that another run made of a layer of that name."""
        if not asked.plain or not name.startswith("memblock"):
            own = list(self.tree.closest(f"{asked.folder}/{name}", self.is_foreign))
        else:
            own = [path for path in self.tree.files.get(name, ()) if asked.folder.name in path.parent.parts]
        absolute = Path(asked.folder) / name
        if not own and absolute.is_absolute() and is_file(absolute):
            own = [absolute]
        alike = [path for path in self.tree.files.get(name, ()) if _is_of(path, asked.layer)]
        own = own or [path for path in alike if asked.layer in path.parent.parts]
        return own, [path for path in alike if path not in own]

    def is_foreign(self, path: Path) -> bool:
        """Whether a file lies in a folder that another run made for a node of this one."""
        folders = [part for part in path.parent.parts if part.startswith(_GENERATED)]
        return any(name not in self.runs and node_of_folder(name) in self._nodes for name in folders)

    @cached_property
    def _nodes(self) -> frozenset[str]:
        return frozenset(node_of_folder(name) for name in self.runs)

    def _both(self, asked: Asked, found: dict[str, bytes | None]) -> dict[str, bytes | None]:
        """Fill the branch of ``ifdef SYNTHESIS`` that is lost, and compare both.

        Memories in URAM are synthesised from zeros, and wait for the host to load them.
        """
        sim, synth, ultra = found[_SIM], found[_SYNTH], self._is_ultra(asked)
        zeros = synth is not None and is_zero(synth) and ultra
        if sim is not None and synth is None:
            found[_SYNTH] = b"0\n" * len(words_of(sim)) if ultra else sim
        elif sim is None and synth is not None and not zeros:
            found[_SIM] = synth
        elif sim is not None and synth is not None and not zeros and words_of(sim) != words_of(synth):
            text = f"{_SIM} and {_SYNTH} of {asked.layer} differ: the board would compute something else"
            raise Refusal(text, "Remove the one that is wrong")
        if "memblock_0.dat" in found and found["memblock_0.dat"] is None:
            found["memblock_0.dat"] = found[_SIM]
        return found

    def rom(self, asked: Asked, shape: tuple[int, int] | None) -> bytes:
        """Return noise for a ROM whose file nobody has.

        Raises:
            Refusal: Nobody knows how many words it has.
        """
        return self._noise(asked, PurePosixPath(asked.text).name, shape)

    def warn(self) -> None:
        """Say once which layers have lost their contents."""
        layers = sorted(self.lost)
        if layers:
            names = ", ".join(layers[:_NAMED]) + (
                f" and {len(layers) - _NAMED} more" if layers[_NAMED:] else ""
            )
            text = "the weights of %s are lost (the first file is %s): simulated with noise, and Vivado's "
            text += "script refuses. %s"
            _LOG.warning(text, names, self.lost[layers[0]].text, self.lost[layers[0]].remedy)

    def _noise(self, asked: Asked, name: str, shape: tuple[int, int] | None) -> bytes:
        if shape is None:
            what = "folder" if asked.text.endswith("/") else "file"
            raise Refusal(
                f"it reads the data {what} {asked.text}, which is nowhere in the build", asked.remedy
            )
        self.lost.setdefault(asked.layer, asked)
        same = "memblock" if name.startswith("memblock") else name  # both branches of ifdef SYNTHESIS
        return noise(f"{asked.layer} {same}", *shape)


def _beside(folder: PurePosixPath, prefix: str) -> list[Path]:
    """Files of an absolute prefix that still exist where the build was made."""
    return (
        [path for path in glob(Path(folder), "*") if path.name.startswith(prefix)]
        if Path(folder).is_absolute()
        else []
    )


def _is_of(path: Path, layer: str) -> bool:
    return any(node_of_folder(part) == layer for part in path.parent.parts)
