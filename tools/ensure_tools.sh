#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What the tests need and PyPI has not: Icarus, a Tcl interpreter for the Vivado scripts, a browser for the pages,
# a compiler for device trees, a model checker, and two libraries of headers for shellgen-node.
# With the argument `sweep`, also what only the sweep needs: Wireshark's tshark, and clang for libFuzzer.
# Install it where we may; say plainly what is missing where we may not.
also=""
[ "${1:-}" != sweep ] || also="tshark clang++-14"
missing() {
    for tool in "iverilog iverilog" "tclsh tcl" "chromium chromium" "dtc device-tree-compiler" \
        "spin spin"; do
        command -v "${tool% *}" >/dev/null 2>&1 || printf ' %s' "${tool#* }"
    done
    for tool in $also; do
        command -v "$tool" >/dev/null 2>&1 && continue
        case "$tool" in
        clang*) command -v clang++ >/dev/null 2>&1 || printf ' clang-14 libclang-rt-14-dev' ;;
        *) printf ' %s' "$tool" ;;
        esac
    done
    for header in "asio.hpp libasio-dev" "nlohmann/json.hpp nlohmann-json3-dev"; do
        echo "#include <${header% *}>" | "${CXX:-g++}" -x c++ -E -o /dev/null - >/dev/null 2>&1 ||
            printf ' %s' "${header#* }"
    done
}
packages=$(missing)
[ -n "$packages" ] || exit 0
if command -v apt-get >/dev/null 2>&1; then
    sudo=""
    [ "$(id -u)" = 0 ] || sudo="sudo -n"
    echo "make: installing with apt-get:$packages"
    # A fresh machine has no package lists; an old one has stale lists.
    # shellcheck disable=SC2086 # a list of packages
    { $sudo apt-get install -y -q $packages || { $sudo apt-get update -q && $sudo apt-get install -y -q $packages; }; } \
        >/dev/null 2>&1
    packages=$(missing)
    [ -n "$packages" ] || exit 0
fi
echo "make: not installed, and apt-get may not install it here:$packages" >&2
echo "make: install it (Debian: apt-get install$packages), then run make again." >&2
exit 1
