#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Makes a part of the documentation, and fails if that warns or a part is out of date.
# usage: test/documentation.sh reference|pages DIRECTORY
#        test/documentation.sh output FILE PROGRAM
#   reference  all classes, with Doxygen
#   pages      all pages, with Sphinx
#   output     a file of the documentation that a program prints; compared with what it prints now
# Exit code 77: the tool is not installed.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# need COMMAND PACKAGE: skips unless it is there.
need() {
    command -v "$1" >/dev/null && return
    echo "Skipped: $1 is not installed; Debian's package is $2" >&2
    exit 77
}

case "$#-${1:-}" in
2-reference)
    need doxygen doxygen
    mkdir -p "$2"
    directory=$(cd "$2" && pwd)
    cd "$root"
    { cat doc/Doxyfile && echo "OUTPUT_DIRECTORY = $directory"; } | doxygen -
    ;;
2-pages)
    need sphinx-build python3-sphinx
    if ! /usr/bin/python3 -c "import myst_parser" 2>/dev/null; then
        echo "Skipped: Sphinx cannot read Markdown; Debian's package is python3-myst-parser" >&2
        exit 77
    fi
    sphinx-build -W --keep-going -E -q -b html "$root/doc" "$2"
    ;;
3-output)
    if ! "$3" | diff "$root/$2" -; then
        echo "$2 is out of date; it is what $3 prints" >&2
        exit 1
    fi
    ;;
*)
    echo "usage: test/documentation.sh reference|pages DIRECTORY | output FILE PROGRAM" >&2
    exit 2
    ;;
esac
