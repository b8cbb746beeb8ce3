#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Install packages into a virtual environment by uv, which takes a tenth of pip's time. pip does it where it is told of
# an index of its own, which uv would not ask, and where uv fails: pip may know a proxy or a certificate.
# Usage: tools/install.sh <bin> <argument of both> ...
bin=$1
shift
if "$bin/pip" config list 2>/dev/null | grep -Eq '\.(index-url|no-index)='; then
    exec "$bin/pip" install --quiet "$@"
fi
[ -x "$bin/uv" ] || "$bin/pip" install --quiet uv || exit 1
export UV_SYSTEM_CERTS=1 UV_NATIVE_TLS=1 # as pip does; the second name is that of uv before 0.13
"$bin/uv" pip install --quiet --python "$bin/python" "$@" && exit 0
echo "make: uv failed, so pip installs" >&2
exec "$bin/pip" install --quiet "$@"
