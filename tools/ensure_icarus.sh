#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Icarus is not on PyPI. Install it where we may; say plainly what is missing where we may not.
command -v iverilog >/dev/null 2>&1 && exit 0
if command -v apt-get >/dev/null 2>&1; then
    sudo=""
    [ "$(id -u)" = 0 ] || sudo="sudo -n"
    echo "make: Icarus Verilog is missing; installing it with apt-get"
    # A fresh machine has no package lists; an old one has stale lists.
    { $sudo apt-get install -y -q iverilog || { $sudo apt-get update -q && $sudo apt-get install -y -q iverilog; }; } \
        >/dev/null 2>&1
    command -v iverilog >/dev/null 2>&1 && exit 0
fi
echo "make: Icarus Verilog is not installed and apt-get may not install it here." >&2
echo "make: install it (Debian: apt-get install iverilog), then run make again." >&2
exit 1
