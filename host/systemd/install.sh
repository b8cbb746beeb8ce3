#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Install shellgen-node as a service for one node; `shellgen install` sends this with the files beside it to a board, and
# runs it there as root. Usage: install.sh NODE. With DESTDIR files go below it, and nothing is started.
set -eu
umask 022 # the service has a user of its own, which reads the map
node=$1
root=${DESTDIR:-}
cd "$(dirname "$0")"

fail() {
    echo "$*" >&2
    exit 1
}

# By a new name first: a program that runs cannot be written, and a half file must not start.
put() {
    mkdir -p "$root$(dirname "$3")"
    cp "$2" "$root$3.new"
    chmod "$1" "$root$3.new"
    mv "$root$3.new" "$root$3"
}

[ -n "$root" ] || [ "$(id -u)" = 0 ] || fail "this needs root"
[ -n "$root" ] || command -v systemctl >/dev/null || fail "there is no systemd; docs/host-node.md has what to start by hand"
# Without options it names the first that is missing, with exit code 2.
code=0
./shellgen-node >/dev/null 2>said || code=$?
[ "$code" = 2 ] || fail "shellgen-node does not run here (exit code $code): $(head -n 1 said)"

[ -n "$root" ] || id shellgen >/dev/null 2>&1 || useradd --system shellgen
put 755 shellgen-node /usr/local/bin/shellgen-node
put 644 70-shellgen.rules /etc/udev/rules.d/70-shellgen.rules
put 644 shellgen-node@.service /etc/systemd/system/shellgen-node@.service
put 644 programming.conf /etc/systemd/system/shellgen-node@.service.d/programming.conf
put 644 memory_map.json /etc/shellgen/memory_map.json
put 644 node.env "/etc/shellgen/$node.env"
mkdir -p "$root/etc/shellgen/keys/$node" "$root/lib/firmware/shellgen"
chmod 700 "$root/etc/shellgen/keys" "$root/etc/shellgen/keys/$node"
for key in ca.pem cert.pem key.pem sign.pem; do
    put 600 "keys/$key" "/etc/shellgen/keys/$node/$key"
done
[ ! -d weights ] || find weights -type f | while read -r file; do
    put 644 "$file" "/etc/shellgen/${file#weights/}"
done
[ -z "$root" ] || exit 0

chown shellgen:shellgen /lib/firmware/shellgen
udevadm control --reload
udevadm trigger
systemctl daemon-reload
systemctl enable --quiet "shellgen-node@$node"
# Type=notify: this returns when the node listens, or says why it does not.
systemctl restart "shellgen-node@$node" || fail "$(journalctl -q -n 1 -o cat -u "shellgen-node@$node")"
