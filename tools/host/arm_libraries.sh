#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Compilers for the Arm processors of boards, an emulator of both, and OpenSSL for them.
# Compilers and emulator are installed with apt-get; the libraries of other architectures are only unpacked below the
# folder that is given, because installing them would tie the versions of the machine's own ones.
set -eu
folder=${1:?give a folder for the libraries}
missing=""
for tool in "arm-linux-gnueabihf-g++ g++-arm-linux-gnueabihf" "aarch64-linux-gnu-g++ g++-aarch64-linux-gnu" \
    "qemu-arm qemu-user" "cmake cmake"; do
    command -v "${tool% *}" >/dev/null 2>&1 || missing="$missing ${tool#* }"
done
if [ -n "$missing" ]; then
    sudo=""
    [ "$(id -u)" = 0 ] || sudo="sudo -n"
    echo "make: installing with apt-get:$missing"
    # shellcheck disable=SC2086 # a list of packages
    { $sudo apt-get install -y -q $missing || { $sudo apt-get update -q && $sudo apt-get install -y -q $missing; }; } \
        >/dev/null 2>&1 || {
        echo "make: install it (Debian: apt-get install$missing), then run make again." >&2
        exit 1
    }
fi
[ ! -f "$folder/whole" ] || exit 0
rm -rf "$folder"
mkdir -p "$folder/apt/lists/partial" "$folder/apt/cache/archives/partial"
apt() {
    apt-get -q -o APT::Architectures::=armhf -o APT::Architectures::=arm64 -o Dir::State::Lists="$folder/apt/lists" \
        -o Dir::State::status=/dev/null -o Dir::Cache="$folder/apt/cache" -o APT::Sandbox::User= "$@"
}
cd "$folder"
apt update >update.log 2>&1 || true # a list that cannot be had need not be one of those that matter
for one in armhf arm64; do
    apt download "libssl-dev:$one" "libssl3:$one" >download.log 2>&1 || {
        echo "make: apt-get does not find libssl-dev:$one; see $folder/download.log" >&2
        exit 1
    }
    mkdir "$one"
    for package in ./*_"$one".deb; do dpkg -x "$package" "$one"; done
done
rm -rf apt ./*.deb
: >whole
