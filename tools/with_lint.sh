#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Run a command, with the lints beside it: they are done long before the tests, whose summary stays the last thing said.
# Usage: tools/with_lint.sh <bin> <command> ...
bin=$1
shift
said=$(mktemp)
trap 'rm -f "$said"' EXIT
{ "$bin/ruff" check . && "$bin/ruff" format --check . && "$bin/mypy"; } >"$said" 2>&1 &
lint=$!
"$@"
result=$?
if wait "$lint"; then exit "$result"; fi
cat "$said"
exit 1
