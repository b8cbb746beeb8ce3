# SPDX-License-Identifier: BSD-3-Clause
"""Write the names and options of Vivado's Tcl commands, as UG835 has them in its syntax lines.

``python -m tools.vivado_commands <folder>``: any files that quote the lines "TCL Syntax: <command> ..." of
UG835 (v2020.2), such as the generated sources of EvgenyMuryshkin/Quokka.TCL.
"""

from __future__ import annotations

import html
import json
import re
import sys
from pathlib import Path

TARGET = Path(__file__).parents[1] / "vivado_check" / "tcl" / "ug835.json"
SOURCE = "UG835 v2020.2, by the syntax lines that EvgenyMuryshkin/Quokka.TCL quotes (Vivado/generated)"
_SYNTAX = re.compile(r"TCL Syntax:\s+(\w+)([^\r\n]*)")
_OPTION = re.compile(r"(-\w+)( <)?")


def commands_of(folder: Path) -> dict[str, str]:
    """Return the options of each command as ``-quiet -of_objects=``; ``=`` where a value follows."""
    found: dict[str, dict[str, None]] = {}
    for path in sorted(folder.rglob("*.cs")):
        for name, rest in _SYNTAX.findall(html.unescape(path.read_text(encoding="utf-8", errors="replace"))):
            words = (option + ("=" if value else "") for option, value in _OPTION.findall(rest))
            found.setdefault(name, {}).update(dict.fromkeys(words))
    return {name: " ".join(sorted(options)) for name, options in sorted(found.items())}


def main() -> None:
    """Write the file."""
    (folder,) = map(Path, sys.argv[1:])
    document = {"source": SOURCE, "commands": commands_of(folder)}
    TARGET.write_text(json.dumps(document, indent=0) + "\n")
    print(f"{TARGET.name}: {len(document['commands'])} commands")


if __name__ == "__main__":
    main()
