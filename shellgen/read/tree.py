# SPDX-License-Identifier: BSD-3-Clause
"""Finding files of a build that was moved: by the end of a path, since its beginning is dead."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from functools import cached_property
from pathlib import Path, PurePosixPath

from shellgen.cache import digest
from vivado_check.formats.files import file_bytes
from vivado_check.formats.looks import below


class Tree:
    """The files below some folders, by base name.

    Attributes:
        roots: The folders; each file is listed once.
    """

    def __init__(self, roots: Iterable[Path]) -> None:
        self.roots = tuple(roots)

    @cached_property
    def files(self) -> dict[str, tuple[Path, ...]]:
        """All files by base name, in a stable order."""
        found: dict[str, set[Path]] = {}
        for root in self.roots:
            for folder, folders, names in below(root):
                folders.sort()
                for name in names:
                    found.setdefault(name, set()).add(Path(folder) / name)
        return {name: tuple(sorted(paths)) for name, paths in found.items()}

    def closest(self, dead: str, but: Callable[[Path], bool] = lambda _: False) -> tuple[Path, ...]:
        """Return the files of the same base name that share most of the path's end, best ones only.

        Args:
            dead: A path that may not exist any more.
            but: Which files do not count.
        """
        parts = PurePosixPath(dead).parts
        if not parts:  # an empty name, or nothing but dots
            return ()
        paths = [path for path in self.files.get(parts[-1], ()) if not but(path)]
        scored = [(common_end(path.parts, parts), path) for path in paths]
        best = max((score for score, _ in scored), default=0)
        return tuple(path for score, path in scored if score == best)


class LayerFolders:
    """The folders below a build in which FINN generated a layer, for all partitions of it.

    Attributes:
        root: The folder of the build.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._told: dict[Path, str] = {}

    @cached_property
    def all(self) -> list[Path]:
        """All of them, in a stable order."""
        return sorted(folder for inside in self._inside.values() for folder in inside)

    def beside(self, folder: Path) -> list[Path] | None:
        """Return those that lie beside a folder, in a stable order; None, if it is not below this build."""
        found = self._inside.get(folder.parent)
        return None if found is None else sorted(found)

    def told(self, folder: Path) -> str:
        """Return a digest of all that this tells of a folder."""
        if folder.parent not in self._told:
            beside = self.beside(folder)
            known = ["outside"] if beside is None else map(str, beside)
            self._told[folder.parent] = digest([self._all, *known])
        return self._told[folder.parent]

    @cached_property
    def _all(self) -> str:
        return digest(map(str, self.all))

    @cached_property
    def _inside(self) -> dict[Path, list[Path]]:
        """Return those in each folder of the build: one list for all partitions, which lie side by side."""
        found = {}
        for folder, folders, _ in below(self.root):
            mine = [name for name in folders if name.startswith("code_gen_ipgen_")]
            found[Path(folder)] = [Path(folder) / name for name in mine]
            folders[:] = sorted(set(folders) - set(mine))
        return found


def common_end(left: tuple[str, ...], right: tuple[str, ...]) -> int:
    """Count the equal parts at the end of two paths."""
    count = 0
    for one, other in zip(reversed(left), reversed(right), strict=False):
        if one != other:
            break
        count += 1
    return count


def node_of_folder(name: str) -> str:
    """Return the FINN node that a folder is named after: ``code_gen_ipgen_<node>_<8 characters>``."""
    if name.startswith("code_gen_ipgen_") and len(name) > len("code_gen_ipgen_") + 9 and name[-9] == "_":
        return name.removeprefix("code_gen_ipgen_")[:-9]
    return name.removeprefix("code_gen_ipgen_")


def same_content(paths: Collection[Path]) -> bool:
    """Whether all files have equal bytes."""
    return len(paths) <= 1 or len({file_bytes(path) for path in paths}) <= 1
