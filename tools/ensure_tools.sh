#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What the tests need and PyPI has not: Icarus, and a Tcl interpreter for the Vivado scripts.
# Install it where we may; say plainly what is missing where we may not.
missing=""
command -v iverilog >/dev/null 2>&1 || missing="iverilog"
command -v tclsh >/dev/null 2>&1 || missing="$missing tcl"
[ -n "$missing" ] || exit 0
if command -v apt-get >/dev/null 2>&1; then
    sudo=""
    [ "$(id -u)" = 0 ] || sudo="sudo -n"
    echo "make: installing with apt-get: $missing"
    # A fresh machine has no package lists; an old one has stale lists.
    # shellcheck disable=SC2086 # a list of packages
    { $sudo apt-get install -y -q $missing || { $sudo apt-get update -q && $sudo apt-get install -y -q $missing; }; } \
        >/dev/null 2>&1
    command -v iverilog >/dev/null 2>&1 && command -v tclsh >/dev/null 2>&1 && exit 0
fi
echo "make: not installed, and apt-get may not install it here: $missing" >&2
echo "make: install it (Debian: apt-get install $missing), then run make again." >&2
exit 1
