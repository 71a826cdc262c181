#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Installs a build into a temporary folder, from which a project of three lines that matter finds
# it, builds and runs.
# usage: install-test.sh BUILD COMPILER NS3-PACKAGE
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$(cd "$1" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cmake --install "$build" --prefix "$scratch/prefix" >/dev/null
# Neither the build nor the source may be needed any more.
if grep -rIlF -e "$build" -e "$(dirname "$(dirname "$here")")/" "$scratch/prefix"; then
    echo "these installed files name the source or the build" >&2
    exit 1
fi
[ ! -e "$scratch/prefix/include/ns3" ]

mkdir "$scratch/source"
cp "$here/CMakeLists.txt" "$here/consumer.cc" "$scratch/source"
cmake -S "$scratch/source" -B "$scratch/build" -DCMAKE_CXX_COMPILER="$2" \
    -DCMAKE_PREFIX_PATH="$scratch/prefix" -Dns3_DIR="$3" >/dev/null
cmake --build "$scratch/build"
result=$("$scratch/build/consumer")
[ "$result" = 576 ] || {
    echo "the consumer printed $result" >&2
    exit 1
}

for program in "$scratch"/prefix/bin/*; do
    [ ! -e "$program" ] || "$program" --help >/dev/null
done
