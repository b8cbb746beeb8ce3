# SPDX-License-Identifier: BSD-3-Clause
"""Lists of CMake, read as CMake reads them for a caller with certain definitions, and never run.

The part of the language that our lists use: set, list(APPEND), if, foreach, properties of the cache, message.
Of all other commands only the name is known. Source: the CMake manual, cmake-language, cmake-commands, if().
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from .cmake_text import OPENS, Call, CMakeError, NotReadError, calls, end_of, names

MOST = 50_000  # commands of one run
_FALSE = re.compile(r"0|OFF|NO|FALSE|N|IGNORE|NOTFOUND||.*-NOTFOUND", re.IGNORECASE)
_TRUE = re.compile(r"ON|YES|TRUE|Y|[-+]?[0-9]*\.?[0-9]*", re.IGNORECASE)
_REFERENCE = re.compile(r"\$\{([^${}]*)\}")
_REPEATED = re.compile(r"[*+?{]")
_COMPARED = names(
    """
    EQUAL LESS GREATER LESS_EQUAL GREATER_EQUAL STRLESS STRGREATER STRLESS_EQUAL STRGREATER_EQUAL
    IN_LIST VERSION_EQUAL VERSION_LESS VERSION_GREATER VERSION_LESS_EQUAL VERSION_GREATER_EQUAL
    PATH_EQUAL IS_NEWER_THAN
    """
)
# Commands of CMake that change nothing which is looked at here, and those that may.
_QUIET = names(
    """
    add_compile_definitions add_compile_options add_custom_command add_custom_target add_dependencies
    add_executable add_library add_link_options add_test cmake_policy configure_file enable_language
    enable_testing export find_package include_directories install link_directories link_libraries
    mark_as_advanced project set_directory_properties set_source_files_properties set_target_properties
    set_tests_properties source_group target_compile_definitions target_compile_features
    target_compile_options target_include_directories target_link_directories target_link_libraries
    target_link_options target_sources
    """
)
_CHANGING = names(
    """
    add_subdirectory aux_source_directory block break build_command build_name cmake_file_api
    cmake_host_system_information cmake_language cmake_parse_arguments cmake_path continue
    create_test_sourcelist define_property endblock endfunction endmacro endwhile exec_program
    execute_process file find_file find_library find_path find_program fltk_wrap_ui function
    get_directory_property get_filename_component get_source_file_property get_target_property
    get_test_property include include_external_msproject include_guard include_regular_expression
    load_cache macro math option remove_definitions return separate_arguments set_property site_name
    string try_compile try_run unset variable_watch while
    """
)


_TYPES = ("BOOL", "FILEPATH", "PATH", "STRING", "INTERNAL")
_READ = ("set", "list", "message", "get_property", "get_cmake_property", "cmake_minimum_required")


@dataclass
class Caller:
    """The surroundings in which CMake reads a list.

    Attributes:
        given: Definitions of the command line.
        exists: Tells whether there is a file.
        macros: Commands of the modules that are found, by name; each is called as it comes.
    """

    given: Mapping[str, str]
    exists: Callable[[str], bool]
    macros: Mapping[str, Callable[[Lists, list[str]], None]]


@dataclass
class Lists:
    """A list that was read to its end.

    Attributes:
        variables: As they are at the end.
        cache: Type and value.
        called: Macros and projects with their arguments, in order, each with its line.
    """

    text: str
    caller: Caller
    variables: dict[str, str] = field(default_factory=dict)
    cache: dict[str, tuple[str, str]] = field(default_factory=dict)
    called: list[tuple[int, str, list[str]]] = field(default_factory=list)
    work: int = 0

    def __post_init__(self) -> None:
        """Read it.

        Raises:
            CMakeError: CMake would stop.
            NotReadError: It uses what is not read here.
        """
        self.cache |= {name: ("UNINITIALIZED", value) for name, value in self.caller.given.items()}
        self._run(calls(self.text))

    def value(self, name: str) -> str | None:
        """Return a variable, of the list or else of the cache."""
        return self.variables.get(name, self.cache.get(name, ("", None))[1])

    def declare(self, name: str, value: str) -> None:
        """Do as ``set(name value CACHE STRING)`` of a module: a new entry takes a variable away (CMP0126)."""
        kind, kept = self.cache.get(name, ("UNINITIALIZED", value))
        if kind == "UNINITIALIZED":
            self.variables.pop(name, None)
        self.cache[name] = ("STRING", kept)

    # ---- control ----------------------------------------------------------------------------------------
    def _run(self, listed: list[Call]) -> None:
        at = 0
        while at < len(listed):
            self.work += 1
            call = listed[at]
            if self.work > MOST:
                raise CMakeError(call.line, "the list does not end")
            if call.name in OPENS:
                end = end_of(listed, at)
                inside = listed[at + 1 : end]
                if call.name == "if":
                    self._branch(call, inside)
                else:
                    self._loop(call, inside)
                at = end
            else:
                self._command(call)
            at += 1

    def _branch(self, call: Call, inside: list[Call]) -> None:
        level, start, condition = 0, 0, call
        for index, one in enumerate(inside):
            level += (one.name in OPENS) - (one.name in OPENS.values())
            if level == 0 and one.name in ("elseif", "else"):
                if self._holds(condition):
                    self._run(inside[start:index])
                    return
                start, condition = index + 1, one
        if self._holds(condition):
            self._run(inside[start:])

    def _loop(self, call: Call, inside: list[Call]) -> None:
        name, *words = self._expanded(call)
        if words[:2] == ["IN", "LISTS"]:
            words = [one for each in words[2:] for one in (self.value(each) or "").split(";") if one]
        elif words[:2] == ["IN", "ITEMS"]:
            words = words[2:]
        kept = self.variables.get(name)
        for word in words:
            self.variables[name] = word
            self._run(inside)
        self.variables.pop(name, None)
        if kept is not None:
            self.variables[name] = kept

    # ---- commands ---------------------------------------------------------------------------------------
    def _command(self, call: Call) -> None:
        words = self._expanded(call)
        if call.name in _READ:
            try:
                getattr(self, f"_{call.name}")(call.line, words)
            except (IndexError, ValueError) as error:
                raise CMakeError(call.line, f"{call.name}() has too few arguments") from error
        elif call.name in self.caller.macros:
            self.called.append((call.line, call.name, words))
            self.caller.macros[call.name](self, words)
        elif call.name in _CHANGING:
            raise NotReadError(call.line, f"{call.name}()")
        elif call.name not in _QUIET:
            raise CMakeError(call.line, f'Unknown CMake command "{call.name}"')

    def _set(self, line: int, words: list[str]) -> None:
        name, *values = words
        if "CACHE" in values[1:]:
            at = values.index("CACHE", 1)
            if values[at + 1] not in _TYPES or values[at + 3 :] not in ([], ["FORCE"]):
                raise CMakeError(line, f"set({name}) has {' '.join(values[at:])}")
            kind, value, old = values[at + 1], ";".join(values[:at]), self.cache.get(name)
            fresh = "FORCE" in values[at + 2 :] or old is None
            if fresh or (old is not None and old[0] == "UNINITIALIZED"):
                self.variables.pop(name, None)
            self.cache[name] = (kind, value if fresh or old is None else old[1])
        elif values:
            self.variables[name] = ";".join(values)
        else:
            self.variables.pop(name, None)

    def _list(self, line: int, words: list[str]) -> None:
        if words[0] != "APPEND":
            raise NotReadError(line, f"list({words[0]})")
        parts = [self.value(words[1]) or "", *words[2:]]
        self.variables[words[1]] = ";".join(part for part in parts if part)

    def _message(self, line: int, words: list[str]) -> None:
        if words[0] in ("FATAL_ERROR", "SEND_ERROR"):
            raise CMakeError(line, "".join(words[1:]), meant=True)

    def _get_property(self, line: int, words: list[str]) -> None:
        target, scope, name, keyword, asked = words
        if (scope, keyword) != ("CACHE", "PROPERTY") or asked not in ("TYPE", "VALUE"):
            raise NotReadError(line, "get_property() of what is not in the cache")
        self.variables.pop(target, None)
        if name in self.cache:
            self.variables[target] = self.cache[name][asked == "VALUE"]

    def _get_cmake_property(self, line: int, words: list[str]) -> None:
        if words[1] in ("VARIABLES", "COMMANDS", "MACROS", "COMPONENTS"):
            raise NotReadError(line, f"get_cmake_property() of {words[1]}")
        there = words[1] == "CACHE_VARIABLES"
        self.variables[words[0]] = ";".join(sorted(self.cache)) if there else "NOTFOUND"

    def _cmake_minimum_required(self, line: int, words: list[str]) -> None:
        if words[0] != "VERSION" or not re.fullmatch(r"[0-9.]+", words[1]):
            raise CMakeError(line, f"cmake_minimum_required() has {' '.join(words)}")

    # ---- words ------------------------------------------------------------------------------------------
    def _expanded(self, call: Call) -> list[str]:
        found = []
        for text, quoted in call.words:
            value = self._filled(text, call.line)
            found += [value] if quoted else [one for one in value.split(";") if one]
        return found

    def _filled(self, text: str, line: int) -> str:
        while match := _REFERENCE.search(text):
            self.work += 1
            if self.work > MOST:
                raise CMakeError(line, "a reference that never ends")
            text = text[: match.start()] + (self.value(match[1]) or "") + text[match.end() :]
        if "${" in text:
            raise CMakeError(line, f"a reference without an end: {text}")
        return text

    def _holds(self, call: Call) -> bool:
        if call.name == "else":
            return True
        words = [(self._filled(text, call.line), quoted) for text, quoted in call.words]
        found, rest = self._either(words, call.line)
        if rest:
            raise CMakeError(call.line, f"if() has {rest[0][0]!r}, which is no operator")
        return found

    def _either(self, words: list[tuple[str, bool]], line: int) -> tuple[bool, list[tuple[str, bool]]]:
        found, words = self._both(words, line)
        while words[:1] == [("OR", False)]:
            other, words = self._both(words[1:], line)
            found = found or other
        return found, words

    def _both(self, words: list[tuple[str, bool]], line: int) -> tuple[bool, list[tuple[str, bool]]]:
        found, words = self._one(words, line)
        while words[:1] == [("AND", False)]:
            other, words = self._one(words[1:], line)
            found = found and other
        return found, words

    def _one(self, words: list[tuple[str, bool]], line: int) -> tuple[bool, list[tuple[str, bool]]]:
        if not words:
            raise CMakeError(line, "if() has no condition")
        (first, quoted), *rest = words
        if not quoted and first == "NOT":
            found, rest = self._one(rest, line)
            return not found, rest
        if not quoted and first == "(":
            found, rest = self._either(rest, line)
            return found, rest[1:]
        if not quoted and first in ("COMMAND", "POLICY", "TARGET", "TEST", "IS_DIRECTORY", "IS_ABSOLUTE"):
            raise NotReadError(line, f"if({first})")
        if not quoted and first in ("EXISTS", "DEFINED") and rest:
            name = rest[0][0]
            there = self.caller.exists(name) if first == "EXISTS" else self.value(name) is not None
            return there, rest[1:]
        if rest and not rest[0][1] and rest[0][0] in _COMPARED:
            raise NotReadError(line, f"if() with {rest[0][0]}")
        if len(rest) > 1 and rest[0] in (("STREQUAL", False), ("MATCHES", False)):
            left, same = self._meant(words[0]), rest[0][0] == "STREQUAL"
            found = left == self._meant(rest[1]) if same else _matches(rest[1][0], left, line)
            return found, rest[2:]
        return self._true(words[0]), rest

    def _true(self, word: tuple[str, bool]) -> bool:
        """Tell whether a constant, or the variable that a bare name is, counts as true."""
        text, quoted = word
        if _TRUE.fullmatch(text) or _FALSE.fullmatch(text):
            return not _FALSE.fullmatch(text)
        value = None if quoted else self.value(text)
        return value is not None and not _FALSE.fullmatch(value)

    def _meant(self, word: tuple[str, bool]) -> str:
        """Return what a side of a comparison means: a bare name is its variable, if there is one."""
        text, quoted = word
        value = None if quoted else self.value(text)
        return text if value is None else value


def _matches(pattern: str, text: str, line: int) -> bool:
    # Python's matching takes time without bound for the patterns that are left out.
    if len(_REPEATED.findall(pattern)) > 2 or re.search(r"\)[*+?{]", pattern) or len(text) > 1000:
        raise NotReadError(line, f"MATCHES {pattern}")
    try:
        return re.search(pattern, text) is not None
    except re.error as error:
        raise CMakeError(line, f"{pattern} is no regular expression") from error
