#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Makes a part of the documentation, and fails if that warns.
# usage: test/documentation.sh reference DIRECTORY
#   reference  all classes, with Doxygen
# Exit code 77: the tool is not installed.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# need COMMAND PACKAGE: skips unless it is there.
need() {
    command -v "$1" >/dev/null && return
    echo "Skipped: $1 is not installed; Debian's package is $2" >&2
    exit 77
}

if [ $# -ne 2 ]; then
    echo "usage: test/documentation.sh reference DIRECTORY" >&2
    exit 2
fi
mkdir -p "$2"
directory=$(cd "$2" && pwd)
case $1 in
reference)
    need doxygen doxygen
    cd "$root"
    { cat doc/Doxyfile && echo "OUTPUT_DIRECTORY = $directory"; } | doxygen -
    ;;
*)
    echo "test/documentation.sh: no part is called $1" >&2
    exit 2
    ;;
esac
